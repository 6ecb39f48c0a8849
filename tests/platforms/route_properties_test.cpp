// Properties of the routes of every platform, with random specifications of all topologies and node kinds.
#include "any_platform.hpp"
#include "port_model.hpp"
#include "support.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <rapidcheck.h>
#include <set>

using namespace gradflight;
using namespace gradflight::test;

namespace {

/// Calls `check` for all pairs of places, with the route between them.
template <class Check> void for_routes(const Platform& p, const Check& check) {
  const auto places = static_cast<int>(p.places().size());
  Route links;
  for (int a = 0; a < places; ++a)
    for (int b = 0; b < places; ++b) {
      p.route(a, b, links);
      check(a, b, links);
    }
}

} // namespace

TEST_CASE("at a switch are the links that begin or end there, and no others") {
  REQUIRE(rc::check("switches", [] {
    constexpr std::array shaped = {Topology::fat_tree, Topology::torus, Topology::dragonfly};
    const auto topology = shaped[static_cast<std::size_t>(any(0, 2))];
    const auto spec = any_network(topology, any(1, 12));
    const auto p = build_platform(spec, 0);
    const PortModel model(spec);
    std::map<std::string, std::set<std::string>> expected;
    for (std::size_t l = 0; l < p.network_links(); ++l) {
      const auto [from, to] = model.ends(p.links()[l].name);
      expected[from].insert(p.links()[l].name);
      expected[to].insert(p.links()[l].name);
    }
    const auto names = p.switch_names();
    std::size_t known = 0;
    for (std::size_t s = 0; s < names.size(); ++s) {
      auto port = names[s]; // the model uses "router0.1" for "group0.router1" of a dragonfly
      if (topology == Topology::dragonfly)
        port = "router" + port.substr(5, port.find('.') - 5) + port.substr(port.find('.')).replace(1, 6, "");
      std::set<std::string> found;
      for (const auto link : p.links_at_switch(static_cast<int>(s))) RC_ASSERT(found.insert(p.link(link).name).second);
      RC_ASSERT(found == expected[port]);
      known += found.empty() ? 0 : 1;
    }
    // All except the nodes' own ends.
    std::size_t switches = 0;
    for (const auto& [port, links] : expected) switches += port.starts_with("nic") || links.empty() ? 0 : 1;
    RC_ASSERT(known == switches);
  }));
}

TEST_CASE("every route is contiguous from place to place and crosses no link twice") {
  REQUIRE(rc::check("contiguous", [] {
    int extra = 0;
    const auto spec = any_platform(extra);
    const auto p = build_platform(spec, extra);
    const PortModel model(spec);
    RC_ASSERT(p.places().size() == static_cast<std::size_t>(spec.nodes * spec.gpus_per_node + extra));
    std::vector<std::pair<std::string, std::string>> ends;
    std::set<std::string> names;
    for (const auto& l : p.links()) {
      ends.push_back(model.ends(l.name));
      RC_ASSERT(ends.back().first != ends.back().second);
      RC_ASSERT(names.insert(l.name).second);
    }
    for_routes(p, [&](int a, int b, const Route& links) {
      const Place &from = p.place(a), &to = p.place(b);
      const bool same = from.node == to.node;
      if (a == b || (same && spec.intra_node.kind == IntraKind::none)) {
        RC_ASSERT(links.empty());
        return;
      }
      std::string at = model.port(from, !same);
      for (const auto l : links) {
        RC_ASSERT(ends[static_cast<std::size_t>(l)].first == at);
        at = ends[static_cast<std::size_t>(l)].second;
      }
      RC_ASSERT(at == model.port(to, !same));
      RC_ASSERT(std::set<std::int32_t>(links.begin(), links.end()).size() == links.size());
    });
  }));
}

TEST_CASE("the way back is as long as the way there, unless a graph has one-way links") {
  REQUIRE(rc::check("symmetric", [] {
    int extra = 0;
    auto spec = any_platform(extra);
    for (auto& edge : spec.network.edges) edge.one_way = false;
    const auto p = build_platform(spec, extra);
    const auto topology = spec.network.topology;
    const PortModel model(spec);
    const auto ends_of = [&](std::int32_t l) { return model.ends(p.link(l).name); };
    Route back;
    for_routes(p, [&](int a, int b, const Route& links) {
      p.route(b, a, back);
      RC_ASSERT(back.size() == links.size());
      const double there = p.cost(a, b).alpha, returned = p.cost(b, a).alpha;
      RC_ASSERT(std::abs(there - returned) <= 1e-12 * there);
      if (topology != Topology::star && topology != Topology::racks && topology != Topology::dragonfly) return;
      for (std::size_t i = 0; i < links.size(); ++i) { // the same ports in reverse order
        const auto [from, to] = ends_of(links[i]);
        RC_ASSERT(ends_of(back[links.size() - 1 - i]) == std::pair(to, from));
      }
    });
  }));
}

TEST_CASE("cost is the sum of the latencies and the narrowest link") {
  REQUIRE(rc::check("cost", [] {
    int extra = 0;
    auto spec = any_platform(extra);
    spec.message_overhead = Seconds(1e-6 * any(0, 5));
    const auto p = build_platform(spec, extra);
    for_routes(p, [&](int a, int b, const Route& links) {
      double alpha = p.message_overhead(), narrowest = std::numeric_limits<double>::infinity();
      for (const auto l : links) {
        alpha += p.link(l).latency;
        narrowest = std::min(narrowest, p.link(l).bandwidth);
      }
      RC_ASSERT(p.cost(a, b).alpha == alpha);
      RC_ASSERT(p.cost(a, b).bandwidth == narrowest);
    });
  }));
}

TEST_CASE("torus: as few hops as the coordinates allow") {
  REQUIRE(rc::check("torus hops", [] {
    const auto spec = any_network(Topology::torus, 60);
    for_routes(build_platform(spec, 0), [&](int a, int b, const Route& links) {
      std::size_t hops = a == b ? 0 : 2;
      int from = a, to = b;
      for (const int size : spec.network.torus) {
        const int apart = std::abs(from % size - to % size);
        hops += static_cast<std::size_t>(std::min(apart, size - apart));
        from /= size;
        to /= size;
      }
      RC_ASSERT(links.size() == hops);
    });
  }));
}

TEST_CASE("graph: no path is faster, nor as fast with fewer hops") {
  REQUIRE(rc::check("floyd-warshall", [] {
    const int nodes = any(1, 10);
    const auto spec = any_network(Topology::graph, nodes);
    const auto p = build_platform(spec, 0);
    const PortModel model(spec);
    using Length = std::pair<long, long>; // ms, hops
    const Length none{1'000'000, 0};
    std::map<std::string, std::map<std::string, Length>> best;
    std::set<std::string> ports;
    for (int n = 0; n < nodes; ++n) ports.insert(fmt::format("nic{}", n));
    for (const auto& s : spec.network.switches) ports.insert(s);
    for (const auto& a : ports)
      for (const auto& b : ports) best[a][b] = a == b ? Length{0, 0} : none;
    const auto length = [](const DirectedLink& l) { return Length{std::lround(l.latency * 1e3), 1}; };
    for (const auto& l : p.links()) {
      const auto [from, to] = model.ends(l.name);
      best[from][to] = std::min(best[from][to], length(l));
    }
    for (const auto& via : ports)
      for (const auto& a : ports)
        for (const auto& b : ports)
          best[a][b] = std::min(best[a][b],
                                {best[a][via].first + best[via][b].first, best[a][via].second + best[via][b].second});
    for_routes(p, [&](int a, int b, const Route& links) {
      Length sum{0, 0};
      for (const auto l : links) {
        sum.first += length(p.link(l)).first;
        ++sum.second;
      }
      RC_ASSERT(sum == best[fmt::format("nic{}", a)][fmt::format("nic{}", b)]);
    });
  }));
}

TEST_CASE("the number of links follows its formula") {
  REQUIRE(rc::check("counts", [] {
    const int nodes = any(1, 40), gpus = any(1, 9), per_switch = any(1, 9);
    const auto count = [](const PlatformSpec& spec) {
      return static_cast<int>(build_platform(spec, 0).links().size());
    };
    const int per_rack = any(1, 8);
    RC_ASSERT(count(racks(nodes, per_rack, 1)) == 2 * nodes + 2 * ((nodes + per_rack - 1) / per_rack));
    const auto star = network(Topology::star, nodes);
    RC_ASSERT(count(with_gpus(star, gpus, IntraKind::none)) == 2 * nodes);
    RC_ASSERT(count(with_gpus(star, gpus, IntraKind::pcie, per_switch)) ==
              2 * nodes * (1 + gpus + (gpus + per_switch - 1) / per_switch));
    RC_ASSERT(count(with_gpus(star, gpus, IntraKind::nvlink)) == nodes * (2 + gpus * (gpus - 1)));
    const int x = any(3, 6), y = any(3, 6), z = any(3, 6);
    RC_ASSERT(count(torus(x * y * z, {x, y, z})) == x * y * z * (2 + 2 * 3));
    const int g = any(1, 6), r = any(1, 6), n = any(1, 4), c = any(1, 4);
    RC_ASSERT(count(dragonfly(g * r * n, g, r, n, c)) == 2 * g * r * n + g * r * (r - 1) + g * (g - 1) * c);
    // m1 m2 nodes with one cable; m2 groups of one leaf switch with w2 p2 cables.
    RC_ASSERT(count(fat_tree(x * y, {{x, 1, 1, {}}, {y, r, c, {}}})) == 2 * (x * y + y * r * c));
  }));
}
