#include "scenarios/language/tables/tables.hpp"

#include "scenarios/language/tables/tables_link.hpp"

#include <fmt/format.h>

namespace gradflight {

const Table<LinkSpec>& cable_table() {
  static const auto table = [] {
    Table<LinkSpec> t("link", "A full-duplex cable.");
    link_fields(
        t, [](auto& link) -> auto& { return link; });
    return t;
  }();
  return table;
}

const Table<LinkSpec>& special_link_table() {
  static const auto table = [] {
    Table<LinkSpec> t("special_link", "A full-duplex cable that replaces another one.");
    link_fields(
        t, [](auto& link) -> auto& { return link; }, LatencyKey::of_another);
    return t;
  }();
  return table;
}

namespace {

const Table<RacksSpec>& racks_table() {
  static const auto table = [] {
    Table<RacksSpec> t("racks",
                       "Racks of nodes, each under its own switch. An infinitely fast core connects the racks.");
    t.required("nodes_per_rack", &RacksSpec::nodes_per_rack, integer(1, max_ranks),
               "Nodes under one top-of-rack switch; the last rack may have fewer.");
    t.maybe("uplink", &RacksSpec::uplink, object(special_link_table()),
            "The cable between a rack switch and the core. Absent: it follows from `oversubscription`.");
    t.defaulted("oversubscription", &RacksSpec::oversubscription, number(0, unlimited, true),
                "Bandwidth of the uplink: nodes_per_rack times the node's bandwidth, divided by this number.")
        .only([](const RacksSpec& r) { return !r.uplink; }, "racks without uplink");
    t.maybe(
         "uplink_latency", &RacksSpec::uplink_latency, quantity<Seconds>(),
         "Latency of the uplink: that of its cable and the switches. Absent: the latency of the node's link, which may "
         "include work of the hosts.")
        .only([](const RacksSpec& r) { return !r.uplink; }, "racks without uplink");
    return t;
  }();
  return table;
}

const Table<FatTreeLevel>& fat_tree_level_table() {
  static const auto table = [] {
    Table<FatTreeLevel> t("fat_tree_level", "One level of switches of a fat tree (PGFT), leaves first.");
    t.required("down", &FatTreeLevel::down, integer(1, max_ranks), "Number of children of a switch of this level.");
    t.defaulted("up", &FatTreeLevel::up, integer(1, max_ranks),
                "Number of parents of each child among the switches of this level.");
    t.defaulted("cables", &FatTreeLevel::cables, integer(1, max_ranks),
                "Number of parallel cables between a child and each of its parents.");
    t.maybe("link", &FatTreeLevel::link, object(special_link_table()),
            "Properties of one of these cables. Absent: the network's `link`.");
    return t;
  }();
  return table;
}

const Table<std::vector<FatTreeLevel>>& fat_tree_table() {
  static const auto table = [] {
    Table<std::vector<FatTreeLevel>> t("fat_tree", "A parallel-ports generalised fat tree.");
    t.required(
        "levels", [](auto& levels) -> auto& { return levels; }, list(object(fat_tree_level_table()), 1),
        "The levels of switches, leaves first.");
    return t;
  }();
  return table;
}

const Table<std::vector<int>>& torus_table() {
  static const auto table = [] {
    Table<std::vector<int>> t(
        "torus", "A torus of nodes. Messages take one dimension after the other, in the shorter direction.");
    t.required(
        "dimensions", [](auto& sizes) -> auto& { return sizes; }, list(integer(1, max_ranks), 1),
        "Size of each dimension. The product is the largest number of nodes.");
    return t;
  }();
  return table;
}

const Table<DragonflySpec>& dragonfly_table() {
  static const auto table = [] {
    Table<DragonflySpec> t("dragonfly", "Groups of fully connected routers; each pair of groups is connected.");
    t.required("groups", &DragonflySpec::groups, integer(1, max_ranks), "Groups.");
    t.required("routers", &DragonflySpec::routers, integer(1, max_ranks), "Number of routers in a group.");
    t.required("nodes", &DragonflySpec::nodes, integer(1, max_ranks), "Number of nodes at a router.");
    t.defaulted("global_cables", &DragonflySpec::global_cables, integer(1, max_ranks),
                "Number of cables between each pair of groups, spread round-robin over their routers.");
    t.maybe("local", &DragonflySpec::local, object(special_link_table()),
            "A cable between two routers of a group. Absent: the network's `link`.");
    t.maybe("global", &DragonflySpec::global, object(special_link_table()),
            "A cable between two groups. Absent: the network's `link`.");
    return t;
  }();
  return table;
}

const Table<GraphEdge>& edge_table() {
  static const auto table = [] {
    Table<GraphEdge> t("graph_link", "A cable of a graph.");
    const auto end =
        either<std::string>(mapped<std::int64_t, std::string>(
                                integer64(0, max_ranks - 1), [](std::int64_t n) { return fmt::format("{}", n); },
                                [](const std::string&) { return std::int64_t{0}; }),
                            text("the name of a switch"), is_number, [](const std::string&) { return false; });
    t.required("from", &GraphEdge::from, end, "One end: a node's number (3 or \"3\") or a switch's name.");
    t.required("to", &GraphEdge::to, end, "The other end.");
    link_fields(
        t, [](auto& edge) -> auto& { return edge.link; });
    t.defaulted("one_way", &GraphEdge::one_way, boolean(), "true: the cable carries data only from `from` to `to`.");
    return t;
  }();
  return table;
}

auto topology(Topology wanted) {
  return [wanted](const NetworkSpec& n) { return n.topology == wanted; };
}

struct EcmpForm {
  std::int64_t seed = 0;
};

const Table<EcmpForm>& ecmp_table() {
  static const auto table = [] {
    Table<EcmpForm> t("ecmp", "Routing by a hash of sender, receiver and seed.");
    t.defaulted("seed", &EcmpForm::seed, integer64(0, std::numeric_limits<std::int64_t>::max()),
                "Seed of the hash; the same seed gives the same routes.");
    return t;
  }();
  return table;
}

const Table<RoutingSpec>& routing_table() {
  static const auto table = [] {
    Table<RoutingSpec> t("routing", "Routing with its settings.");
    t.custom<EcmpForm>(
        "ecmp", object(ecmp_table()),
        [](RoutingSpec& r, EcmpForm form) {
          r = {RoutingSpec::Kind::ecmp, form.seed};
        },
        [](const RoutingSpec& r) {
          return r.kind == RoutingSpec::Kind::ecmp ? std::optional(EcmpForm{r.seed}) : std::nullopt;
        },
        "A hash of sender, receiver and seed chooses one of the shortest routes.");
    t.info.fields.back().required = true;
    return t;
  }();
  return table;
}

Value<RoutingSpec> routing() {
  using Kind = RoutingSpec::Kind;
  auto named = mapped<Kind, RoutingSpec>(
      choice<Kind>("a routing", {{"static", Kind::by_topology}, {"ecmp", Kind::ecmp}, {"adaptive", Kind::adaptive}}),
      [](Kind kind) {
        return RoutingSpec{kind, 0};
      },
      [](const RoutingSpec& r) { return r.kind; });
  return either<RoutingSpec>(std::move(named), object(routing_table()), is_text,
                             [](const RoutingSpec& r) { return r.seed == 0; });
}

/// The network table for nodes with one cable each, or, with `with_node`, for nodes with their own NICs.
Table<NetworkSpec> make_network_table(bool with_node) {
  Table<NetworkSpec> t("network", "How the network connects the nodes.");
  t.required("topology", &NetworkSpec::topology,
             choice<Topology>("a topology", {{"star", Topology::star},
                                             {"racks", Topology::racks},
                                             {"fat_tree", Topology::fat_tree},
                                             {"torus", Topology::torus},
                                             {"dragonfly", Topology::dragonfly},
                                             {"graph", Topology::graph}}),
             "star: every node is on one switch. racks: rack switches under a core. graph: a user-defined graph of "
             "switches and links.");
  if (with_node)
    t.info.refused.emplace_back("link", "\"node\" excludes it: node.nic describes the cables");
  else
    t.required("link", &NetworkSpec::link, object(cable_table()), "The cable of a node's NIC.")
        .only([](const NetworkSpec& n) { return n.topology != Topology::graph; }, "a topology other than graph");
  t.custom<RoutingSpec>(
      "routing", routing(), [](NetworkSpec& n, RoutingSpec r) { n.routing = r; },
      [](const NetworkSpec& n) {
        return n.routing.kind == RoutingSpec::Kind::by_topology ? std::nullopt : std::optional(n.routing);
      },
      "How a message chooses among several shortest routes. static: by its destination (docs/platforms.md). ecmp: by a "
      "hash of sender, receiver and seed. adaptive: each packet by the free cables. Both need fat_tree or dragonfly.");
  t.info.fields.back().default_text = "\"static\"";
  t.required("racks", &NetworkSpec::racks, object(racks_table()), "Shape of the racks.")
      .only(topology(Topology::racks), "topology racks");
  t.required("fat_tree", &NetworkSpec::fat_tree, object(fat_tree_table()), "Shape of the fat tree.")
      .only(topology(Topology::fat_tree), "topology fat_tree");
  t.required("torus", &NetworkSpec::torus, object(torus_table()), "Shape of the torus.")
      .only(topology(Topology::torus), "topology torus");
  t.required("dragonfly", &NetworkSpec::dragonfly, object(dragonfly_table()), "Shape of the dragonfly.")
      .only(topology(Topology::dragonfly), "topology dragonfly");
  t.defaulted("switches", &NetworkSpec::switches, list(text("a name")), "Names of the switches of the graph.")
      .only(topology(Topology::graph), "topology graph");
  t.required("links", &NetworkSpec::edges, list(object(edge_table()), 1),
             "The links of the graph. A message takes the route of least latency, and of fewest links among equals.")
      .only(topology(Topology::graph), "topology graph");
  return t;
}

} // namespace

const Table<NetworkSpec>& network_table() {
  static const auto table = make_network_table(false);
  return table;
}

const Table<NetworkSpec>& node_network_table() {
  static const auto table = make_network_table(true);
  return table;
}

} // namespace gradflight
