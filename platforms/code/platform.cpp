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

void Platform::route(int from, int to, Route& out, NicPair nics) const {
  lay_route(
      from, to, nics,
      [this, from, to](int a, int b, Route& links) {
        fabric_->route(a, b, flow(from, to), links);
        return true;
      },
      out);
}

bool Platform::route_by(int from, int to, const Across& across, Route& out, NicPair nics) const {
  return lay_route(from, to, nics, across, out);
}

bool Platform::network_graph(NetworkGraph& graph) const { return fabric_->graph(graph); }

template <class AcrossNetwork>
bool Platform::lay_route(int from, int to, NicPair nics, const AcrossNetwork& across, Route& out) const {
  out.clear();
  if (from == to) return true;
  const Ports& ports = *ports_;
  if (ports.shape) return route_between_nics(from, to, nics, across, out);
  if (ports.gpus_per_node == 1 && !ports.intra.any()) return across(from, to, out); // place = node
  const Place &a = places_[static_cast<std::size_t>(from)], &b = places_[static_cast<std::size_t>(to)];
  if (a.node == b.node) {
    ports.intra.across(a.node, a.gpu, b.gpu, out);
    return true;
  }
  if (a.gpu >= 0) ports.intra.to_nic(a.node, a.gpu, out);
  if (!across(a.node, b.node, out)) return false;
  if (b.gpu >= 0) ports.intra.from_nic(b.node, b.gpu, out);
  return true;
}

std::vector<std::string> Platform::switch_names() const {
  std::vector<std::string> names;
  for (int i = 0; i < fabric_->switches(); ++i) names.push_back(fabric_->switch_name(i));
  return names;
}

Route Platform::links_at_switch(int number) const {
  Route links;
  fabric_->links_at(number, links);
  return links;
}

std::uint64_t Platform::flow(int from, int to) const {
  return mixed(mixed(ports_->seed) ^ (static_cast<std::uint64_t>(from) << 32) ^ static_cast<std::uint64_t>(to));
}

int Platform::gpus_per_node() const { return ports_->gpus_per_node; }

int Platform::nics_per_node() const { return ports_->shape ? ports_->terminals.per_node : 0; }

std::vector<int> Platform::nics_of(int gpu) const {
  return ports_->shape ? ports_->shape->nics(gpu) : std::vector<int>();
}

/// A GPU with several NICs uses them in turn for its peers. Two ends with equally many NICs agree on one number, and so
/// stay on one rail.
int Platform::nic(int from, int to) const {
  if (!ports_->shape) return -1;
  const int gpu = place(from).gpu;
  if (gpu < 0) return 0;
  const std::vector<int>& near = ports_->shape->nics(gpu);
  return near[static_cast<std::size_t>(from + to) % near.size()];
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

template <class AcrossNetwork>
bool Platform::route_between_nics(int from, int to, NicPair nics, const AcrossNetwork& across, Route& out) const {
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
    if (gpu.gpu < 0 || a.node != b.node) throw std::invalid_argument("only the GPUs of its node reach an NVSwitch");
    out.push_back(ports.inner(a.node) + (is_nvswitch(from) ? shape.from_switch(gpu.gpu) : shape.to_switch(gpu.gpu)));
    return true;
  }
  if (a.node == b.node && a.gpu >= 0 && b.gpu >= 0) {
    inside(a.node, shape.between(a.gpu, b.gpu));
    return true;
  }
  const auto nic_of = [&](const Place& end, int wanted, int own) {
    return end.gpu >= 0 && shape.reaches(end.gpu, wanted) ? wanted : own;
  };
  const int out_nic = nic_of(a, nics.out, nic(from, to)), in_nic = nic_of(b, nics.in, nic(to, from));
  if (a.gpu >= 0) inside(a.node, shape.to_nic(a.gpu, out_nic));
  const auto sender = [&] { return ports.terminals.number(a.node, out_nic); };
  const auto receiver = [&] { return ports.terminals.number(b.node, in_nic); };
  if (is_network(from) && is_network(to)) throw std::invalid_argument("network switches send only to GPUs and hosts");
  if (is_network(to))
    fabric_->to_switch(sender(), to - network_switches_, out);
  else if (is_network(from))
    fabric_->from_switch(from - network_switches_, receiver(), out);
  else if (!across(sender(), receiver(), out))
    return false;
  if (b.gpu >= 0) inside(b.node, shape.from_nic(b.gpu, in_nic));
  return true;
}

bool Platform::route_from_outside(int to, Route& out) const {
  out.clear();
  const Ports& ports = *ports_;
  const Place& end = place(to);
  const std::uint64_t hash = flow(static_cast<int>(places_.size()), to);
  const int own_nic = ports.shape ? nic(to, 0) : 0;
  if (!fabric_->from_outside(ports.terminals.number(end.node, own_nic), hash, out)) return false;
  if (end.gpu < 0) return true;
  if (ports.shape)
    for (const std::int32_t l : ports.shape->from_nic(end.gpu, own_nic)) out.push_back(ports.inner(end.node) + l);
  else
    ports.intra.from_nic(end.node, end.gpu, out);
  return true;
}

bool Platform::route_to_outside(int from, Route& out) const {
  out.clear();
  const Ports& ports = *ports_;
  const Place& end = place(from);
  if (end.gpu >= 0 && ports.shape)
    for (const std::int32_t l : ports.shape->to_nic(end.gpu, nic(from, 0))) out.push_back(ports.inner(end.node) + l);
  else if (end.gpu >= 0)
    ports.intra.to_nic(end.node, end.gpu, out);
  const std::uint64_t hash = flow(from, static_cast<int>(places_.size()));
  return fabric_->to_outside(ports.terminals.number(end.node, ports.shape ? nic(from, 0) : 0), hash, out);
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
