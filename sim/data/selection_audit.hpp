// Compares gTop-k with the exact top-k of the sum: the indices that both have, and the values that the tree loses.
//
// A worker has gradient + residual to send. The exact top-k is taken from the float64 sum of these over all workers. A
// selected value is lost if the result has its index but an inner node of the tree dropped the value and nobody put it
// back (docs/codecs.md, "Selections without a byte format").
#pragma once

#include "models/codecs/selection/selection.hpp"
#include "sim/result/result.hpp"

#include <map>
#include <span>
#include <utility>
#include <vector>

namespace gradflight {

class SelectionAudit {
public:
  explicit SelectionAudit(int workers) : workers_(workers) {}

  /// A worker has selected; `kept` is its residual after that.
  void selected(int bucket, std::int64_t iteration, const codec::SparseVector& selected, std::span<const float> kept);
  /// A worker has the common result, which is the same for all workers. The last worker's call closes the exchange.
  void received(int bucket, std::int64_t iteration, const codec::SparseVector& result);
  /// Includes comparisons with the exact top-k if received() has closed any exchange.
  [[nodiscard]] SelectionResult result() const;

private:
  struct Exchange {
    std::vector<double> whole, selected; ///< summed over the workers, by element
    double selected_mass = 0;
    int received = 0;
  };
  int workers_;
  std::map<std::pair<int, std::int64_t>, Exchange> open_; ///< by bucket and iteration
  double selected_mass_ = 0, whole_mass_ = 0, judged_mass_ = 0, lost_mass_ = 0, shared_ = 0, entries_ = 0;
};

} // namespace gradflight
