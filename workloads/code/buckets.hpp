// Granularity: how a workload's gradients are cut or fused into the vectors that collectives exchange.
#pragma once

#include "workloads/code/workload.hpp"

#include <cstddef>

namespace gradflight {

/// model: one vector. tensor: one per tensor. layer: one per layer that has any. fusion: consecutive tensors in
/// gradient order until the group's size exceeds `bytes` (GradientFlow's lazy all-reduce). ddp: PyTorch's buckets,
/// first 1 MiB, then `bytes`. segments: the model's vector cut into `segments` equal parts (Pipe-SGD Eq. 6).
struct Granularity {
  enum class Kind { model, tensor, fusion, ddp, segments, layer } kind = Kind::model;
  double bytes = 0;
  double first_bytes = 1024 * 1024; ///< ddp only
  int segments = 1;
};

/// One vector to exchange. Buckets come in the order in which they become ready (last layer first).
struct Bucket {
  std::string name;
  std::int64_t elements = 0;
  int tensors = 0;                 ///< tensors with at least one element in it; of chosen chunks: the chunks
  int ready_layer = 0;             ///< ready when the backward pass of this layer (index in forward order) has ended
  int first_use = 0;               ///< the first layer, in forward order, that needs its result
  int last_use = 0;                ///< the last one, which its backward pass begins with
  bool norms = false;              ///< one float for each chunk instead of gradients, after all of these
  Element element = Element::fp32; ///< of all its elements: no vector mixes types

  [[nodiscard]] int width() const { return width_of(element); } ///< bytes of an element
  [[nodiscard]] double bytes() const { return dense_bytes(elements, width()); }
};

/// At least one bucket; elements sum to workload.elements(). Tensors of other element types form vectors of their own,
/// as PyTorch's do. Throws std::invalid_argument on an empty workload, and for segments of several element types.
std::vector<Bucket> make_buckets(const Workload& workload, const Granularity& granularity);

/// GradientFlow's chunks (Sec. 3.2): the pool of all gradients in gradient order is cut into chunks of `chunk_elements`
/// (the last may be shorter), and the chosen ones alone are exchanged, then the norms of all. A chunk is ready when its
/// last gradient is. Granularity model: one bucket for all chosen chunks; fusion: consecutive ones until their size
/// exceeds `bytes`; the last bucket is the norms'. Throws std::invalid_argument on an empty workload or one of several
/// element types, on no chosen chunk and on another granularity.
std::vector<Bucket> make_chunk_buckets(const Workload& workload, const Granularity& granularity,
                                       std::int64_t chunk_elements, const std::vector<std::size_t>& chosen);

} // namespace gradflight
