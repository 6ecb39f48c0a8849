// Star: every node on one non-blocking switch. Racks: a star a rack, joined by an infinitely fast core.
#include "platforms/code/fabric.hpp"

#include <cmath>
#include <fmt/format.h>

namespace gradflight {
namespace {

class Star final : public Fabric {
public:
  void route(int from, int to, Route& out) const override {
    out.push_back(2 * from);
    out.push_back(2 * to + 1);
  }
};

class Racks final : public Fabric {
public:
  Racks(int nodes_per_rack, std::int32_t first) : nodes_per_rack_(nodes_per_rack), first_(first) {}
  void route(int from, int to, Route& out) const override {
    const int here = from / nodes_per_rack_, there = to / nodes_per_rack_;
    out.push_back(2 * from);
    if (here != there) {
      out.push_back(first_ + 2 * here);
      out.push_back(first_ + 2 * there + 1);
    }
    out.push_back(2 * to + 1);
  }

private:
  int nodes_per_rack_;
  std::int32_t first_; ///< rack 0's upward link
};

LinkSpec rack_uplink(const NetworkSpec& spec) {
  if (spec.racks.uplink) return cable_instead_of(spec.link, spec.racks.uplink);
  LinkSpec uplink;
  // The cable's own rate, not a shaped direction: traffic control on a host does not slow the switch above it.
  uplink.bandwidth = spec.link.bandwidth * spec.racks.nodes_per_rack / spec.racks.oversubscription;
  uplink.latency = spec.link.latency;
  return uplink;
}

} // namespace

std::unique_ptr<Fabric> make_star(const NetworkSpec& spec, const NodeCount& nodes, LinkTable& links,
                                  PlatformErrors& errors) {
  const auto before = errors.size();
  check_link(spec.link, "/network/link", Ends::up_down, errors);
  check_size(times(2, nodes.total()), "/nodes", errors);
  if (errors.size() != before) return nullptr;
  links.links.reserve(2 * static_cast<std::size_t>(nodes.total()));
  links.node_cables(nodes.total(), spec.link);
  return std::make_unique<Star>();
}

std::unique_ptr<Fabric> make_racks(const NetworkSpec& spec, const NodeCount& nodes, LinkTable& links,
                                   PlatformErrors& errors) {
  const auto before = errors.size();
  const RacksSpec& racks = spec.racks;
  check_link(spec.link, "/network/link", Ends::up_down, errors);
  check_count(racks.nodes_per_rack, 1, "/network/racks/nodes_per_rack", errors);
  if (racks.uplink)
    check_link(*racks.uplink, "/network/racks/uplink", Ends::up_down, errors);
  else if (!std::isfinite(racks.oversubscription) || racks.oversubscription <= 0)
    errors.push_back({"/network/racks/oversubscription",
                      fmt::format("must be a finite number above 0, not {}", racks.oversubscription)});
  check_size(times(4, nodes.total()), "/nodes", errors);
  if (errors.size() != before) return nullptr;

  const int count = (nodes.total() - 1) / racks.nodes_per_rack + 1;
  links.links.reserve(2 * static_cast<std::size_t>(nodes.total() + count));
  links.node_cables(nodes.total(), spec.link);
  const std::int32_t first = links.next();
  const LinkSpec uplink = rack_uplink(spec);
  for (int r = 0; r < count; ++r) links.cable(fmt::format("rack{}.up", r), fmt::format("rack{}.down", r), uplink);
  return std::make_unique<Racks>(racks.nodes_per_rack, first);
}

} // namespace gradflight
