// Star: every node on one non-blocking switch. Racks: one star per rack, joined by an infinitely fast core. With rails,
// NIC k of every node (of a rack) is on switch k, and the spine or core joins these switches.
#include "platforms/code/fabric.hpp"

#include <cmath>
#include <fmt/format.h>

namespace gradflight {
namespace {

class Star final : public Fabric {
public:
  void route(int from, int to, std::uint64_t /*flow*/, Route& out) const override {
    out.push_back(2 * from);
    out.push_back(2 * to + 1);
  }
  [[nodiscard]] int reducing_switches() const override { return 1; }
  void to_switch(int from, int /*number*/, Route& out) const override { out.push_back(2 * from); }
  void from_switch(int /*number*/, int to, Route& out) const override { out.push_back(2 * to + 1); }
  bool from_outside(int end, std::uint64_t /*flow*/, Route& out) const override {
    out.push_back(2 * end + 1);
    return true;
  }
  bool to_outside(int end, std::uint64_t /*flow*/, Route& out) const override {
    out.push_back(2 * end);
    return true;
  }
};

/// Terminals in cells, each with a switch and one cable to a core.
class Racks final : public Fabric {
public:
  /// `per_rack`: nodes; 0: all. `reducing`: number of switches that are places.
  Racks(const Terminals& terminals, int per_rack, int reducing, std::int32_t first)
      : terminals_(terminals), nodes_per_rack_(per_rack), reducing_(reducing), first_(first) {}

  [[nodiscard]] int cell(int terminal) const {
    const int rack = nodes_per_rack_ > 0 ? terminals_.node(terminal) / nodes_per_rack_ : 0;
    return terminals_.rails ? rack * terminals_.per_node + terminals_.rail(terminal) : rack;
  }
  void route(int from, int to, std::uint64_t /*flow*/, Route& out) const override {
    out.push_back(2 * from);
    across(cell(from), cell(to), out);
    out.push_back(2 * to + 1);
  }
  [[nodiscard]] int reducing_switches() const override { return reducing_; }
  void to_switch(int from, int number, Route& out) const override {
    out.push_back(2 * from);
    across(cell(from), number, out);
  }
  void from_switch(int number, int to, Route& out) const override {
    across(number, cell(to), out);
    out.push_back(2 * to + 1);
  }
  bool from_outside(int end, std::uint64_t /*flow*/, Route& out) const override {
    out.push_back(first_ + 2 * cell(end) + 1);
    out.push_back(2 * end + 1);
    return true;
  }
  bool to_outside(int end, std::uint64_t /*flow*/, Route& out) const override {
    out.push_back(2 * end);
    out.push_back(first_ + 2 * cell(end));
    return true;
  }

private:
  void across(int here, int there, Route& out) const {
    if (here == there) return;
    out.push_back(first_ + 2 * here);
    out.push_back(first_ + 2 * there + 1);
  }
  Terminals terminals_;
  int nodes_per_rack_, reducing_;
  std::int32_t first_; ///< cell 0's upward link
};

LinkSpec uplink_of(const NetworkSpec& spec, int cables, double oversubscription, std::optional<Seconds> latency = {}) {
  LinkSpec uplink;
  // Uses the cable's own rate, not a shaped direction: traffic control on a host does not slow the switch above it.
  uplink.bandwidth = spec.link.bandwidth * cables / oversubscription;
  uplink.latency = latency ? latency : spec.link.latency;
  return uplink;
}

std::unique_ptr<Fabric> make_rails(const NetworkSpec& spec, const Terminals& terminals, LinkTable& links) {
  links.terminal_cables(terminals, spec.link);
  const std::int32_t first = links.next();
  const LinkSpec uplink = uplink_of(spec, terminals.nodes.own, terminals.rail_oversubscription);
  for (int k = 0; k < terminals.per_node; ++k)
    links.cable(fmt::format("rail{}.up", k), fmt::format("rail{}.down", k), uplink,
                {.tier = LinkTier::network, .type = LinkType::uplink});
  return std::make_unique<Racks>(terminals, 0, terminals.per_node, first);
}

} // namespace

std::unique_ptr<Fabric> make_star(const NetworkSpec& spec, const Terminals& terminals, LinkTable& links,
                                  PlatformErrors& errors) {
  const auto before = errors.size();
  check_link(spec.link, "/network/link", Ends::up_down, errors);
  check_size(times(2, terminals.total()), "/nodes", errors);
  if (errors.size() != before) return nullptr;
  links.links.reserve(2 * static_cast<std::size_t>(terminals.total()));
  if (terminals.rails) return make_rails(spec, terminals, links);
  links.terminal_cables(terminals, spec.link);
  return std::make_unique<Star>();
}

std::unique_ptr<Fabric> make_racks(const NetworkSpec& spec, const Terminals& terminals, LinkTable& links,
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
  if (racks.uplink_latency) check_latency(*racks.uplink_latency, "/network/racks/uplink_latency", errors);
  check_size(times(4, terminals.total()), "/nodes", errors);
  if (errors.size() != before) return nullptr;

  const int count = (terminals.nodes.total() - 1) / racks.nodes_per_rack + 1;
  const int rails = terminals.rails ? terminals.per_node : 1;
  links.links.reserve(2 * static_cast<std::size_t>(terminals.total() + count * rails));
  links.terminal_cables(terminals, spec.link);
  const std::int32_t first = links.next();
  const int cables = terminals.rails ? racks.nodes_per_rack : racks.nodes_per_rack * terminals.per_node;
  const LinkSpec uplink = racks.uplink ? cable_instead_of(spec.link, racks.uplink)
                                       : uplink_of(spec, cables, racks.oversubscription, racks.uplink_latency);
  for (int r = 0; r < count; ++r)
    for (int k = 0; k < rails; ++k) {
      const std::string name = terminals.rails ? fmt::format("rack{}.rail{}", r, k) : fmt::format("rack{}", r);
      links.cable(name + ".up", name + ".down", uplink,
                  {.tier = LinkTier::network, .type = LinkType::uplink, .owner = r});
    }
  return std::make_unique<Racks>(terminals, racks.nodes_per_rack, 0, first);
}

} // namespace gradflight
