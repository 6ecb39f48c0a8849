#include "sim/libraries/nccl_machine.hpp"

#include "platforms/code/node_shape.hpp"

#include <cmath>
#include <numeric>

namespace gradflight {

namespace {

constexpr double giga = 1e9;

nccl::Generation generation_of(GpuGeneration generation) {
  switch (generation) {
  case GpuGeneration::kepler:
  case GpuGeneration::pascal: return nccl::Generation::pascal;
  case GpuGeneration::volta: return nccl::Generation::volta;
  case GpuGeneration::hopper: return nccl::Generation::hopper;
  case GpuGeneration::blackwell: return nccl::Generation::blackwell;
  case GpuGeneration::ampere:
  case GpuGeneration::cdna2:
  case GpuGeneration::cdna3: break;
  }
  return nccl::Generation::ampere;
}

nccl::Vendor vendor_of(CpuVendor vendor) {
  switch (vendor) {
  case CpuVendor::amd: return nccl::Vendor::amd;
  case CpuVendor::arm: return nccl::Vendor::arm;
  case CpuVendor::power: return nccl::Vendor::power;
  case CpuVendor::intel: break;
  }
  return nccl::Vendor::intel;
}

double to_giga(const std::optional<ByteRate>& rate, ByteRate otherwise) {
  return rate.value_or(otherwise).value() / giga;
}

/// Rate of `links` NVLinks. NCCL assumes it from the GPU, whatever they attain.
double nvlinks_rate(const NodeSpec& node, int links) {
  const double known = node.gpu.link_payload().value() * links;
  return (known > 0 ? known : node.link.bandwidth.value_or(ByteRate()).value()) / giga;
}

} // namespace

nccl::Machine nccl_machine(const PlatformSpec& platform, int nodes, int gpus_per_node) {
  const NodeSpec& node = *platform.node;
  nccl::Machine machine;
  machine.generation = generation_of(node.gpu.generation);
  machine.nodes = nodes;
  machine.gpudirect = node.gpudirect;
  machine.vendor = vendor_of(node.cpu);
  if (node.eager_limit) machine.eager_limit = node.eager_limit->value();
  machine.nvls = node.nvls;
  machine.collnet = node.sharp;
  for (const Seat& seat : gpu_seats(node)) {
    nccl::Gpu& seen = machine.gpus.emplace_back();
    seen.socket = seat.socket;
    seen.pcie_switch = seat.pcie_switch;
    seen.pcie_rate = to_giga(node.pcie.bandwidth, node.gpu.to_host());
    if (node.gpu.host_link) seen.c2c_rate = node.gpu.host_link->value() / giga;
  }
  if (node.intra == NodeFabric::nvswitch) {
    machine.switch_links = std::max(1, node.gpu.links);
    machine.nvlink = nvlinks_rate(node, machine.switch_links) / machine.switch_links;
  } else if (node.mesh()) {
    machine.nvlink = nvlinks_rate(node, 1);
    const auto gpus = static_cast<std::size_t>(node.gpus);
    machine.links.assign(gpus * gpus, 0);
    for (const GpuPair& pair : mesh_pairs(node)) {
      const auto a = static_cast<std::size_t>(pair.a), b = static_cast<std::size_t>(pair.b);
      machine.links[a * gpus + b] = machine.links[b * gpus + a] = pair.links;
    }
  }
  for (int number = 0; number < node.switches(); ++number)
    machine.pcie_switches.push_back(
        {at_switch(node, number).socket, to_giga(node.switch_uplink ? node.switch_uplink->bandwidth : std::nullopt,
                                                 node.pcie.bandwidth.value_or(node.gpu.to_host()))});
  if (node.socket_link && node.socket_link->bandwidth)
    machine.socket_rate = node.socket_link->bandwidth->value() / giga;
  for (const Seat& seat : nic_seats(node)) {
    nccl::Nic& seen = machine.nics.emplace_back();
    seen.rate = nccl::network_rate(node.nic.bandwidth.value() * 8 / giga);
    seen.pcie_switch = seat.pcie_switch;
    seen.socket = seat.socket;
  }
  std::vector<int> used(static_cast<std::size_t>(gpus_per_node));
  std::iota(used.begin(), used.end(), 0);
  return nccl::with_gpus(machine, used);
}

} // namespace gradflight
