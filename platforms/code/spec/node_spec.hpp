// The inside of a machine, as a scenario's `node` describes it: GPUs and their links, PCIe, sockets, NICs. Values only;
// node_shape.hpp makes links and routes from it.
#pragma once

#include "platforms/code/spec/gpu_type.hpp"
#include "platforms/code/spec/link_spec.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace gradflight {

/// How the GPUs of a node reach each other.
enum class NodeFabric {
  nvswitch,    ///< all links of each GPU go to a switch that never blocks
  nvlink_mesh, ///< a cable for each pair, with equally many links, or as `pairs` says
  cube_mesh,   ///< the DGX-1's: two quads of fully connected GPUs, and four cables between them
  xgmi_mesh,   ///< like nvlink_mesh, with another name
  pcie         ///< only PCIe
};

/// Determines what the processors need for a NIC's message, as libraries count it.
enum class CpuVendor : std::uint8_t { intel, amd, arm, power };

/// A link inside a node; both directions are equal.
struct NodeLink {
  std::optional<ByteRate> bandwidth{}; ///< payload bytes per second and direction, > 0; absent: the GPU's own rate
  Seconds latency{};                   ///< one way, >= 0
  std::string source{};
};

/// `links` between two GPUs.
struct GpuPair {
  int a = 0, b = 0, links = 1;
};

struct NodeSpec {
  int gpus = 0; ///< 1 to max_gpus
  GpuType gpu{};
  NodeFabric intra = NodeFabric::pcie;
  /// nvswitch: GPU - switch (absent bandwidth: all links of the GPU). Meshes: the latency of a cable, and the bandwidth
  /// of one of its links (absent: of one link of the GPU).
  NodeLink link{};
  std::vector<GpuPair> pairs{}; ///< meshes: the joined pairs; empty: all pairs, with links / (gpus - 1) links each

  CpuVendor cpu = CpuVendor::intel;
  int sockets = 1;                ///< >= 1; GPUs and switches are assigned to them in blocks, or as gpu_sockets says
  std::vector<int> gpu_sockets{}; ///< for each GPU its socket, the same for all of a PCIe switch; empty: in blocks
  int gpus_per_switch = 0;        ///< GPUs per PCIe switch; 0: no switches, GPUs are at the sockets
  NodeLink pcie{}; ///< GPU - its PCIe switch, or its socket; absent bandwidth: the GPU's rate to the host
  std::optional<NodeLink> switch_uplink{}; ///< PCIe switch - socket; absent: as `pcie`
  std::optional<NodeLink> socket_link{};   ///< between each two sockets; absent: no route between them
  bool peer_to_peer = true;                ///< false: PCIe traffic between GPUs is copied through host memory
  bool gpudirect = true;                   ///< false: data that a NIC sends or receives are copied through host memory

  int nics = 1;   ///< >= 1; GPU g uses NIC g * nics / gpus; with more NICs than GPUs, all k with k * gpus / nics = g
  LinkSpec nic{}; ///< the cable of one NIC
  std::optional<ByteRate> nic_total{}; ///< limit on a NIC's two directions together, > 0; absent: only the cable limits
  std::optional<Bytes> eager_limit{};  ///< on a NIC cable, for GPU libraries: rendezvous beyond it; absent: never
  std::string nic_source{};
  std::vector<std::vector<int>> near{}; ///< for each GPU its NICs; empty: as above
  std::vector<int> nic_seats{};         ///< for each NIC its PCIe switch, or its socket where there are no switches;
                                        ///< empty: where the first GPU is that uses it
  NodeLink host_memory{};               ///< of a socket: bytes copied through it per second; only copies use it

  bool rails = false;               ///< NIC k of every node is on its own switch k
  double rail_oversubscription = 1; ///< star: rail - spine has nodes * nic.bandwidth divided by this
  bool nvls = false;                ///< the NVSwitch reduces and multicasts
  bool sharp = false;               ///< the network's switch reduces
  std::string source{};

  static constexpr int max_gpus = 1024;

  [[nodiscard]] int switches() const { return gpus_per_switch > 0 ? (gpus - 1) / gpus_per_switch + 1 : 0; }
  [[nodiscard]] bool mesh() const { return intra != NodeFabric::nvswitch && intra != NodeFabric::pcie; }
  /// Whether any data are copied through host memory.
  [[nodiscard]] bool copies() const { return !gpudirect || !peer_to_peer; }
};

/// Returns the cables of a mesh: `pairs`, or those that the kind of mesh implies for this many GPUs and links. Empty if
/// the links do not suffice.
std::vector<GpuPair> mesh_pairs(const NodeSpec& node);

/// Returns the NICs that each GPU uses, by `near` or the rule.
std::vector<std::vector<int>> nics_of_gpus(const NodeSpec& node);

} // namespace gradflight
