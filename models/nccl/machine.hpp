// A node as NCCL's detection of the topology sees it: GPUs, what joins them, NICs and which is near which.
//
// Rates are those that NCCL's search and tuning use, in GB/s of 10^9 bytes one way: less than a link's line rate (an
// NVLink of 25 GB/s counts 20, 100 Gbit/s of network 12). Every node of a communicator is alike and has the same GPUs
// in it. Facts: NCCL 2.30.7 (Apache-2.0), src/graph/topo.h, topo.cc, paths.cc.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gradflight::nccl {

/// Of GPUs: compute capability 6, 7, 8, 9, 10.
enum class Generation : std::uint8_t { pascal, volta, ampere, hopper, blackwell };

/// Of CPUs, as far as the tables tell them apart.
enum class Vendor : std::uint8_t { intel, amd, arm, power };

/// GB/s of one NVLink, one way: 18 (Pascal), 20 (Volta, Ampere), 20.6 (Hopper), 40.1 (Blackwell).
double nvlink_rate(Generation generation);

/// GB/s of a PCIe link: 12 for 16 lanes of generation 3, twice that for each further one.
double pcie_rate(int generation, int lanes = 16);

/// GB/s of so many Gbit/s of network: 12 per 100.
constexpr double network_rate(double gbit_per_s) { return gbit_per_s * 0.12; }

struct Gpu {
  int device = -1; ///< its number in the whole node, by which GPUs share NICs out; -1: its place in Machine::gpus
  int socket = 0;
  int pcie_switch = -1;  ///< of Machine::pcie_switches; -1: at the socket's own root
  double pcie_rate = 24; ///< of its slot
  double c2c_rate = 0;   ///< coherent link to its socket's CPU (Grace); 0: none
  bool operator==(const Gpu&) const = default;
};

struct PcieSwitch {
  int socket = 0;
  double rate = 24; ///< of its way up, which all below it share
  bool operator==(const PcieSwitch&) const = default;
};

struct Nic {
  double rate = 24;      ///< of its port
  double latency_us = 0; ///< as its plug-in tells; 0 where it tells none
  int socket = 0;
  int pcie_switch = -1;
  double pcie_rate = 0; ///< of its slot; 0: no less than its port
  bool operator==(const Nic&) const = default;
};

struct Machine {
  Generation generation = Generation::ampere;
  std::vector<Gpu> gpus{};  ///< of a node, those of the communicator only
  int switch_links = 0;     ///< NVLinks of each GPU to the NVSwitch; 0: there is none
  std::vector<int> links{}; ///< NVLinks between GPUs i and j at i * gpus + j; empty: none
  double nvlink = 0;        ///< GB/s of an NVLink where it is not nvlink_rate(generation)
  std::vector<PcieSwitch> pcie_switches{};
  double socket_rate = 10; ///< GB/s between two sockets
  Vendor vendor = Vendor::intel;
  std::vector<Nic> nics{}; ///< of a node
  int nodes = 1;
  bool gpudirect = true; ///< NICs reach GPUs' memory; else all goes through the host's
  bool nvls = true;      ///< multicast of the NVSwitch may be used (Hopper on)
  bool collnet = false;  ///< the network reduces (SHARP)
  bool pxn = true;       ///< a GPU may send by another's NIC
  /// Bytes on the cable; messages of more ask their receiver first (Slingshot's rendezvous). NCCL does not know of it.
  double eager_limit = std::numeric_limits<double>::infinity();
  bool operator==(const Machine&) const = default;

  [[nodiscard]] int gpu_count() const { return static_cast<int>(gpus.size()); }
  [[nodiscard]] int ranks() const { return nodes * gpu_count(); }
  [[nodiscard]] double link_rate() const { return nvlink > 0 ? nvlink : nvlink_rate(generation); }
};

/// `count` GPUs joined pairwise by so many NVLinks each.
std::vector<int> mesh_links(int count, int links_per_pair);

/// The hybrid cube mesh of eight V100 (DGX-1, p3dn): six NVLinks a GPU, to four others.
std::vector<int> cube_mesh_links();

/// The same node with these of its GPUs alone, in this order. NICs stay. Throws std::out_of_range.
Machine with_gpus(const Machine& machine, std::span<const int> gpus);

/// What is wrong with it, a sentence each; none: it can be searched.
std::vector<std::string> mistakes_of(const Machine& machine);

} // namespace gradflight::nccl
