// How NCCL cuts a call into channels, loops, chunks and slices: what a simulation moves.
//
// Facts: NCCL 2.30.7 (Apache-2.0), src/enqueue.cc, src/include/collectives.h, src/include/device.h.
#pragma once

#include "models/nccl/tuning.hpp"

#include <vector>

namespace gradflight::nccl {

/// Bytes on the wire for a byte of data: LL sends a flag beside each 4 bytes, LL128 beside each 120.
constexpr double wire_factor(Protocol p) {
  return p == Protocol::ll ? 2.0 : p == Protocol::ll128 ? 128.0 / 120.0 : 1.0;
}

/// What one channel does.
struct ChannelShape {
  double bytes = 0; ///< of the call's vector (all-gather, reduce-scatter: of one rank's block)
  double chunk = 0; ///< bytes of data that a rank passes on in a step, at most
  int loops = 0;
  double last_chunk = 0; ///< in the last loop
};

struct Shape {
  std::vector<ChannelShape> channels{}; ///< those that carry something
  int chunks_per_loop = 1;  ///< ring of all-reduce, all-gather, reduce-scatter: one for each rank; NVLS: for each head
  int steps_per_loop = 1;   ///< that a rank takes part in: ring all-reduce 2(R-1)
  int slices_per_chunk = 1; ///< the next rank waits for a slice, not for the chunk
  int chunks_in_buffer = 8; ///< a sender runs so many chunks ahead of its receiver
};

/// `choice` is of the same call. Sizes as in tuning.hpp; nothing is moved for 0 bytes.
Shape shape_of(const Tuning& tuning, Operation op, double bytes, const Choice& choice);

} // namespace gradflight::nccl
