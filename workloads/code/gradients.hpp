// Captured gradients of data-parallel workers, as files beside a workload (format: docs/capture.md).
#pragma once

#include "workloads/code/workload.hpp"

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace gradflight {

/// The location of captured gradients. Each file contains all tensors of the workload in forward order.
struct GradientFiles {
  std::string directory;           ///< empty: none
  std::vector<std::string> points; ///< in the order of training
  int workers = 0;
  std::int64_t elements = 0;           ///< of each file
  std::string extension = ".npy";      ///< or ".npy.gz"
  std::vector<std::int64_t> tensors{}; ///< elements of each, in forward order; empty: the index does not say them

  /// DIR/POINT/worker-W.npy or .npy.gz
  [[nodiscard]] std::string path(std::size_t point, int worker) const;
};

/// A file of gradients cannot be read, or has another number of values. The text begins with its name.
class GradientError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Reads the requested gradients once, and keeps them. Values are in gradient order, as buckets need them: last tensor
/// first.
class Gradients {
public:
  Gradients(GradientFiles files, const Workload& workload);
  /// Returns the gradient of a worker at capture point `point`. Throws GradientError.
  std::span<const float> worker(std::size_t point, int worker);
  /// Returns the exact sum over the first `workers` workers, in float64. Throws GradientError.
  std::span<const double> sum(std::size_t point, int workers);
  [[nodiscard]] std::size_t points() const { return files_.points.size(); }

private:
  GradientFiles files_;
  std::vector<std::int64_t> tensor_sizes_;            ///< forward order
  std::vector<std::vector<std::vector<float>>> kept_; ///< [point][worker]
  std::vector<std::vector<double>> sums_;             ///< [point]
};

} // namespace gradflight
