// How NCCL cuts a call into channels, loops, chunks and slices; a simulation moves these.
//
// Facts: NCCL 2.30.7 (Apache-2.0), src/enqueue.cc, src/include/collectives.h, src/include/device.h.
#pragma once

#include "models/nccl/tuning.hpp"

#include <vector>

namespace gradflight::nccl {

/// Bytes on the wire per byte of data: LL sends a flag with each 4 bytes, LL128 with each 120.
constexpr double wire_factor(Protocol p) {
  return p == Protocol::ll ? 2.0 : p == Protocol::ll128 ? 128.0 / 120.0 : 1.0;
}

/// The work of one channel.
struct ChannelShape {
  double bytes = 0; ///< of the call's vector (all-gather, reduce-scatter: of one rank's block)
  double chunk = 0; ///< largest number of data bytes that a rank passes on in a step
  int loops = 0;
};

struct Shape {
  std::vector<ChannelShape> channels{}; ///< only channels with data
  int chunks_per_loop = 1;  ///< ring of all-reduce, all-gather, reduce-scatter: one per rank; NVLS: one per head
  int slices_per_chunk = 1; ///< the next rank waits for a slice, not for the whole chunk
  int chunks_in_buffer = 8; ///< number of chunks that a sender may be ahead of its receiver
};

/// `choice` belongs to the same call. Sizes as in tuning.hpp; 0 bytes move nothing.
Shape shape_of(const Tuning& tuning, Operation op, double bytes, const Choice& choice);

} // namespace gradflight::nccl
