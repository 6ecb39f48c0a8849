// gTop-k against the exact top-k of the sum: which indices both have, and what is lost on the way through the tree.
//
// What a worker has to send is gradient + residual. The exact top-k is taken of the float64 sum of these over all
// workers. Lost is what a worker selected at an index that is in the result, but that was dropped at an inner node of
// the tree and not put back (docs/codecs.md, "Selections without a byte format").
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
  /// A worker has the result of all, which is the same for everyone; the last worker's closes the exchange.
  void received(int bucket, std::int64_t iteration, const codec::SparseVector& result);
  /// With comparisons to the exact top-k where any exchange was closed by received().
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
