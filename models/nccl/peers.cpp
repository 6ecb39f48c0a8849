#include "models/nccl/peers.hpp"

#include "models/forms/collective_cost.hpp"
#include "models/nccl/nic_rates.hpp"
#include "models/nccl/primitive_costs.hpp"
#include "models/nccl/topology.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace gradflight::nccl {

namespace {

constexpr double ll_threshold = 16 * kib;

int power_of_two_above(int value) { return 1 << ceil_lg(value); }

/// Channels that a rank wants for a peer over the network: one per own NIC, and 14 GB/s each.
int network_channels(const Machine& machine, const Topology& topology, int gpu) {
  const Gpu& here = machine.gpus[static_cast<std::size_t>(gpu)];
  const double to_cpu = std::max(here.pcie_rate, here.c2c_rate);
  double rate = 0;
  int nics = 0;
  for (int channel = 0; channel < most_channels && rate < to_cpu; ++channel) {
    const int nic = topology.nic_of(gpu, channel);
    if (channel > 0 && nic == topology.nic_of(gpu, 0)) break;
    rate += topology.path(gpu, topology.nic(nic)).rate;
    ++nics;
  }
  return std::max(nics, static_cast<int>(std::ceil(std::floor(rate) / channel_net_rate)));
}

/// Returns the way from `gpu` to a peer with the number `peer` on another node, on channels of this turn. Messages
/// leave by the NIC that the peer's counterpart uses, if NVLink leads to the GPU beside this NIC (ncclTopoGetNetDev,
/// NCCL_P2P_PXN_LEVEL=2).
PeerRoute route_to(const Machine& machine, const Topology& topology, int gpu, int peer, int turn) {
  const int nic = topology.nic_of(peer, turn);
  const std::optional<int> beside = topology.gpu_of(nic);
  const bool relays = machine.pxn && machine.gpudirect && beside &&
                      topology.path(gpu, *beside).type <= PathType::nvlink &&
                      topology.path(*beside, topology.nic(nic)).type <= PathType::c2c_nic;
  return relays ? PeerRoute{*beside, nic, nic} : PeerRoute{gpu, topology.nic_of(gpu, turn), nic};
}

/// Returns the number of NICs that a GPU's channels use in turn.
int turns_of(const Topology& topology, int gpu) {
  int turns = 1;
  while (turns < most_channels && topology.nic_of(gpu, turns) != topology.nic_of(gpu, 0)) ++turns;
  return turns;
}

} // namespace

double channel_copy_rate(Generation generation) {
  constexpr double of_hopper = 48;
  return of_hopper * channel_beside_hopper(generation);
}

PeerPlan plan_peers(const Machine& machine, const Graphs& graphs) {
  PeerPlan plan;
  plan.ranks = machine.ranks();
  plan.nodes = machine.nodes;
  const Topology topology(machine);
  const int gpus = machine.gpu_count();
  int per_peer = most_channels;
  bool all_nvlink = true;
  for (int gpu = 0; gpu < gpus; ++gpu) {
    for (int peer = 0; peer < gpus; ++peer) {
      if (peer == gpu) continue;
      const Path& path = topology.path(peer, gpu);
      const bool nvlink = path.type == PathType::nvlink || path.type == PathType::nvlink_bridge;
      all_nvlink = all_nvlink && path.type < PathType::pcie_switch;
      per_peer = std::min(per_peer, nvlink ? 2 * std::max(1, static_cast<int>(path.rate / machine.link_rate())) : 2);
    }
    if (machine.nodes > 1) {
      per_peer = std::min(per_peer, network_channels(machine, topology, gpu));
      plan.nic_rate += rate_alone(machine, topology, gpu, topology.nic_of(gpu, 0)) / gpus;
      plan.turns = std::max(plan.turns, turns_of(topology, gpu));
    }
  }
  for (int turn = 0; machine.nodes > 1 && turn < plan.turns; ++turn)
    for (int gpu = 0; gpu < gpus; ++gpu)
      for (int peer = 0; peer < gpus; ++peer) plan.routes.push_back(route_to(machine, topology, gpu, peer, turn));
  plan.channels = power_of_two_above(std::max(1, graphs.channels));
  plan.most_per_peer = power_of_two_above(per_peer);
  if (machine.nodes > 1) { // the network is the bottleneck, so use one round for all peers
    const int batches = (plan.ranks + peers_in_batch - 1) / peers_in_batch;
    while (plan.most_per_peer * batches > plan.channels && plan.most_per_peer > 1) plan.most_per_peer /= 2;
  } else {
    plan.most_per_peer = std::min(plan.channels, plan.most_per_peer);
  }
  plan.least_per_peer = plan.most_per_peer;
  while (plan.least_per_peer * plan.ranks > plan.channels && plan.least_per_peer > 1) plan.least_per_peer /= 2;
  const bool arm_blackwell = machine.vendor == Vendor::arm && machine.generation >= Generation::blackwell;
  plan.step = machine.nodes > 1 ? (arm_blackwell ? 256 : 128) * kib : all_nvlink ? 512 * kib : 128 * kib;
  plan.group = machine.nodes > 1 ? std::gcd(peers_in_batch, gpus) : gpus;
  return plan;
}

PeerShape peer_shape(const PeerPlan& plan, double bytes, bool over_network) {
  PeerShape shape;
  const double least = plan.nodes > 1 ? plan.step / 2 : plan.step / 8;
  const double most = plan.nodes > 1 ? plan.step : plan.step * 32;
  shape.channels = static_cast<int>(std::min<double>(plan.least_per_peer, std::ceil(bytes / least)));
  double part = std::max(least, std::ceil(bytes / shape.channels));
  while (part > most && shape.channels <= plan.most_per_peer / 2) {
    shape.channels *= 2;
    part = std::ceil(bytes / shape.channels);
  }
  shape.part = std::min(bytes, part);
  shape.protocol = !over_network && bytes <= shape.channels * ll_threshold ? Protocol::ll : Protocol::simple;
  if (shape.protocol == Protocol::ll) {
    shape.chunk = 32 * kib;
  } else {
    shape.chunk = plan.step;
    if (over_network && bytes < plan.step)
      shape.chunk /= 4;
    else if (over_network && bytes < 8 * plan.step)
      shape.chunk /= 2;
  }
  return shape;
}

int channel_of(const PeerPlan& plan, int round, int part) {
  int base = round;
  if (plan.nodes > 1)
    base =
        round / plan.group * ((plan.group + peers_in_batch - 1) / peers_in_batch) + round % plan.group / peers_in_batch;
  int mirror = 0;
  for (int low = 1, high = plan.channels >> 1; high > 0; low <<= 1, high >>= 1)
    if ((base & low) != 0) mirror |= high;
  return (mirror + part) & (plan.channels - 1);
}

} // namespace gradflight::nccl
