#include "workloads/code/buckets.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

namespace gradflight {
namespace {

struct Gradient {
  const Tensor* tensor;
  int layer;
};

/// The order in which the backward pass computes gradients: last layer first, and the last tensor of a layer first.
std::vector<Gradient> gradient_order(const Workload& workload) {
  std::vector<Gradient> order;
  for (int index = static_cast<int>(workload.layers.size()) - 1; index >= 0; --index) {
    const std::vector<Tensor>& tensors = workload.layers[static_cast<std::size_t>(index)].tensors;
    for (auto tensor = tensors.rbegin(); tensor != tensors.rend(); ++tensor) {
      if (tensor->elements < 1) throw std::invalid_argument("tensor '" + tensor->name + "' has no elements");
      order.push_back({&*tensor, index});
    }
  }
  if (order.empty()) throw std::invalid_argument("the workload has no tensors to exchange");
  return order;
}

/// Adds elements of the gradient to the bucket. Later gradients belong to earlier layers. So the last added gradient
/// decides when the bucket is ready; the next forward pass also needs it first.
void add(Bucket& bucket, const Gradient& gradient, std::int64_t elements) {
  if (bucket.tensors == 0) bucket.last_use = gradient.layer;
  bucket.elements += elements;
  bucket.element = gradient.tensor->element;
  ++bucket.tensors;
  bucket.ready_layer = gradient.layer;
  bucket.first_use = gradient.layer;
}

/// Groups whole consecutive gradients, separately for each element type. `closes(bucket, n)` says whether the n-th
/// bucket of its type is full.
template <class Closes>
std::vector<Bucket> group(const std::vector<Gradient>& gradients, const std::string& prefix, Closes closes) {
  struct Open {
    Bucket bucket;
    /// Number of closed buckets of this type; position of the last gradient in the order.
    std::size_t closed = 0, last = 0;
  };
  std::array<Open, elements_by_name.size()> open;
  // With the position of their last gradient, which decides when they are ready.
  std::vector<std::pair<std::size_t, Bucket>> ended;
  const auto end = [&](Open& of) {
    ended.emplace_back(of.last, std::exchange(of.bucket, {}));
    ++of.closed;
  };
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    Open& of = open[static_cast<std::size_t>(gradients[i].tensor->element)];
    add(of.bucket, gradients[i], gradients[i].tensor->elements);
    of.last = i;
    if (closes(of.bucket, of.closed)) end(of);
  }
  for (Open& of : open)
    if (of.bucket.tensors > 0) end(of);
  std::ranges::sort(ended, {}, [](const auto& bucket) { return bucket.first; });
  std::vector<Bucket> buckets;
  for (auto& [last, bucket] : ended) {
    bucket.name = prefix + std::to_string(buckets.size());
    buckets.push_back(std::move(bucket));
  }
  return buckets;
}

void check_one_type(const std::vector<Gradient>& gradients) {
  const auto other = std::ranges::find_if(
      gradients, [&](const Gradient& g) { return g.tensor->element != gradients.front().tensor->element; });
  if (other != gradients.end())
    throw std::invalid_argument("one vector cannot hold tensors of different types: " +
                                std::string(name_of(gradients.front().tensor->element)) + " and " +
                                std::string(name_of(other->tensor->element)));
}

std::vector<Bucket> cut(const std::vector<Gradient>& gradients, std::int64_t total, int segments) {
  check_one_type(gradients);
  if (segments < 1) throw std::invalid_argument("a model needs at least 1 segment");
  if (segments > total)
    throw std::invalid_argument(std::to_string(segments) + " segments, but the model has only " +
                                std::to_string(total) + " elements");
  std::vector<Bucket> buckets(static_cast<std::size_t>(segments));
  auto gradient = gradients.begin();
  std::int64_t left = gradient->tensor->elements; // elements of this gradient that are not in a segment yet
  for (int i = 0; i < segments; ++i) {
    Bucket& bucket = buckets[static_cast<std::size_t>(i)];
    bucket.name = "segment" + std::to_string(i);
    std::int64_t room = total / segments + (i < total % segments ? 1 : 0);
    while (room > 0) {
      if (left == 0) left = (++gradient)->tensor->elements;
      const std::int64_t taken = std::min(room, left);
      add(bucket, *gradient, taken);
      room -= taken;
      left -= taken;
    }
  }
  return buckets;
}

/// One vector for each layer with tensors (one per element type), named after the layer.
std::vector<Bucket> by_layer(const Workload& workload, const std::vector<Gradient>& gradients) {
  std::vector<Bucket> buckets;
  std::size_t first = 0; // index of this layer's first bucket
  for (const Gradient& gradient : gradients) {
    if (buckets.empty() || buckets.back().ready_layer != gradient.layer) first = buckets.size();
    const auto same = std::find_if(buckets.begin() + static_cast<std::ptrdiff_t>(first), buckets.end(),
                                   [&](const Bucket& bucket) { return bucket.element == gradient.tensor->element; });
    if (same != buckets.end()) {
      add(*same, gradient, gradient.tensor->elements);
      continue;
    }
    buckets.push_back({.name = workload.layers[static_cast<std::size_t>(gradient.layer)].name});
    if (buckets.size() > first + 1) buckets.back().name += "." + std::string(name_of(gradient.tensor->element));
    add(buckets.back(), gradient, gradient.tensor->elements);
  }
  return buckets;
}

} // namespace

std::vector<Bucket> make_buckets(const Workload& workload, const Granularity& granularity) {
  const std::vector<Gradient> gradients = gradient_order(workload);
  if (!(granularity.bytes >= 0) || !(granularity.first_bytes >= 0))
    throw std::invalid_argument("a bucket size must be at least 0 bytes");
  switch (granularity.kind) {
  case Granularity::Kind::model: {
    std::vector<Bucket> buckets = group(gradients, "", [](const Bucket&, std::size_t) { return false; });
    for (Bucket& bucket : buckets)
      bucket.name = buckets.size() == 1 ? "model" : "model." + std::string(name_of(bucket.element));
    return buckets;
  }
  case Granularity::Kind::tensor: {
    std::vector<Bucket> buckets = group(gradients, "", [](const Bucket&, std::size_t) { return true; });
    for (std::size_t i = 0; i < buckets.size(); ++i) buckets[i].name = gradients[i].tensor->name;
    return buckets;
  }
  case Granularity::Kind::fusion:
    return group(gradients, "fused",
                 [&](const Bucket& bucket, std::size_t) { return bucket.bytes() > granularity.bytes; });
  case Granularity::Kind::ddp: // torch/csrc/distributed/c10d/reducer.cpp, compute_bucket_assignment_by_size
    return group(gradients, "bucket", [&](const Bucket& bucket, std::size_t index) {
      return bucket.bytes() >= (index == 0 ? granularity.first_bytes : granularity.bytes);
    });
  case Granularity::Kind::layer: return by_layer(workload, gradients);
  case Granularity::Kind::segments: return cut(gradients, workload.elements(), granularity.segments);
  }
  throw std::invalid_argument("unknown granularity");
}

std::vector<Bucket> make_chunk_buckets(const Workload& workload, const Granularity& granularity,
                                       std::int64_t chunk_elements, const std::vector<std::size_t>& chosen) {
  const bool fused = granularity.kind == Granularity::Kind::fusion;
  if (chosen.empty() || chunk_elements < 1 || (!fused && granularity.kind != Granularity::Kind::model))
    throw std::invalid_argument("chosen chunks need the granularity of the whole model or a fusion threshold");
  const std::vector<Gradient> gradients = gradient_order(workload);
  check_one_type(gradients);
  const std::int64_t total = workload.elements();
  std::vector<Bucket> buckets;
  auto gradient = gradients.begin();
  std::int64_t gradient_end = gradient->tensor->elements;
  bool open = false;
  for (const std::size_t chunk : chosen) {
    const std::int64_t begin = static_cast<std::int64_t>(chunk) * chunk_elements;
    const std::int64_t end = std::min(total, begin + chunk_elements);
    while (gradient_end < end) gradient_end += (++gradient)->tensor->elements;
    if (!open) buckets.push_back({.name = fused ? "chunks" + std::to_string(buckets.size()) : "chunks"});
    add(buckets.back(), *gradient, end - begin);
    open = !fused || buckets.back().bytes() <= granularity.bytes;
  }
  Bucket norms{.name = "norms", .elements = (total + chunk_elements - 1) / chunk_elements};
  norms.norms = true;
  norms.ready_layer = norms.first_use = norms.last_use = gradients.back().layer;
  buckets.push_back(std::move(norms));
  return buckets;
}

} // namespace gradflight
