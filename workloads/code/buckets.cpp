#include "workloads/code/buckets.hpp"

#include <algorithm>
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

/// The order in which the backward pass makes them: last layer first, and within a layer the last tensor first.
std::vector<Gradient> gradient_order(const Workload& workload) {
  std::vector<Gradient> order;
  for (int index = static_cast<int>(workload.layers.size()) - 1; index >= 0; --index) {
    const std::vector<Tensor>& tensors = workload.layers[static_cast<std::size_t>(index)].tensors;
    for (auto tensor = tensors.rbegin(); tensor != tensors.rend(); ++tensor) {
      if (tensor->elements < 1) throw std::invalid_argument("tensor '" + tensor->name + "' has no elements");
      order.push_back({&*tensor, index});
    }
  }
  if (order.empty()) throw std::invalid_argument("the workload has no tensors, so there is nothing to exchange");
  return order;
}

/// Adds elements of the gradient to the bucket. Later gradients belong to earlier layers, so the last one added decides
/// when the bucket is ready, and it is also the one that the next forward pass needs first.
void add(Bucket& bucket, const Gradient& gradient, std::int64_t elements) {
  if (bucket.tensors == 0) bucket.last_use = gradient.layer;
  bucket.elements += elements;
  ++bucket.tensors;
  bucket.ready_layer = gradient.layer;
  bucket.first_use = gradient.layer;
}

/// Whole consecutive gradients; `closes(bucket, n)` says whether the n-th bucket is full.
template <class Closes>
std::vector<Bucket> group(const std::vector<Gradient>& gradients, const std::string& prefix, Closes closes) {
  std::vector<Bucket> buckets;
  Bucket open;
  for (const Gradient& gradient : gradients) {
    add(open, gradient, gradient.tensor->elements);
    if (!closes(open, buckets.size())) continue;
    open.name = prefix + std::to_string(buckets.size());
    buckets.push_back(std::exchange(open, {}));
  }
  if (open.tensors > 0) {
    open.name = prefix + std::to_string(buckets.size());
    buckets.push_back(open);
  }
  return buckets;
}

std::vector<Bucket> cut(const std::vector<Gradient>& gradients, std::int64_t total, int segments) {
  if (segments < 1) throw std::invalid_argument("a model is cut into at least 1 segment");
  if (segments > total)
    throw std::invalid_argument(std::to_string(segments) + " segments, but the model has only " +
                                std::to_string(total) + " elements");
  std::vector<Bucket> buckets(static_cast<std::size_t>(segments));
  auto gradient = gradients.begin();
  std::int64_t left = gradient->tensor->elements; // of this gradient, not yet in a segment
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

/// A vector for each layer with tensors, named after it.
std::vector<Bucket> by_layer(const Workload& workload, const std::vector<Gradient>& gradients) {
  std::vector<Bucket> buckets;
  for (const Gradient& gradient : gradients) {
    if (buckets.empty() || buckets.back().ready_layer != gradient.layer)
      buckets.push_back({.name = workload.layers[static_cast<std::size_t>(gradient.layer)].name});
    add(buckets.back(), gradient, gradient.tensor->elements);
  }
  return buckets;
}

double bytes(const Bucket& bucket) { return dense_bytes(bucket.elements); }

} // namespace

std::vector<Bucket> make_buckets(const Workload& workload, const Granularity& granularity) {
  const std::vector<Gradient> gradients = gradient_order(workload);
  if (!(granularity.bytes >= 0) || !(granularity.first_bytes >= 0))
    throw std::invalid_argument("a bucket size must be a number of bytes, zero or more");
  switch (granularity.kind) {
  case Granularity::Kind::model: {
    std::vector<Bucket> buckets = group(gradients, "", [](const Bucket&, std::size_t) { return false; });
    buckets.front().name = "model";
    return buckets;
  }
  case Granularity::Kind::tensor: {
    std::vector<Bucket> buckets = group(gradients, "", [](const Bucket&, std::size_t) { return true; });
    for (std::size_t i = 0; i < buckets.size(); ++i) buckets[i].name = gradients[i].tensor->name;
    return buckets;
  }
  case Granularity::Kind::fusion:
    return group(gradients, "fused",
                 [&](const Bucket& bucket, std::size_t) { return bytes(bucket) > granularity.bytes; });
  case Granularity::Kind::ddp: // torch/csrc/distributed/c10d/reducer.cpp, compute_bucket_assignment_by_size
    return group(gradients, "bucket", [&](const Bucket& bucket, std::size_t index) {
      return bytes(bucket) >= (index == 0 ? granularity.first_bytes : granularity.bytes);
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
    throw std::invalid_argument("chosen chunks are exchanged together, or fused up to a size");
  const std::vector<Gradient> gradients = gradient_order(workload);
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
    open = !fused || bytes(buckets.back()) <= granularity.bytes;
  }
  Bucket norms{.name = "norms", .elements = (total + chunk_elements - 1) / chunk_elements};
  norms.norms = true;
  norms.ready_layer = norms.first_use = norms.last_use = gradients.back().layer;
  buckets.push_back(std::move(norms));
  return buckets;
}

} // namespace gradflight
