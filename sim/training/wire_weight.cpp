#include "sim/training/wire_weight.hpp"

#include <algorithm>
#include <cmath>

namespace gradflight {

WireWeight::WireWeight(const Workload& workload, const std::vector<Bucket>& buckets, const CompressionSpec& compression)
    : ratio_(compression.ratio), overhead_(compression.tensor_overhead ? compression.tensor_overhead->value() : 0),
      even_(compression.even()) {
  std::int64_t first = 0;
  for (const Bucket& bucket : buckets) {
    firsts_.push_back(first);
    sizes_.push_back(bucket.elements);
    widths_.push_back(bucket.width());
    ratios_.push_back(bucket.norms ? 1 : ratio_);
    first += bucket.elements;
  }
  if (even_) return;
  Start next;
  for (auto layer = workload.layers.rbegin(); layer != workload.layers.rend(); ++layer)
    for (auto tensor = layer->tensors.rbegin(); tensor != layer->tensors.rend(); ++tensor) {
      next.compressed = !compression.leaves_out(*tensor);
      starts_.push_back(next);
      next.element += tensor->elements;
      (next.compressed ? next.compressed_tensors : next.dense_elements) += next.compressed ? 1 : tensor->elements;
    }
  starts_.push_back(next);
}

/// Returns the tensor that contains an element.
std::size_t WireWeight::tensor_at(std::int64_t element) const {
  const auto after = std::upper_bound(starts_.begin(), starts_.end() - 1, element,
                                      [](std::int64_t e, const Start& start) { return e < start.element; });
  return static_cast<std::size_t>(after - starts_.begin()) - 1;
}

double WireWeight::bytes(int bucket, Range range) const {
  const int width = widths_[static_cast<std::size_t>(bucket)];
  const double all = dense_bytes(range.count, width);
  if (even_ || range.count == 0) return all / ratio(bucket);
  const std::int64_t beyond = range.first + range.count - sizes_[static_cast<std::size_t>(bucket)];
  if (beyond > 0) // the range continues at the vector's beginning
    return bytes(bucket, {range.first, range.count - beyond}) + bytes(bucket, {0, beyond});
  const std::int64_t begin = firsts_[static_cast<std::size_t>(bucket)] + range.first, end = begin + range.count;
  const Start& first = starts_[tensor_at(begin)];
  const Start& last = starts_[tensor_at(end - 1)];
  const auto dense_before = [](const Start& tensor, std::int64_t element) {
    return tensor.dense_elements + (tensor.compressed ? 0 : element - tensor.element);
  };
  const double dense = dense_bytes(dense_before(last, end) - dense_before(first, begin), width);
  const std::int64_t tensors = last.compressed_tensors - first.compressed_tensors + (last.compressed ? 1 : 0);
  return dense + (all - dense) / ratio_ + static_cast<double>(tensors) * overhead_;
}

double WireWeight::heaviest_block(int bucket, int cuts) const {
  const Blocks blocks(whole(bucket).count, cuts);
  if (even_) return dense_bytes(blocks.range(0).count, widths_[static_cast<std::size_t>(bucket)]) / ratio(bucket);
  double heaviest = 0;
  for (int b = 0; b < cuts; ++b) heaviest = std::max(heaviest, bytes(bucket, blocks.range(b)));
  return heaviest;
}

bool WireWeight::blocks_alike(int bucket, int cuts) const {
  const Blocks blocks(whole(bucket).count, cuts);
  if (even_) return blocks.extra == 0;
  const double heaviest = heaviest_block(bucket, cuts);
  for (int b = 0; b < cuts; ++b)
    if (std::abs(bytes(bucket, blocks.range(b)) - heaviest) > 1e-12 * heaviest) return false;
  return true;
}

bool WireWeight::proportional(int bucket) const {
  if (even_) return true;
  const std::int64_t begin = firsts_[static_cast<std::size_t>(bucket)];
  const std::size_t first = tensor_at(begin), last = tensor_at(begin + whole(bucket).count - 1);
  const bool compressed = starts_[first].compressed;
  for (std::size_t t = first; t <= last; ++t)
    if (starts_[t].compressed != compressed) return false;
  return !compressed || overhead_ == 0;
}

void WireWeight::parts(int bucket, Range range, Parts& into) const {
  into.runs.clear();
  into.overhead_bytes = 0;
  if (even_ || range.count == 0) {
    into.runs.push_back({{0, range.count}, true});
    return;
  }
  const std::int64_t begin = firsts_[static_cast<std::size_t>(bucket)] + range.first, end = begin + range.count;
  for (std::size_t t = tensor_at(begin); starts_[t].element < end; ++t) {
    const bool compressed = starts_[t].compressed;
    const std::int64_t from = std::max(begin, starts_[t].element), to = std::min(end, starts_[t + 1].element);
    if (compressed) into.overhead_bytes += overhead_;
    if (into.runs.empty() || into.runs.back().compressed != compressed)
      into.runs.push_back({{from - begin, 0}, compressed});
    into.runs.back().elements.count += to - from;
  }
}

} // namespace gradflight
