// The result of the search over a machine's links: for each pattern a number of channels of one speed.
//
// Facts: NCCL 2.30.7 (Apache-2.0), src/include/graph.h, src/graph/search.cc, connect.cc.
#pragma once

#include <cstdint>
#include <vector>

namespace gradflight::nccl {

struct Machine;

/// The kind of a path, nearest first.
enum class PathType : std::uint8_t {
  local,
  nvlink,
  nvlink_bridge, ///< by way of another GPU
  c2c,
  pcie_switch,   ///< one PCIe bridge ("PIX")
  pcie_switches, ///< several, not the CPU ("PXB")
  c2c_nic,       ///< C2C to the CPU, PCIe to the NIC ("P2C")
  pxn,           ///< NVLink to the GPU at the NIC
  host,          ///< the CPU's PCIe root ("PHB")
  sockets,       ///< the link between sockets ("SYS")
  none
};

enum class Pattern : std::uint8_t { ring, balanced_tree, tree, nvls, collnet_direct };

inline constexpr int most_channels = 64;
inline constexpr double kib = 1024; ///< bytes

struct SearchedChannel {
  std::vector<int> gpus; ///< GPUs of a node in order; a ring closes if there is only one node
  int nic_in = -1;       ///< the NIC by which the channel enters; -1 on a single node
  int nic_out = -1;      ///< the NIC by which it leaves
  int relay = -1;        ///< of a ring: the GPU that sends its last GPU's data over nic_out (PXN); -1: the last itself
  /// GB/s at which that NIC can send data of the channels: the rate of its port, or what the links from the GPU leave
  /// it beside the other channels' messages. 0 on a single node.
  double out_rate = 0;
};

struct Graph {
  Pattern pattern = Pattern::ring;
  std::vector<SearchedChannel> channels{};
  double intra = 0, inter = 0; ///< GB/s of each channel, inside a node and between nodes
  double latency_us = 0;       ///< of the NICs
  PathType intra_type = PathType::local, inter_type = PathType::local;
  bool same_channels = true; ///< all channels have one order
  int cross_nic = 0;         ///< 2: pairs of channels cross NICs, so odd nodes swap them

  [[nodiscard]] int count() const { return static_cast<int>(channels.size()); }
};

struct Graphs {
  Graph ring, tree, nvls, collnet_direct, collnet_chain;
  int channels = 0;      ///< channels that ring and tree calls may use; channel c has the order of c mod ring.count()
  int nvls_channels = 0; ///< of NVLS and NVLS tree; 0: not available
};

/// Returns rings, trees and the other graphs of a machine without mistakes_of, with at least two ranks.
Graphs search(const Machine& machine);

} // namespace gradflight::nccl
