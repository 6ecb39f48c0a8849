// An arbitrary graph of nodes, switches and cables (a WAN): least latency, then fewest hops, then lowest link numbers.
// If nodes have their own NICs, these are the ends ("3.1": NIC 1 of node 3), each behind its own cable.
//
// A node with a single cable, to a switch, is a leaf: its paths are that cable and the switch's paths. Only the rest,
// the core, has shortest-path trees. So a WAN of three sites with 10,000 nodes each keeps trees of three vertices.
#include "base/nearest_name.hpp"
#include "base/parse_number.hpp"
#include "platforms/code/fabric.hpp"
#include "platforms/code/graph_paths.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace gradflight {
namespace {

struct Leaf {
  int core = -1;                   ///< core vertex of its switch, or of the node itself if it is no leaf
  std::int32_t up = -1, down = -1; ///< its cable; -1: no leaf
};

class Graph final : public Fabric {
public:
  Graph(std::vector<Leaf> nodes, int core, const std::vector<GraphArc>& arcs, bool nics)
      : nodes_(std::move(nodes)), core_(core), paths_(core, arcs), nics_(nics) {}

  void route(int from, int to, std::uint64_t /*flow*/, Route& out) const override {
    const Leaf &a = nodes_[static_cast<std::size_t>(from)], &b = nodes_[static_cast<std::size_t>(to)];
    if (nics_) out.push_back(2 * from);
    if (a.up >= 0) out.push_back(a.up);
    if (a.core != b.core) paths_.append(a.core, b.core, out);
    if (b.down >= 0) out.push_back(b.down);
    if (nics_) out.push_back(2 * to + 1);
  }
  [[nodiscard]] int cables() const override { return nics_ ? 1 : 0; }
  /// The core's vertices come first, since routes lead through its nodes. Then one per leaf's cable and per NIC.
  bool graph(NetworkGraph& graph) const override {
    graph.vertices = core_;
    graph.arcs = paths_.arcs();
    for (int t = 0; t < static_cast<int>(nodes_.size()); ++t) {
      const Leaf& leaf = nodes_[static_cast<std::size_t>(t)];
      int end = leaf.core;
      const auto behind = [&](std::int32_t up, std::int32_t down) {
        graph.join(graph.vertices, end, up);
        graph.join(end, graph.vertices, down);
        end = graph.vertices++;
      };
      if (leaf.up >= 0) behind(leaf.up, leaf.down);
      if (nics_) behind(2 * t, 2 * t + 1);
      graph.source.push_back(end);
      graph.sink.push_back(end);
    }
    return true;
  }

  /// Checks that every terminal reaches every other: all from the first, and the first from all.
  void check_reach(const Terminals& terminals, PlatformErrors& errors) const {
    for (const auto way : {GraphPaths::Way::forward, GraphPaths::Way::backward}) {
      const auto seen = paths_.reached(nodes_.front().core, way);
      std::vector<std::size_t> cut;
      for (std::size_t n = 0; n < nodes_.size(); ++n)
        if (!seen[static_cast<std::size_t>(nodes_[n].core)]) cut.push_back(n);
      if (cut.empty()) continue;
      const std::string others = cut.size() > 1 ? fmt::format(" (nor {} others)", cut.size() - 1) : "";
      const NodeCount& count = terminals.nodes;
      const std::string servers = count.extra > 0 ? fmt::format("; the links must join {}", count.text()) : "";
      const bool forward = way == GraphPaths::Way::forward;
      const std::string first = end_name(terminals, 0), other = end_name(terminals, static_cast<int>(cut[0]));
      errors.push_back({"/network/links", fmt::format("no route from {} to {}{}{}", forward ? first : other,
                                                      forward ? other : first, others, servers)});
    }
  }

private:
  static std::string end_name(const Terminals& terminals, int terminal) {
    return terminals.nics ? fmt::format("NIC {} of node {}", terminal - terminals.number(terminals.node(terminal), 0),
                                        terminals.node(terminal))
                          : fmt::format("node {}", terminal);
  }
  std::vector<Leaf> nodes_;
  int core_;
  GraphPaths paths_;
  bool nics_;
};

/// Vertices by name: terminals 0.., then switches.
class Vertices {
public:
  Vertices(const NetworkSpec& spec, const Terminals& terminals, PlatformErrors& errors) : terminals_(terminals) {
    for (std::size_t s = 0; s < spec.switches.size(); ++s) {
      const std::string& name = spec.switches[s];
      const std::string at = fmt::format("/network/switches/{}", s);
      if (name.empty() || !is_switch(name) || name.find("->") != std::string::npos ||
          name.find('#') != std::string::npos)
        errors.push_back(
            {at,
             fmt::format(
                 "\"{}\" is not a valid switch name: a name must not be a number and must not contain \"->\" or \"#\"",
                 name)});
      else if (!switches_.emplace(name, terminals.total() + static_cast<int>(s)).second)
        errors.push_back({at, fmt::format("two switches are named \"{}\"", name)});
      else
        names_.push_back(name);
    }
  }
  int find(const std::string& end, const std::string& pointer, PlatformErrors& errors) const {
    if (!is_switch(end)) {
      const auto dot = end.find('.');
      const auto n = number(end.substr(0, dot)), nic = dot == std::string::npos ? 0 : number(end.substr(dot + 1));
      const NodeCount& nodes = terminals_.nodes;
      const int nics = n < nodes.own ? terminals_.per_node : 1;
      if (n >= nodes.total())
        errors.push_back(
            {pointer, fmt::format("node {} does not exist: {} are numbered from 0", end.substr(0, dot), nodes.text())});
      else if (nic >= nics)
        errors.push_back(
            {pointer, fmt::format("NIC {} does not exist: the {} NICs of node {} are numbered from 0", nic, nics, n)});
      else if (dot == std::string::npos && nics > 1)
        errors.push_back({pointer, fmt::format("node {} has {} NICs: name one of them, as in \"{}.0\"", n, nics, n)});
      else
        return terminals_.number(static_cast<int>(n), static_cast<int>(nic));
    } else if (const auto found = switches_.find(end); found != switches_.end()) {
      return found->second;
    } else {
      const std::string near = nearest_name(end, names_);
      errors.push_back({pointer, fmt::format("\"{}\" is neither a node number nor one of the switches{}", end,
                                             near.empty() ? "" : fmt::format("; did you mean \"{}\"?", near))});
    }
    return -1;
  }

private:
  /// Returns whether a name is neither a node's number nor, if nodes have their own NICs, "node.nic".
  [[nodiscard]] bool is_switch(const std::string& name) const {
    const auto dot = terminals_.nics ? name.find('.') : std::string::npos;
    return number(name.substr(0, dot)) < 0 || (dot != std::string::npos && number(name.substr(dot + 1)) < 0);
  }
  /// -1 if the text is no number; very large numbers are limited to a bound above any node.
  static std::int64_t number(const std::string& text) {
    if (text.empty() || text.find_first_not_of("0123456789") != std::string::npos) return -1;
    return parse_number<std::int64_t>(text).value_or(std::int64_t{1} << 40);
  }
  const Terminals& terminals_;
  std::map<std::string, int> switches_;
  std::vector<std::string> names_;
};

/// Splits the graph given by `arcs` over all vertices into core vertices and leaves.
std::unique_ptr<Graph> split(int nodes, int vertices, const std::vector<GraphArc>& arcs, bool nics) {
  struct Degree {
    int out = 0, in = 0;
    const GraphArc *leaving = nullptr, *arriving = nullptr;
  };
  std::vector<Degree> degrees(static_cast<std::size_t>(vertices));
  for (const auto& arc : arcs) {
    auto &from = degrees[static_cast<std::size_t>(arc.from)], &to = degrees[static_cast<std::size_t>(arc.to)];
    ++from.out, from.leaving = &arc;
    ++to.in, to.arriving = &arc;
  }
  std::vector<bool> leaf(static_cast<std::size_t>(vertices), false);
  for (std::size_t n = 0; n < static_cast<std::size_t>(nodes); ++n) {
    const Degree& d = degrees[n];
    leaf[n] = d.out == 1 && d.in == 1 && d.leaving->to == d.arriving->from && d.leaving->to >= nodes;
  }
  std::vector<int> core(static_cast<std::size_t>(vertices), -1);
  int count = 0;
  for (std::size_t v = 0; v < core.size(); ++v)
    if (!leaf[v]) core[v] = count++;
  std::vector<Leaf> ends(static_cast<std::size_t>(nodes));
  for (std::size_t n = 0; n < ends.size(); ++n) {
    const Degree& d = degrees[n];
    ends[n] = leaf[n] ? Leaf{core[static_cast<std::size_t>(d.leaving->to)], d.leaving->link, d.arriving->link}
                      : Leaf{core[n], -1, -1};
  }
  std::vector<GraphArc> inner;
  for (auto arc : arcs) {
    arc.from = core[static_cast<std::size_t>(arc.from)];
    arc.to = core[static_cast<std::size_t>(arc.to)];
    if (arc.from >= 0 && arc.to >= 0) inner.push_back(arc);
  }
  return std::make_unique<Graph>(std::move(ends), count, inner, nics);
}

} // namespace

std::unique_ptr<Fabric> make_graph(const NetworkSpec& spec, const Terminals& terminals, LinkTable& links,
                                   PlatformErrors& errors) {
  const auto before = errors.size();
  const Vertices vertices(spec, terminals, errors);
  std::vector<std::pair<int, int>> ends;
  for (std::size_t e = 0; e < spec.edges.size(); ++e) {
    const GraphEdge& edge = spec.edges[e];
    const std::string at = fmt::format("/network/links/{}", e);
    check_link(edge.link, at, Ends::up_down, errors);
    if (edge.link.latency > Seconds(1000))
      errors.push_back({at + "/latency", "a graph supports latencies up to 1000 s"});
    if (edge.one_way && edge.link.ingress)
      errors.push_back({at + "/ingress_bandwidth", "a one-way link has no reverse direction"});
    const int from = vertices.find(edge.from, at + "/from", errors), to = vertices.find(edge.to, at + "/to", errors);
    if (from >= 0 && from == to) errors.push_back({at + "/to", "a link must connect two different ends"});
    ends.emplace_back(from, to);
  }
  check_size(times(2, static_cast<std::int64_t>(ends.size())), "/network/links", errors);
  if (errors.size() != before) return nullptr;

  if (terminals.nics) links.terminal_cables(terminals, spec.link);
  std::map<std::pair<int, int>, int> parallel; // number of links so far in a direction
  std::vector<GraphArc> arcs;
  // A cable between a node and a switch is that node's NIC cable, unless NICs have their own cables.
  const auto role_of = [&](int from, int to) {
    const bool from_node = from < terminals.total(), to_node = to < terminals.total();
    LinkRole role{.tier = LinkTier::network, .type = LinkType::edge, .owner = from, .to = to};
    if (terminals.nics || from_node == to_node) return role;
    role.tier = terminals.role(from_node ? from : to).tier;
    role.way = from_node ? LinkWay::up : LinkWay::down;
    return role;
  };
  const auto add = [&](int from, int to, const std::string& name, const LinkSpec& link, ByteRate bandwidth) {
    const int earlier = parallel[{from, to}]++;
    arcs.push_back({from, to, links.next(), std::llround(link.latency.value_or(Seconds()).value() * 1e12)});
    links.add(earlier == 0 ? name : fmt::format("{}#{}", name, earlier), bandwidth, link.latency, role_of(from, to));
  };
  for (std::size_t e = 0; e < spec.edges.size(); ++e) {
    const GraphEdge& edge = spec.edges[e];
    const LinkSpec& link = edge.link;
    const auto [from, to] = ends[e];
    add(from, to, edge.from + "->" + edge.to, link, link.egress.value_or(link.bandwidth));
    if (!edge.one_way) add(to, from, edge.to + "->" + edge.from, link, link.ingress.value_or(link.bandwidth));
  }
  const int total = terminals.total() + static_cast<int>(spec.switches.size());
  auto graph = split(terminals.total(), total, arcs, terminals.nics);
  graph->check_reach(terminals, errors);
  if (errors.size() != before) return nullptr;
  return graph;
}

} // namespace gradflight
