// Machines for the tests of NCCL's model, with data from their manufacturers.
#pragma once

#include "models/nccl/graph.hpp"
#include "models/nccl/machine.hpp"

#include <list>
#include <numeric>
#include <utility>
#include <vector>

namespace gradflight::nccl::machines {

/// Returns search() of a machine; caches results, because a search takes a second with a sanitizer.
inline const Graphs& searched(const Machine& machine) {
  static std::list<std::pair<Machine, Graphs>> known;
  for (const auto& [other, graphs] : known)
    if (other == machine) return graphs;
  return known.emplace_back(machine, search(machine)).second;
}

inline Machine first_gpus(const Machine& machine, int count) {
  std::vector<int> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return with_gpus(machine, numbers);
}

/// Pairs of GPUs under each PCIe switch, and two switches per socket.
inline Machine eight_gpus(Generation generation, double pcie) {
  Machine machine;
  machine.generation = generation;
  for (int gpu = 0; gpu < 8; ++gpu) machine.gpus.push_back({-1, gpu / 4, gpu / 2, pcie, 0});
  for (int pcie_switch = 0; pcie_switch < 4; ++pcie_switch) machine.pcie_switches.push_back({pcie_switch / 2, pcie});
  return machine;
}

/// The hybrid cube mesh of eight V100 (DGX-1, p3dn): six NVLinks per GPU, to four others.
inline std::vector<int> cube_mesh_links() {
  return {0, 1, 1, 2, 2, 0, 0, 0, //
          1, 0, 2, 1, 0, 2, 0, 0, //
          1, 2, 0, 2, 0, 0, 1, 0, //
          2, 1, 2, 0, 0, 0, 0, 1, //
          2, 0, 0, 0, 0, 1, 1, 2, //
          0, 2, 0, 0, 1, 0, 2, 1, //
          0, 0, 1, 0, 1, 2, 0, 2, //
          0, 0, 0, 1, 2, 1, 2, 0};
}

inline Machine v100_cube_mesh() {
  Machine machine = eight_gpus(Generation::volta, 12);
  machine.links = cube_mesh_links();
  machine.socket_rate = 6;
  return machine;
}

/// NVSwitch, and `nics` NICs of `gbit` Gbit/s, distributed evenly over the switches.
inline Machine a100(int nodes, int nics, double gbit) {
  Machine machine = eight_gpus(Generation::ampere, 24);
  machine.switch_links = 12;
  machine.vendor = Vendor::amd;
  machine.socket_rate = 16;
  machine.nodes = nodes;
  for (int nic = 0; nic < nics; ++nic)
    machine.nics.push_back({network_rate(gbit), 0, nic * 2 / nics, nic * 4 / nics, 24});
  return machine;
}

/// Eight groups of a switch, a GPU and a NIC of 400 Gbit/s.
inline Machine h100(int nodes) {
  Machine machine;
  machine.generation = Generation::hopper;
  machine.switch_links = 18;
  machine.socket_rate = 40;
  machine.nodes = nodes;
  for (int gpu = 0; gpu < 8; ++gpu) {
    machine.gpus.push_back({-1, gpu / 4, gpu, 48, 0});
    machine.pcie_switches.push_back({gpu / 4, 48});
    machine.nics.push_back({48, 0, gpu / 4, gpu, 48});
  }
  return machine;
}

/// Four A100 with four NVLinks per pair, and two NICs of 200 Gbit/s at the CPU.
inline Machine four_a100(int nodes) {
  Machine machine;
  machine.gpus.resize(4);
  machine.links = mesh_links(4, 4);
  machine.vendor = Vendor::amd;
  machine.nodes = nodes;
  machine.nics = {{24, 0, 0, -1, 24}, {24, 0, 0, -1, 24}};
  return machine;
}

} // namespace gradflight::nccl::machines
