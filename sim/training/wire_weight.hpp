// What a block weighs on a compressed leg, for a given ratio and tensors that are left out of the compression.
//
// A block is a range of elements of a bucket, and cuts tensors where it will. On the wire it has
//   its width for each element of a tensor left out, width / ratio for each other element,
//   and `tensor_overhead` for each compressed tensor of which it has at least one element.
// So a compressed tensor cut into two blocks pays its overhead twice, as a scale or a header that both need.
#pragma once

#include "models/schedules/parts/schedule.hpp"
#include "scenarios/language/types/training.hpp"

#include <vector>

namespace gradflight {

class WireWeight {
public:
  /// Where weights are uneven, all tensors have one element type: buckets follow each other in gradient order.
  WireWeight(const Workload& workload, const std::vector<Bucket>& buckets, const CompressionSpec& compression);

  /// Every element weighs the same.
  [[nodiscard]] bool even() const { return even_; }
  /// Dense bytes over wire bytes where even: as given, and 1 for norms of chunks, which travel as they are.
  [[nodiscard]] double ratio(int bucket) const { return ratios_[static_cast<std::size_t>(bucket)]; }
  /// Bytes of a range of a bucket, which past its end goes on at its beginning: O(1) where even, else O(log tensors),
  /// without allocation.
  [[nodiscard]] double bytes(int bucket, Range range) const;
  /// Of the heaviest of the bucket's `cuts` equal blocks.
  [[nodiscard]] double heaviest_block(int bucket, int cuts) const;
  /// All of the bucket's `cuts` equal blocks weigh the same, to rounding.
  [[nodiscard]] bool blocks_alike(int bucket, int cuts) const;
  /// Any part of the bucket weighs in proportion to its elements: all of it compressed, without overhead, or none.
  [[nodiscard]] bool proportional(int bucket) const;

  /// Consecutive elements of one kind; `first` counts from the first element of the range.
  struct Run {
    Range elements;
    bool compressed = true;
  };
  struct Parts {
    std::vector<Run> runs;     ///< of a range, in order; neighbours differ in kind
    double overhead_bytes = 0; ///< of all its compressed tensors
  };
  void parts(int bucket, Range range, Parts& into) const;

private:
  struct Start { ///< of a tensor in gradient order, and what stands before it
    std::int64_t element = 0, dense_elements = 0, compressed_tensors = 0;
    bool compressed = true;
  };
  [[nodiscard]] std::size_t tensor_at(std::int64_t element) const;
  [[nodiscard]] Range whole(int bucket) const { return {0, sizes_[static_cast<std::size_t>(bucket)]}; }

  double ratio_, overhead_;
  std::vector<double> ratios_; ///< of each bucket
  bool even_;
  std::vector<Start> starts_;        ///< empty where even; ends with the end of the last tensor
  std::vector<std::int64_t> firsts_; ///< of each bucket, in gradient order
  std::vector<std::int64_t> sizes_;
  std::vector<int> widths_; ///< bytes of an element of each bucket
};

} // namespace gradflight
