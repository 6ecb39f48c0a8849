// A node as NCCL's topology detection sees it: GPUs, their links, NICs and distances.
//
// Rates are those of NCCL's search and tuning, in GB/s of 10^9 bytes one way. They are below a link's line rate: an
// NVLink of 25 GB/s counts 20, 100 Gbit/s of network 12. All nodes of a communicator are alike and have the same GPUs
// in it. Facts: NCCL 2.30.7 (Apache-2.0), src/graph/topo.h, topo.cc, paths.cc.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gradflight::nccl {

/// Generations of GPUs: compute capability 6, 7, 8, 9, 10.
enum class Generation : std::uint8_t { pascal, volta, ampere, hopper, blackwell };

/// Vendors of CPUs that the tables distinguish.
enum class Vendor : std::uint8_t { intel, amd, arm, power };

/// GB/s of one NVLink, one way: 18 (Pascal), 20 (Volta, Ampere), 20.6 (Hopper), 40.1 (Blackwell).
double nvlink_rate(Generation generation);

/// GB/s of a PCIe link: 12 for 16 lanes of generation 3, doubled for each later generation.
double pcie_rate(int generation, int lanes = 16);

/// GB/s of a network with this many Gbit/s: 12 per 100.
constexpr double network_rate(double gbit_per_s) { return gbit_per_s * 0.12; }

/// Bytes on the links per byte of a message between nodes: a network of 12.5 GB/s carries 12. All links of the
/// message's route carry them, also those between GPU and NIC.
inline constexpr double network_bytes = 12.5 / 12;

struct Gpu {
  int device = -1; ///< number in the whole node, by which GPUs share NICs; -1: its index in Machine::gpus
  int socket = 0;
  int pcie_switch = -1;  ///< index in Machine::pcie_switches; -1: directly at the socket's root
  double pcie_rate = 24; ///< of its slot
  double c2c_rate = 0;   ///< coherent link to its socket's CPU (Grace); 0: none
  bool operator==(const Gpu&) const = default;
};

struct PcieSwitch {
  int socket = 0;
  double rate = 24; ///< of its upward link, shared by all devices below
  bool operator==(const PcieSwitch&) const = default;
};

struct Nic {
  double rate = 24;      ///< of its port
  double latency_us = 0; ///< from its plug-in; 0 if unknown
  int socket = 0;
  int pcie_switch = -1;
  double pcie_rate = 0; ///< of its slot; 0: at least that of its port
  bool operator==(const Nic&) const = default;
};

struct Machine {
  Generation generation = Generation::ampere;
  std::vector<Gpu> gpus{};  ///< of a node; only those of the communicator
  int switch_links = 0;     ///< NVLinks of each GPU to the NVSwitch; 0: no NVSwitch
  std::vector<int> links{}; ///< NVLinks between GPUs i and j at i * gpus + j; empty: none
  double nvlink = 0;        ///< GB/s of an NVLink if it differs from nvlink_rate(generation)
  std::vector<PcieSwitch> pcie_switches{};
  double socket_rate = 10; ///< GB/s between two sockets
  Vendor vendor = Vendor::intel;
  std::vector<Nic> nics{}; ///< of a node
  int nodes = 1;
  bool gpudirect = true; ///< NICs access GPU memory directly; otherwise all data pass host memory
  bool nvls = true;      ///< NVSwitch multicast is allowed (from Hopper on)
  bool collnet = false;  ///< the network reduces (SHARP)
  bool pxn = true;       ///< a GPU may send through another GPU's NIC
  /// Bytes on the cable; larger messages first ask their receiver (Slingshot's rendezvous). NCCL does not know of it.
  double eager_limit = std::numeric_limits<double>::infinity();
  bool operator==(const Machine&) const = default;

  [[nodiscard]] int gpu_count() const { return static_cast<int>(gpus.size()); }
  [[nodiscard]] int ranks() const { return nodes * gpu_count(); }
  [[nodiscard]] double link_rate() const { return nvlink > 0 ? nvlink : nvlink_rate(generation); }
};

/// `count` GPUs, with `links_per_pair` NVLinks between each pair.
std::vector<int> mesh_links(int count, int links_per_pair);

/// Whether the node is alone, and equally many links join each two of its GPUs.
bool is_full_mesh(const Machine& machine);

/// The same node with only these of its GPUs, in this order. NICs stay. Throws std::out_of_range.
Machine with_gpus(const Machine& machine, std::span<const int> gpus);

/// Returns what is wrong with it, a sentence each; if empty, it can be searched.
std::vector<std::string> mistakes_of(const Machine& machine);

} // namespace gradflight::nccl
