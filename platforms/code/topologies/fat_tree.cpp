// Fat tree: a parallel-ports generalised fat tree PGFT(h; m1..mh; w1..wh; p1..ph) with D-mod-K routing (E. Zahavi,
// "Fat-tree routing and node ordering providing contention free traffic for MPI global collectives", JPDC 72, 2012).
//
// A switch of level l (1 = leaves) is a group g of m1*..*ml neighbouring nodes and one of W = w1*..*wl replicas r; its
// number is g*W + r. Its parents belong to group g / m(l+1) and have replicas r + W*b, b < w(l+1).
//
// With adaptive routing, each packet takes the port with the shortest queue. All cables from a group's switches to the
// next level then fill evenly, so they are one cable with their total rate: a tree with one parent for each child.
//
// Terminals have places 0, 1, ... of the tree; with rails, m1 nodes share a leaf switch for each rail.
#include "platforms/code/fabric.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <utility>

namespace gradflight {
namespace {

/// The cables between level l and its parents.
struct Cables {
  int members = 1;        ///< nodes below one group of level l (at most INT_MAX)
  int replicas = 1;       ///< W of level l
  int parents = 1;        ///< w(l+1)
  int ports = 1;          ///< w(l+1) * p(l+1): upward ports of a child; port q leads to parent q mod w
  std::int32_t first = 0; ///< upward link of child 0, port 0
};

/// Maps terminals to places of the tree.
class Seats {
public:
  Seats(const Terminals& terminals, int leaf) : terminals_(terminals), leaf_(leaf) {}
  [[nodiscard]] int place(int terminal) const {
    if (!terminals_.rails) return terminal;
    if (terminal >= terminals_.own()) return groups() * leaf_ * terminals_.per_node + terminal - terminals_.own();
    const int node = terminal / terminals_.per_node, rail = terminal % terminals_.per_node;
    return (node / leaf_ * terminals_.per_node + rail) * leaf_ + node % leaf_;
  }
  [[nodiscard]] int terminals() const { return terminals_.total(); }
  /// Number of places up to the last one in use.
  [[nodiscard]] std::int64_t places() const {
    if (!terminals_.rails) return terminals_.total();
    return times(times(groups(), leaf_), terminals_.per_node) + terminals_.nodes.extra;
  }
  /// Name of the terminal there; for a place that a partial group leaves free, the name its terminal would have.
  [[nodiscard]] std::string name(int place) const {
    const int terminal = terminal_at(place);
    return terminal >= 0 ? terminals_.name(terminal) : fmt::format("free{}.nic{}", node_at(place), rail_at(place));
  }
  /// Returns the role of the terminal's cables; for a free place, the role that they would have.
  [[nodiscard]] LinkRole role(int place) const {
    const int terminal = terminal_at(place);
    if (terminal >= 0) return terminals_.role(terminal);
    return {.tier = LinkTier::nic, .type = LinkType::cable, .nic = static_cast<std::int16_t>(rail_at(place))};
  }

private:
  /// Only with rails.
  [[nodiscard]] int node_at(int place) const { return place / (leaf_ * terminals_.per_node) * leaf_ + place % leaf_; }
  [[nodiscard]] int rail_at(int place) const { return place / leaf_ % terminals_.per_node; }
  /// -1: the place is free.
  [[nodiscard]] int terminal_at(int place) const {
    if (!terminals_.rails) return place;
    const int rails = terminals_.per_node, taken = groups() * leaf_ * rails;
    if (place >= taken) return terminals_.own() + place - taken;
    return node_at(place) < terminals_.nodes.own ? node_at(place) * rails + rail_at(place) : -1;
  }
  [[nodiscard]] int groups() const { return (terminals_.nodes.own - 1) / leaf_ + 1; }
  Terminals terminals_;
  int leaf_; ///< places under a leaf switch
};

class FatTree final : public Fabric {
public:
  FatTree(std::vector<Cables> levels, Seats seats, bool hashed)
      : levels_(std::move(levels)), seats_(seats), hashed_(hashed) {}

  void route(int from_terminal, int to_terminal, std::uint64_t flow, Route& out) const override {
    const int from = seats_.place(from_terminal), to = seats_.place(to_terminal);
    std::size_t height = 1; // of the lowest common switches
    while (height < levels_.size() && from / levels_[height].members != to / levels_[height].members) ++height;
    // D-mod-K: the port depends only on the destination; by hash, on the flow and the level. In both cases the ports of
    // the way up also lead down again.
    int replica = 0;
    const std::size_t start = out.size();
    out.resize(start + 2 * height);
    for (std::size_t l = 0; l < height; ++l) {
      const Cables& c = levels_[l];
      const int port =
          hashed_ ? static_cast<int>(mixed(flow + l) % static_cast<std::uint64_t>(c.ports)) : to / c.replicas % c.ports;
      out[start + l] = link(c, from, replica, port);
      out[start + 2 * height - 1 - l] = link(c, to, replica, port) + 1;
      replica += c.replicas * (port % c.parents);
    }
  }
  bool from_outside(int end, std::uint64_t flow, Route& out) const override {
    const std::size_t start = out.size();
    to_top(end, flow, 1, out);
    std::reverse(out.begin() + static_cast<std::ptrdiff_t>(start), out.end());
    return true;
  }
  bool to_outside(int end, std::uint64_t flow, Route& out) const override {
    to_top(end, flow, 0, out);
    return true;
  }
  [[nodiscard]] int switches() const override {
    int all = 0;
    for (std::size_t level = 1; level <= levels_.size(); ++level) all += switches_of(level);
    return all;
  }
  [[nodiscard]] std::string switch_name(int number) const override {
    const auto [level, own] = find(number);
    return fmt::format("sw{}-{}", level, own);
  }
  void links_at(int number, Route& out) const override {
    const auto [level, own] = find(number);
    const auto add = [&](const Cables& c, int child, int port) {
      const std::int32_t up = c.first + 2 * (child * c.ports + port);
      out.push_back(up);
      out.push_back(up + 1);
    };
    if (level < levels_.size())
      for (int port = 0; port < levels_[level].ports; ++port) add(levels_[level], own, port);
    const Cables& below = levels_[level - 1];
    const int group = own / replicas_of(level), replica = own % replicas_of(level);
    const int groups = groups_of(level - 1);
    // Only children with this replica as a parent; a level with one group has all groups below it.
    const bool all = groups_of(level) == 1;
    const int per = all ? groups : levels_[level].members / below.members;
    for (int child = group * per; child < std::min((group + 1) * per, groups); ++child)
      for (int port = replica / below.replicas; port < below.ports; port += below.parents)
        add(below, child * below.replicas + replica % below.replicas, port);
  }
  bool graph(NetworkGraph& graph) const override {
    const int terminals = seats_.terminals();
    int own = graph.make_room(terminals, switches()); // the first switch of level l + 1
    for (int t = 0; t < terminals; ++t)
      for (int port = 0; port < levels_.front().ports; ++port) {
        const std::int32_t up = link(levels_.front(), seats_.place(t), 0, port);
        const int parent = own + parent_of(0, seats_.place(t), port);
        graph.join(graph.source[static_cast<std::size_t>(t)], parent, up);
        graph.join(parent, graph.sink[static_cast<std::size_t>(t)], up + 1);
      }
    for (std::size_t l = 1; l < levels_.size(); ++l) {
      const int below = own;
      own += switches_of(l);
      for (int child = 0; child < switches_of(l); ++child)
        for (int port = 0; port < levels_[l].ports; ++port) {
          const std::int32_t up = levels_[l].first + 2 * (child * levels_[l].ports + port);
          const int parent = own + parent_of(l, child, port);
          graph.join(below + child, parent, up);
          graph.join(parent, below + child, up + 1);
        }
    }
    return true;
  }
  [[nodiscard]] int cables() const override { return levels_.front().ports; }
  [[nodiscard]] std::int32_t first_cable(int terminal) const override {
    return link(levels_.front(), seats_.place(terminal), 0, 0);
  }

private:
  /// Number of groups of a level that have a terminal below them; for level 0, of places.
  [[nodiscard]] int groups_of(std::size_t level) const {
    if (level == levels_.size()) return 1;
    return static_cast<int>((seats_.places() - 1) / levels_[level].members + 1);
  }
  [[nodiscard]] int replicas_of(std::size_t level) const {
    return levels_[level - 1].replicas * levels_[level - 1].parents;
  }
  /// Returns the number, in level l + 1, of a child's parent at one of its ports. Level l 0: the child is a place.
  [[nodiscard]] int parent_of(std::size_t l, int child, int port) const {
    const Cables& c = levels_[l];
    const std::int64_t group = child / c.replicas;
    const auto above = l + 1 < levels_.size() ? static_cast<int>(group * c.members / levels_[l + 1].members) : 0;
    return above * replicas_of(l + 1) + child % c.replicas + c.replicas * (port % c.parents);
  }
  [[nodiscard]] int switches_of(std::size_t level) const { return groups_of(level) * replicas_of(level); }
  /// Returns the level of a switch, and its number there.
  [[nodiscard]] std::pair<std::size_t, int> find(int number) const {
    std::size_t level = 1;
    for (; number >= switches_of(level); ++level) number -= switches_of(level);
    return {level, number};
  }
  /// Appends links from a terminal up to the topmost switch on the route towards it; `way` 1: the links down.
  void to_top(int end, std::uint64_t flow, int way, Route& out) const {
    const int place = seats_.place(end);
    int replica = 0;
    for (std::size_t l = 0; l < levels_.size(); ++l) {
      const Cables& c = levels_[l];
      const int port = hashed_ ? static_cast<int>(mixed(flow + l) % static_cast<std::uint64_t>(c.ports))
                               : place / c.replicas % c.ports;
      out.push_back(link(c, place, replica, port) + way);
      replica += c.replicas * (port % c.parents);
    }
  }
  static std::int32_t link(const Cables& c, int node, int replica, int port) {
    return c.first + 2 * ((node / c.members * c.replicas + replica) * c.ports + port);
  }
  std::vector<Cables> levels_; ///< [l]: between level l (0 = terminals) and level l+1
  Seats seats_;
  bool hashed_;
};

/// Returns the children of level l with a terminal below them; a partial tree omits the others.
std::int64_t children(const Cables& c, std::int64_t places) { return times((places - 1) / c.members + 1, c.replicas); }

std::string too_few(const Terminals& terminals, std::int64_t places, std::int64_t members) {
  const std::string need = terminals.nics ? fmt::format("{} with {} NICs each take {} places", terminals.nodes.text(),
                                                        terminals.per_node, places)
                                          : "the platform needs " + terminals.nodes.text();
  return fmt::format("{}, but the fat tree has only {} places", need, members);
}

/// Returns the tree in which the cables of a group of switches to the next level are one cable. Its first level has one
/// cable per terminal.
std::vector<FatTreeLevel> pooled(const NetworkSpec& spec) {
  std::vector<FatTreeLevel> levels = spec.fat_tree;
  double cables = 1;
  for (FatTreeLevel& level : levels) {
    const double parents = level.up;
    const double pool = cables * parents * level.cables;
    if (pool > 1) {
      LinkSpec link = cable_instead_of(spec.link, level.link);
      link.bandwidth = link.bandwidth * pool;
      if (link.egress) link.egress = *link.egress * pool;
      if (link.ingress) link.ingress = *link.ingress * pool;
      level = {level.down, 1, 1, link};
    }
    cables *= parents;
  }
  return levels;
}

/// Each rail needs its own leaf switch.
void check_rails(const NetworkSpec& spec, const Terminals& terminals, std::int64_t leaves, PlatformErrors& errors) {
  if (!terminals.rails) return;
  if (spec.fat_tree.front().up > 1)
    errors.push_back(
        {"/network/fat_tree/levels/0/up", "with rails, each NIC has exactly one parent: the leaf switch of its rail"});
  if (terminals.per_node > leaves)
    errors.push_back({"/node/rails", fmt::format("{} rails need a leaf switch each, but the fat tree has {}",
                                                 terminals.per_node, leaves)});
}

} // namespace

std::unique_ptr<Fabric> make_fat_tree(const NetworkSpec& spec, const Terminals& terminals, LinkTable& links,
                                      PlatformErrors& errors) {
  const auto before = errors.size();
  const std::string pointer = "/network/fat_tree/levels";
  if (spec.fat_tree.empty()) errors.push_back({pointer, "a fat tree needs at least one level"});
  for (std::size_t l = 0; l < spec.fat_tree.size(); ++l) {
    const FatTreeLevel& level = spec.fat_tree[l];
    const std::string at = fmt::format("{}/{}", pointer, l);
    check_count(level.down, 1, at + "/down", errors);
    check_count(level.up, 1, at + "/up", errors);
    check_count(level.cables, 1, at + "/cables", errors);
    if (level.link) check_link(*level.link, at + "/link", Ends::up_down, errors);
    if (l == 0 && level.link && terminals.nics)
      errors.push_back(
          {at + "/link", "the cables of the first level are those of the NICs: describe them in node.nic"});
  }
  if (std::any_of(spec.fat_tree.begin(), spec.fat_tree.end(), [](const auto& level) { return !level.link; }))
    check_link(spec.link, "/network/link", Ends::up_down, errors);
  const bool adaptive = spec.routing.kind == RoutingSpec::Kind::adaptive;
  if (adaptive && !spec.fat_tree.empty() && (spec.fat_tree.front().up > 1 || spec.fat_tree.front().cables > 1))
    errors.push_back(
        {pointer + "/0", "with adaptive routing, each NIC has one cable: leave \"up\" and \"cables\" out"});
  if (errors.size() != before) return nullptr;

  const std::vector<FatTreeLevel> tree = adaptive ? pooled(spec) : spec.fat_tree;
  const Seats seats(terminals, tree.front().down);
  const std::int64_t places = seats.places();
  std::vector<Cables> levels;
  std::int64_t members = 1, replicas = 1, total = 0;
  for (const FatTreeLevel& level : tree) {
    const std::int64_t ports = times(level.up, level.cables);
    if (!check_size(times(replicas, ports), pointer, errors)) return nullptr;
    Cables c;
    c.members = static_cast<int>(std::min<std::int64_t>(members, std::numeric_limits<int>::max()));
    c.replicas = static_cast<int>(replicas);
    c.parents = level.up;
    c.ports = static_cast<int>(ports);
    c.first = static_cast<std::int32_t>(total);
    total += times(2 * ports, children(c, places));
    if (!check_size(total, pointer, errors)) return nullptr;
    levels.push_back(c);
    members = times(members, level.down);
    replicas = times(replicas, level.up);
  }
  check_rails(spec, terminals, members / spec.fat_tree.front().down, errors);
  if (places > members) errors.push_back({pointer, too_few(terminals, places, members)});
  if (errors.size() != before) return nullptr;

  links.links.reserve(static_cast<std::size_t>(total));
  for (std::size_t l = 0; l < levels.size(); ++l) {
    const LinkSpec link = cable_instead_of(spec.link, tree[l].link);
    for (std::int64_t child = 0; child < children(levels[l], places); ++child) {
      const std::string name = l > 0 ? fmt::format("sw{}-{}", l, child) : seats.name(static_cast<int>(child));
      const LinkRole role = l > 0 ? LinkRole{.tier = LinkTier::network,
                                             .type = LinkType::uplink,
                                             .level = static_cast<std::int8_t>(l),
                                             .owner = static_cast<std::int32_t>(child)}
                                  : seats.role(static_cast<int>(child));
      for (int port = 0; port < levels[l].ports; ++port) {
        const std::string number = levels[l].ports == 1 ? "" : std::to_string(port);
        links.cable(name + ".up" + number, name + ".down" + number, link, role);
      }
    }
  }
  return std::make_unique<FatTree>(std::move(levels), seats, spec.routing.kind == RoutingSpec::Kind::ecmp);
}

} // namespace gradflight
