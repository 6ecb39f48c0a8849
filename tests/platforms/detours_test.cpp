// Compares routes around failed links with a search over the links' names.
#include "platforms/code/detours.hpp"

#include "any_platform.hpp"
#include "port_model.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <limits>
#include <map>
#include <rapidcheck.h>
#include <set>

using namespace gradflight;
using namespace gradflight::test;

namespace {

using Distance = std::pair<std::int64_t, int>; ///< picoseconds, hops

struct Arc {
  std::string from, to;
  Distance length;
};

/// Returns the least length from port to port. Routes do not pass through nodes, except in a graph.
std::map<std::string, Distance> lengths_from(const std::string& source, const std::vector<Arc>& arcs,
                                             bool through_nodes) {
  std::map<std::string, Distance> least = {{source, {0, 0}}};
  for (bool more = true; more;) {
    more = false;
    for (const Arc& arc : arcs) {
      const auto at = least.find(arc.from);
      if (at == least.end() || (arc.from != source && !through_nodes && arc.from.starts_with("nic"))) continue;
      const Distance length{at->second.first + arc.length.first, at->second.second + arc.length.second};
      const auto [to, fresh] = least.try_emplace(arc.to, length);
      if (!fresh && length >= to->second) continue;
      to->second = length;
      more = true;
    }
  }
  return least;
}

Detours detours_without(const Platform& p, const std::set<std::int32_t>& down) {
  return {p, [&p, &down](std::int32_t link) {
            return down.contains(link) ? std::numeric_limits<double>::infinity() : p.link(link).latency;
          }};
}

} // namespace

TEST_CASE("a detour is the way of least latency over what is up, and there is none only where none is left") {
  REQUIRE(rc::check("detours", [] {
    constexpr std::array shaped = {Topology::fat_tree, Topology::torus, Topology::dragonfly, Topology::graph};
    const auto topology = shaped[static_cast<std::size_t>(any(0, 3))];
    const auto spec = any_network(topology, any(2, 12));
    const auto p = build_platform(spec, 0);
    const PortModel model(spec);
    std::set<std::int32_t> down;
    std::vector<Arc> arcs;
    for (std::size_t l = 0; l < p.network_links(); ++l) {
      const DirectedLink& link = p.links()[l];
      if (any(0, 5) == 0) {
        down.insert(static_cast<std::int32_t>(l));
        continue;
      }
      const auto [from, to] = model.ends(link.name);
      arcs.push_back({from, to, {std::llround(link.latency * 1e12), 1}});
    }
    Detours detours = detours_without(p, down);
    for (int a = 0; a < spec.nodes; ++a) {
      const auto least = lengths_from(model.port(p.place(a), true), arcs, topology == Topology::graph);
      for (int b = 0; b < spec.nodes; ++b) {
        if (a == b) continue;
        Route links;
        const bool found = detours.route(a, b, links);
        const auto end = least.find(model.port(p.place(b), true));
        RC_ASSERT(found == (end != least.end()));
        if (!found) continue;
        Distance length{0, 0};
        std::string at = model.port(p.place(a), true);
        for (const auto l : links) {
          RC_ASSERT(!down.contains(l));
          const auto [from, to] = model.ends(p.link(l).name);
          RC_ASSERT(from == at);
          at = to;
          length = {length.first + std::llround(p.link(l).latency * 1e12), length.second + 1};
        }
        RC_ASSERT(at == end->first);
        RC_ASSERT(length == end->second);
      }
    }
  }));
}

TEST_CASE("a detour leaves and arrives inside the nodes as any route does") {
  auto spec = with_gpus(graph(2, {"a", "b"},
                              {{"0", "a", cable(1e9, 1e-6), false},
                               {"a", "1", cable(1e9, 1e-6), false},
                               {"0", "b", cable(1e9, 2e-6), false},
                               {"b", "1", cable(1e9, 2e-6), false}}),
                        2, IntraKind::pcie);
  const auto p = build_platform(spec, 0);
  Route own, around;
  p.route(1, 2, own);
  const std::set<std::int32_t> none;
  Detours straight = detours_without(p, none);
  REQUIRE(straight.route(1, 2, around));
  CHECK(around == own);
  const std::set<std::int32_t> down = {own[own.size() / 2]};
  Detours detours = detours_without(p, down);
  REQUIRE(detours.route(1, 2, around));
  CHECK(around.front() == own.front());
  CHECK(around.size() == own.size());
  CHECK_FALSE(std::ranges::equal(around, own));
  // A route within a node uses no link of the network.
  p.route(0, 1, own);
  REQUIRE(detours.route(0, 1, around));
  CHECK(around == own);
}

TEST_CASE("a star has one way, and so have racks") {
  for (const auto& spec : {network(Topology::star, 4), racks(4, 2, 2)}) {
    const auto p = build_platform(spec, 0);
    const std::set<std::int32_t> none;
    Route links;
    CHECK_FALSE(detours_without(p, none).route(0, 1, links));
    CHECK_FALSE(has_detours(spec.network));
  }
}
