// What the search over a machine's links finds: per pattern so many channels of one speed.
//
// Facts: NCCL 2.30.7 (Apache-2.0), src/include/graph.h, src/graph/search.cc, connect.cc.
#pragma once

#include <cstdint>
#include <vector>

namespace gradflight::nccl {

struct Machine;

/// How far a path goes, nearest first.
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
  std::vector<int> gpus; ///< of a node in order; a ring closes inside a single node
  int nic_in = -1;       ///< by which it is entered; -1 on a single node
  int nic_out = -1;      ///< by which it is left
  double out_rate = 0;   ///< GB/s of the narrowest link from its last GPU to that NIC's port; 0 on a single node
};

struct Graph {
  Pattern pattern = Pattern::ring;
  std::vector<SearchedChannel> channels{};
  double intra = 0, inter = 0; ///< GB/s of each channel, inside a node and between nodes
  double latency_us = 0;       ///< of the NICs
  PathType intra_type = PathType::local, inter_type = PathType::local;
  bool same_channels = true; ///< all have one order
  int cross_nic = 0;         ///< 2: pairs of channels cross NICs, so that odd nodes swap them

  [[nodiscard]] int count() const { return static_cast<int>(channels.size()); }
};

struct Graphs {
  Graph ring, tree, nvls, collnet_direct, collnet_chain;
  int channels = 0;      ///< that calls of ring and tree may use; channel c has the order of c mod ring.count()
  int nvls_channels = 0; ///< of NVLS and NVLS tree; 0: not to be had
};

/// Rings, trees and the others of a machine in which mistakes_of finds none, of at least two ranks.
Graphs search(const Machine& machine);

} // namespace gradflight::nccl
