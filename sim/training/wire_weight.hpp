// The weight of a block on a compressed leg, with a given ratio and tensors left out of the compression.
//
// A block is a range of elements of a bucket, and may cut tensors anywhere. On the wire it has
//   its width for each element of a tensor left out, width / ratio for each other element,
//   and `tensor_overhead` for each compressed tensor with at least one element in it.
// So a compressed tensor cut into two blocks pays its overhead twice, like a scale or a header that both parts need.
#pragma once

#include "models/schedules/parts/schedule.hpp"
#include "scenarios/language/types/training.hpp"

#include <vector>

namespace gradflight {

class WireWeight {
public:
  /// If weights are uneven, all tensors have one element type and buckets follow each other in gradient order.
  WireWeight(const Workload& workload, const std::vector<Bucket>& buckets, const CompressionSpec& compression);

  /// Whether every element weighs the same.
  [[nodiscard]] bool even() const { return even_; }
  /// Dense bytes over wire bytes if even: the given ratio, but 1 for norms of chunks, which travel uncompressed.
  [[nodiscard]] double ratio(int bucket) const { return ratios_[static_cast<std::size_t>(bucket)]; }
  /// Returns the bytes of a range of a bucket; past its end, the range continues at its beginning. O(1) if even, else
  /// O(log tensors), without allocation.
  [[nodiscard]] double bytes(int bucket, Range range) const;
  /// Returns the weight of the heaviest of the bucket's `cuts` equal blocks.
  [[nodiscard]] double heaviest_block(int bucket, int cuts) const;
  /// Whether all of the bucket's `cuts` equal blocks weigh the same, up to rounding.
  [[nodiscard]] bool blocks_alike(int bucket, int cuts) const;
  /// Whether a part of the bucket weighs in proportion to its elements: all is compressed, without overhead, or none.
  [[nodiscard]] bool proportional(int bucket) const;

  /// Consecutive elements of one kind; `first` counts from the first element of the range.
  struct Run {
    Range elements;
    bool compressed = true;
  };
  struct Parts {
    std::vector<Run> runs;     ///< of a range, in order; neighbours have different kinds
    double overhead_bytes = 0; ///< of all its compressed tensors
  };
  void parts(int bucket, Range range, Parts& into) const;

private:
  struct Start { ///< position of a tensor in gradient order, and totals before it
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
