// Dragonfly (J. Kim et al., ISCA 2008): the routers of a group fully connected, each pair of groups joined by global
// cables; minimal routing: at most one local, one global, one local link.
//
// With adaptive routing, packets spread over the cables of a pair of groups and go around full links within a group. So
// a pair's cables are one link with their total rate, and so are all of a router's links to its group, and all from it.
//
// Global port j*C + c of a group (j: the other group, own omitted; c: the cable, of C) is on router (j*C + c) mod R.
#include "platforms/code/fabric.hpp"

#include <fmt/format.h>

namespace gradflight {
namespace {

/// Returns the place of group or router `other` in the list of `own`.
int peer(int own, int other) { return other < own ? other : other - 1; }

class Dragonfly final : public Fabric {
public:
  Dragonfly(const DragonflySpec& spec, const Terminals& terminals, bool hashed, std::int32_t first_local)
      : terminals_(terminals), groups_(spec.groups), routers_(spec.routers), nodes_(spec.nodes),
        cables_(spec.global_cables), hashed_(hashed), local_(first_local),
        global_(first_local + groups_ * routers_ * (routers_ - 1)) {}

  void route(int from, int to, std::uint64_t flow, Route& out) const override {
    const int group_nodes = routers_ * nodes_;
    const int sender = terminals_.node(from), receiver = terminals_.node(to);
    const int here = sender / group_nodes, there = receiver / group_nodes;
    const int source = sender % group_nodes / nodes_, target = receiver % group_nodes / nodes_;
    out.push_back(2 * from);
    if (here == there) {
      local(here, source, target, out);
    } else {
      // The NIC in the lower group picks the cable: both directions use the same cable, and neighbours spread.
      const int chooser = here < there ? from : to;
      const int number = terminals_.node(chooser) % group_nodes * terminals_.per_node + terminals_.rail(chooser);
      const int cable = hashed_ ? static_cast<int>(flow % static_cast<std::uint64_t>(cables_)) : number % cables_;
      const int leaving = peer(here, there) * cables_ + cable, arriving = peer(there, here) * cables_ + cable;
      local(here, source, leaving % routers_, out);
      out.push_back(global_ + here * (groups_ - 1) * cables_ + leaving);
      local(there, arriving % routers_, target, out);
    }
    out.push_back(2 * to + 1);
  }
  bool graph(NetworkGraph& graph) const override {
    const int first = graph.make_room(terminals_.total(), switches());
    for (int t = 0; t < terminals_.total(); ++t) {
      const int router = first + terminals_.node(t) / nodes_;
      graph.join(graph.source[static_cast<std::size_t>(t)], router, 2 * t);
      graph.join(router, graph.sink[static_cast<std::size_t>(t)], 2 * t + 1);
    }
    for (int group = 0; group < groups_; ++group) {
      const int own = first + group * routers_;
      for (int a = 0; a < routers_; ++a)
        for (int b = 0; b < routers_; ++b)
          if (a != b) graph.join(own + a, own + b, local_ + (group * routers_ + a) * (routers_ - 1) + peer(a, b));
      for (int other = 0; other < groups_; ++other)
        for (int cable = 0; other != group && cable < cables_; ++cable) {
          const int leaving = peer(group, other) * cables_ + cable, arriving = peer(other, group) * cables_ + cable;
          graph.join(own + leaving % routers_, first + other * routers_ + arriving % routers_,
                     global_ + group * (groups_ - 1) * cables_ + leaving);
        }
    }
    return true;
  }
  [[nodiscard]] int switches() const override { return groups_ * routers_; }
  [[nodiscard]] std::string switch_name(int number) const override {
    return fmt::format("group{}.router{}", number / routers_, number % routers_);
  }
  void links_at(int number, Route& out) const override {
    const int group = number / routers_, router = number % routers_;
    for (int other = 0; other < routers_; ++other) {
      local(group, router, other, out);
      local(group, other, router, out);
    }
    for (int other = 0; other < groups_; ++other)
      for (int cable = 0; other != group && cable < cables_; ++cable) {
        const int port = peer(group, other) * cables_ + cable;
        if (port % routers_ != router) continue;
        out.push_back(global_ + group * (groups_ - 1) * cables_ + port);
        out.push_back(global_ + other * (groups_ - 1) * cables_ + peer(other, group) * cables_ + cable);
      }
    terminals_.cables_of(number * nodes_, (number + 1) * nodes_, out);
  }

private:
  void local(int group, int a, int b, Route& out) const {
    if (a != b) out.push_back(local_ + (group * routers_ + a) * (routers_ - 1) + peer(a, b));
  }
  Terminals terminals_;
  int groups_, routers_, nodes_, cables_;
  bool hashed_;
  std::int32_t local_, global_; ///< first local and first global link
};

/// With adaptive routing. A route between groups counts a local hop at each end.
class AdaptiveDragonfly final : public Fabric {
public:
  /// Adds the links between routers.
  AdaptiveDragonfly(const DragonflySpec& spec, const LinkSpec& local, const LinkSpec& global,
                    const Terminals& terminals, LinkTable& links)
      : terminals_(terminals), groups_(spec.groups), routers_(spec.routers), nodes_(spec.nodes), local_(links.next()) {
    const bool several = routers_ > 1;
    for (int router = 0; several && router < groups_ * routers_; ++router) {
      const LinkRole role{.tier = LinkTier::network, .type = LinkType::local, .owner = router / routers_};
      links.add(switch_name(router) + ".out", local.bandwidth * (routers_ - 1.0), local.latency, role);
      links.add(switch_name(router) + ".in", local.bandwidth * (routers_ - 1.0), {}, role); // one hop in all
    }
    global_ = links.next();
    const Seconds latency =
        global.latency.value_or(Seconds{}) + (several ? local.latency.value_or(Seconds{}) : Seconds{});
    for (int g = 0; g < groups_; ++g)
      for (int h = 0; h < groups_; ++h)
        if (g != h)
          links.add(fmt::format("group{}-{}.cables", g, h), global.bandwidth * (1.0 * spec.global_cables), latency,
                    {.tier = LinkTier::network, .type = LinkType::global, .owner = g, .to = h});
  }

  void route(int from, int to, std::uint64_t /*flow*/, Route& out) const override {
    const int source = terminals_.node(from) / nodes_, target = terminals_.node(to) / nodes_;
    const int here = source / routers_, there = target / routers_;
    const bool local = routers_ > 1 && source != target;
    out.push_back(2 * from);
    if (local) out.push_back(local_ + 2 * source);
    if (here != there) out.push_back(global_ + here * (groups_ - 1) + peer(here, there));
    if (local) out.push_back(local_ + 2 * target + 1);
    out.push_back(2 * to + 1);
  }
  [[nodiscard]] int switches() const override { return groups_ * routers_; }
  [[nodiscard]] std::string switch_name(int number) const override {
    return fmt::format("group{}.router{}", number / routers_, number % routers_);
  }
  /// The cables between groups carry on by other routers.
  void links_at(int number, Route& out) const override {
    if (routers_ > 1)
      for (int way = 0; way < 2; ++way) out.push_back(local_ + 2 * number + way);
    terminals_.cables_of(number * nodes_, (number + 1) * nodes_, out);
  }

private:
  Terminals terminals_;
  int groups_, routers_, nodes_;
  std::int32_t local_, global_ = 0; ///< first local and first global link
};

} // namespace

std::unique_ptr<Fabric> make_dragonfly(const NetworkSpec& spec, const Terminals& terminals, LinkTable& links,
                                       PlatformErrors& errors) {
  const auto before = errors.size();
  const DragonflySpec& fly = spec.dragonfly;
  const std::string pointer = "/network/dragonfly";
  check_link(spec.link, "/network/link", Ends::up_down, errors);
  check_count(fly.groups, 1, pointer + "/groups", errors);
  check_count(fly.routers, 1, pointer + "/routers", errors);
  check_count(fly.nodes, 1, pointer + "/nodes", errors);
  check_count(fly.global_cables, 1, pointer + "/global_cables", errors);
  if (fly.local) check_link(*fly.local, pointer + "/local", Ends::equal, errors);
  if (fly.global) check_link(*fly.global, pointer + "/global", Ends::equal, errors);
  if (errors.size() != before) return nullptr;

  const std::int64_t routers = times(fly.groups, fly.routers);
  const std::int64_t local_links = times(routers, fly.routers - 1);
  const std::int64_t global_links = times(times(fly.groups, fly.groups - 1), fly.global_cables);
  const std::int64_t total = local_links + global_links + times(2, terminals.total());
  const std::int64_t places = times(routers, fly.nodes);
  if (!check_size(total, pointer, errors) || !check_size(places, pointer, errors) ||
      !check_places(places, "dragonfly", terminals.nodes, pointer, errors))
    return nullptr;

  links.links.reserve(static_cast<std::size_t>(total));
  links.terminal_cables(terminals, spec.link);
  const std::int32_t first = links.next();
  const LinkSpec local = cable_instead_of(spec.link, fly.local), global = cable_instead_of(spec.link, fly.global);
  if (spec.routing.kind == RoutingSpec::Kind::adaptive)
    return std::make_unique<AdaptiveDragonfly>(fly, local, global, terminals, links);
  for (int g = 0; g < fly.groups; ++g)
    for (int a = 0; a < fly.routers; ++a)
      for (int b = 0; b < fly.routers; ++b)
        if (a != b)
          links.add(fmt::format("group{}.router{}-{}", g, a, b), local.bandwidth, local.latency,
                    {.tier = LinkTier::network, .type = LinkType::local, .owner = g});
  for (int g = 0; g < fly.groups; ++g)
    for (int h = 0; h < fly.groups; ++h)
      for (int c = 0; g != h && c < fly.global_cables; ++c)
        links.add(fmt::format("group{}-{}.cable{}", g, h, c), global.bandwidth, global.latency,
                  {.tier = LinkTier::network, .type = LinkType::global, .owner = g, .to = h});
  return std::make_unique<Dragonfly>(fly, terminals, spec.routing.kind == RoutingSpec::Kind::ecmp, first);
}

} // namespace gradflight
