// Granularity: how a workload's gradients are split or fused into the vectors that collectives exchange.
#pragma once

#include "workloads/code/workload.hpp"

#include <cstddef>

namespace gradflight {

/// model: one vector. tensor: one per tensor. layer: one per layer with tensors. fusion: consecutive tensors in
/// gradient order until the group's size exceeds `bytes` (GradientFlow's lazy all-reduce). ddp: PyTorch's buckets,
/// first 1 MiB, then `bytes`. segments: the model's vector divided into `segments` equal parts (Pipe-SGD Eq. 6).
struct Granularity {
  enum class Kind { model, tensor, fusion, ddp, segments, layer } kind = Kind::model;
  double bytes = 0;
  double first_bytes = 1024 * 1024; ///< ddp only
  int segments = 1;
};

/// One vector to exchange. Buckets are in the order in which they become ready (last layer first).
struct Bucket {
  std::string name;
  std::int64_t elements = 0;
  int tensors = 0;     ///< tensors with at least one element in it; for chosen chunks: number of chunks
  int ready_layer = 0; ///< the bucket is ready when the backward pass of this layer (index in forward order) has ended
  int first_use = 0;   ///< the first layer, in forward order, that needs its result
  int last_use = 0;    ///< the last such layer; its backward pass is the first of all
  bool norms = false;  ///< one float per chunk instead of gradients; follows all buckets of gradients
  Element element = Element::fp32; ///< type of all its elements: no vector mixes types

  [[nodiscard]] int width() const { return width_of(element); } ///< bytes of an element
  [[nodiscard]] double bytes() const { return dense_bytes(elements, width()); }
};

/// Returns at least one bucket; their elements sum to workload.elements(). Tensors of different element types are in
/// separate vectors, as in PyTorch. Throws std::invalid_argument on an empty workload, and for segments of several
/// element types.
std::vector<Bucket> make_buckets(const Workload& workload, const Granularity& granularity);

/// Returns buckets for GradientFlow's chunks (Sec. 3.2). The pool of all gradients in gradient order is divided into
/// chunks of `chunk_elements` (the last may be shorter). Only the chosen ones are exchanged, then the norms of all. A
/// chunk is ready when its last gradient is. Granularity model: one bucket for all chosen chunks. Granularity fusion:
/// consecutive ones until their size exceeds `bytes`. The last bucket contains the norms. Throws std::invalid_argument
/// if the workload is empty or has several element types, if no chunk is chosen, and on another granularity.
std::vector<Bucket> make_chunk_buckets(const Workload& workload, const Granularity& granularity,
                                       std::int64_t chunk_elements, const std::vector<std::size_t>& chosen);

} // namespace gradflight
