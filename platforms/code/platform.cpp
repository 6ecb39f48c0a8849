#include "platforms/code/platform.hpp"

#include "platforms/code/ports.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace gradflight {

Platform::Platform() : ports_(std::make_unique<Ports>()) {}
Platform::Platform(Platform&&) noexcept = default;
Platform& Platform::operator=(Platform&&) noexcept = default;
Platform::~Platform() = default;

void Platform::route(int from, int to, Route& out) const {
  out.clear();
  if (from == to) return;
  const Ports& ports = *ports_;
  if (ports.shape) {
    route_between_nics(from, to, out);
    return;
  }
  if (ports.gpus_per_node == 1 && !ports.intra.any()) { // place = node
    fabric_->route(from, to, flow(from, to), out);
    return;
  }
  const Place &a = places_[static_cast<std::size_t>(from)], &b = places_[static_cast<std::size_t>(to)];
  if (a.node == b.node) {
    ports.intra.across(a.node, a.gpu, b.gpu, out);
    return;
  }
  if (a.gpu >= 0) ports.intra.to_nic(a.node, a.gpu, out);
  fabric_->route(a.node, b.node, flow(from, to), out);
  if (b.gpu >= 0) ports.intra.from_nic(b.node, b.gpu, out);
}

std::uint64_t Platform::flow(int from, int to) const {
  return mixed(mixed(ports_->seed) ^ (static_cast<std::uint64_t>(from) << 32) ^ static_cast<std::uint64_t>(to));
}

int Platform::gpus_per_node() const { return ports_->gpus_per_node; }

int Platform::nics_per_node() const { return ports_->shape ? ports_->terminals.per_node : 0; }

std::vector<int> Platform::nics_of(int gpu) const {
  return ports_->shape ? ports_->shape->nics(gpu) : std::vector<int>();
}

/// Several NICs of one GPU take its peers in turn; two ends with equally many NICs agree on one number, and so stay on
/// a rail.
int Platform::nic_index(int from, int to) const {
  const int gpu = place(from).gpu;
  return gpu < 0 ? 0 : (from + to) % static_cast<int>(ports_->shape->nics(gpu).size());
}

int Platform::nic(int from, int to) const {
  if (!ports_->shape) return -1;
  const int gpu = place(from).gpu;
  return gpu < 0 ? 0 : ports_->shape->nics(gpu)[static_cast<std::size_t>(nic_index(from, to))];
}

std::optional<int> Platform::nvswitch_place(int node) const {
  if (nvswitches_ < 0 || node < 0 || node >= gpu_places_ / ports_->gpus_per_node) return std::nullopt;
  return nvswitches_ + node;
}

std::optional<int> Platform::network_switch_place(int rail) const {
  if (network_switches_ < 0 || rail < 0 || rail >= static_cast<int>(places_.size()) - network_switches_)
    return std::nullopt;
  return network_switches_ + rail;
}

void Platform::route_between_nics(int from, int to, Route& out) const {
  const Ports& ports = *ports_;
  const NodeShape& shape = *ports.shape;
  const Place &a = place(from), &b = place(to);
  const auto inside = [&](int node, NodeShape::Way way) {
    for (const std::int32_t l : way) out.push_back(ports.inner(node) + l);
  };
  const auto is_network = [&](int p) { return network_switches_ >= 0 && p >= network_switches_; };
  const auto is_nvswitch = [&](int p) { return nvswitches_ >= 0 && p >= nvswitches_ && !is_network(p); };
  if (is_nvswitch(from) || is_nvswitch(to)) {
    const Place& gpu = is_nvswitch(from) ? b : a;
    if (gpu.gpu < 0 || a.node != b.node) throw std::invalid_argument("an NVSwitch is reached by its node's GPUs alone");
    out.push_back(ports.inner(a.node) + (is_nvswitch(from) ? shape.from_switch(gpu.gpu) : shape.to_switch(gpu.gpu)));
    return;
  }
  if (a.node == b.node && a.gpu >= 0 && b.gpu >= 0) {
    inside(a.node, shape.between(a.gpu, b.gpu));
    return;
  }
  if (a.gpu >= 0) inside(a.node, shape.to_nic(a.gpu, nic_index(from, to)));
  const auto terminal = [&](int p, int other) { return ports.terminals.of(place(p).node, nic(p, other)); };
  if (is_network(from) && is_network(to))
    throw std::invalid_argument("a network's switches send to GPUs and hosts alone");
  if (is_network(to))
    fabric_->to_switch(terminal(from, to), to - network_switches_, out);
  else if (is_network(from))
    fabric_->from_switch(from - network_switches_, terminal(to, from), out);
  else
    fabric_->route(terminal(from, to), terminal(to, from), flow(from, to), out);
  if (b.gpu >= 0) inside(b.node, shape.from_nic(b.gpu, nic_index(to, from)));
}

Platform::Cost Platform::cost(int from, int to) const {
  Cost cost{message_overhead_, std::numeric_limits<double>::infinity()};
  Route links;
  route(from, to, links);
  for (const auto link : links) {
    const DirectedLink& l = links_[static_cast<std::size_t>(link)];
    cost.alpha += l.latency;
    cost.bandwidth = std::min(cost.bandwidth, l.bandwidth);
  }
  return cost;
}

} // namespace gradflight
