// Sends and receives: the number of channels, the channel of each message, and the size of chunks.
//
// All-to-all, gather, scatter and send/receive have no table of costs. They are sends and receives in one group.
// Facts: NCCL 2.30.7 (Apache-2.0), src/init.cc, src/enqueue.cc, src/graph/paths.cc.
#pragma once

#include "models/nccl/graph.hpp"
#include "models/nccl/machine.hpp"
#include "models/nccl/tuning.hpp"

#include <vector>

namespace gradflight::nccl {

inline constexpr int peers_in_batch = 8;       ///< peers that a channel serves at a time
inline constexpr double channel_net_rate = 14; ///< GB/s that NCCL assumes for a channel over the network

/// GB/s that a channel copies, for sent and received data together. Hopper: 48, the median of Simple's SEND and RECV in
/// chunks of 1 MiB (NPKit on a GH200, NCCL 2.20.5). Other generations were not measured: they are scaled by
/// channel_beside_hopper.
double channel_copy_rate(Generation generation);

/// The way of a message to another node.
struct PeerRoute {
  int sender = 0; ///< the GPU that sends it to the network
  int out = -1;   ///< the NIC by which it leaves
  int in = -1;    ///< the NIC by which it enters the peer's node
};

struct PeerPlan {
  int ranks = 0, nodes = 0;
  int channels = 0;       ///< for sends and receives, a power of two
  int most_per_peer = 1;  ///< number of channels, a power of two
  int least_per_peer = 1; ///< number of channels with which a send begins before it takes more
  double step = 0;        ///< largest chunk in bytes: 128 KiB over the network and PCIe, 512 KiB over NVLink alone
  int group = 1;          ///< ranks of a node that together meet another group of this size
  double nic_rate = 0;    ///< GB/s from a GPU to its NIC's port, for a message alone (mean over GPUs); 0 on one node
  int turns = 1;          ///< NICs of a GPU that its channels use in turn: channel c has turn c mod turns
  std::vector<PeerRoute> routes{}; ///< for each turn, GPU and peer; empty on one node

  [[nodiscard]] const PeerRoute& route(int turn, int gpu, int peer) const {
    const auto gpus = static_cast<std::size_t>(ranks / nodes);
    return routes[(static_cast<std::size_t>(turn) * gpus + static_cast<std::size_t>(gpu)) * gpus +
                  static_cast<std::size_t>(peer)];
  }
};

PeerPlan plan_peers(const Machine& machine, const Graphs& graphs);

struct PeerShape {
  int channels = 1;
  Protocol protocol = Protocol::simple;
  double part = 0;  ///< bytes per channel; the last channel has fewer
  double chunk = 0; ///< bytes of data per step
};

/// For a message of `bytes` > 0 to one peer. LL carries up to 16 KiB per channel inside a node.
PeerShape peer_shape(const PeerPlan& plan, double bytes, bool over_network);

/// Returns the channel of part `part` of a round's message. Round 0 is the rank itself.
int channel_of(const PeerPlan& plan, int round, int part);

} // namespace gradflight::nccl
