// What a call of NCCL or RCCL costs besides the links' own bytes: times of hops, bytes of protocols, rates of threads.
#pragma once

#include "models/collectives/hop_cost.hpp"
#include "models/nccl/graph.hpp"
#include "models/nccl/machine.hpp"
#include "models/nccl/tuning.hpp"

namespace gradflight {

/// Returns the seconds of a call before its first message.
double base_seconds(nccl::Library library, nccl::Algorithm a, nccl::Protocol p);

/// Returns the seconds of a hop inside a node and between nodes, from RCCL's table. Its 320 us for Simple in rings
/// between nodes only keep RCCL from choosing them; no hop takes that long, so this uses the tree's time for both.
HopCosts rccl_hop_times(const nccl::Graph& graph, nccl::Algorithm a, nccl::Protocol p);

/// Returns the seconds of a hop inside a node and between nodes.
HopCosts hop_times(const nccl::Machine& machine, const nccl::Graph& graph, nccl::Algorithm a, nccl::Protocol p);

/// Returns what the threads of a channel carry in GB/s. A thread of LL moves a line of 8 bytes of data, then waits for
/// the next one.
double ll_rate(int threads);

/// The threads of a call's channels carry at most `rate` GB/s of data together on a link.
void limit_to_threads(HopCost& hop, double rate);

/// Sets the protocol's own bytes on the links per byte of data, and what its channels carry.
void set_rates(const nccl::Machine& machine, const nccl::Graph& graph, int channels, int threads, nccl::Protocol p,
               HopCosts& hops);

/// Like set_rates() for RCCL. Its tables give LL a share of the links' rate, by which it chooses. A message of LL has
/// lines like NCCL's.
void set_rccl_rates(const nccl::Machine& machine, const nccl::Graph& graph, int channels, int threads, nccl::Protocol p,
                    HopCosts& hops);

/// Sets the time that a slice takes from its channel's threads. Inside a node, they write it into their neighbour's
/// memory: a fixed time of Simple's primitives passes before its bytes; their own rate does not slow these
/// (set_rates). Towards a NIC, they first write all of it into a buffer, from which the NIC then fetches it.
void occupy_threads(const nccl::Machine& machine, const nccl::Graph& graph, int channels, int threads, nccl::Protocol p,
                    HopCosts& hops);

/// Returns the rate at which a rank's threads copy received data in the last primitive of a ring's loop, which sends
/// nothing. Between nodes, threads of LL and LL128 copy lines as they arrive.
double copy_rate(const nccl::Machine& machine, int channels, nccl::Protocol p);

} // namespace gradflight
