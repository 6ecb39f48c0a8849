#include "platforms/code/platform.hpp"

#include "platforms/code/ports.hpp"

#include <algorithm>
#include <limits>

namespace gradflight {

Platform::Platform() : ports_(std::make_unique<Ports>()) {}
Platform::Platform(Platform&&) noexcept = default;
Platform& Platform::operator=(Platform&&) noexcept = default;
Platform::~Platform() = default;

void Platform::route(int from, int to, Route& out) const {
  out.clear();
  if (from == to) return;
  const Ports& ports = *ports_;
  if (ports.gpus_per_node == 1 && !ports.intra.any()) { // place = node
    fabric_->route(from, to, out);
    return;
  }
  const Place &a = places_[static_cast<std::size_t>(from)], &b = places_[static_cast<std::size_t>(to)];
  if (a.node == b.node) {
    ports.intra.across(a.node, a.gpu, b.gpu, out);
    return;
  }
  if (a.gpu >= 0) ports.intra.to_nic(a.node, a.gpu, out);
  fabric_->route(a.node, b.node, out);
  if (b.gpu >= 0) ports.intra.from_nic(b.node, b.gpu, out);
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
