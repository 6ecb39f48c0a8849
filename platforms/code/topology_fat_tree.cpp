// Fat tree: a parallel-ports generalised fat tree PGFT(h; m1..mh; w1..wh; p1..ph) with D-mod-K routing (E. Zahavi,
// "Fat-tree routing and node ordering providing contention free traffic for MPI global collectives", JPDC 72, 2012).
//
// A switch of level l (1 = leaves) is a group g of m1*..*ml neighbouring nodes and one of W = w1*..*wl replicas r; its
// number is g*W + r. Its parents belong to group g / m(l+1) and have replicas r + W*b, b < w(l+1).
//
// Terminals stand at places 0, 1, ... of the tree; with rails m1 nodes share a leaf switch for each rail.
#include "platforms/code/fabric.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace gradflight {
namespace {

/// The cables between level l and its parents.
struct Cables {
  int members = 1;        ///< nodes below one group of level l (held at INT_MAX)
  int replicas = 1;       ///< W of level l
  int parents = 1;        ///< w(l+1)
  int ports = 1;          ///< w(l+1) * p(l+1): upward ports of a child; port q leads to parent q mod w
  std::int32_t first = 0; ///< upward link of child 0, port 0
};

/// Which place of the tree a terminal has.
class Seats {
public:
  Seats(const Terminals& terminals, int leaf) : terminals_(terminals), leaf_(leaf) {}
  [[nodiscard]] int place(int terminal) const {
    if (!terminals_.rails) return terminal;
    if (terminal >= terminals_.own()) return groups() * leaf_ * terminals_.per_node + terminal - terminals_.own();
    const int node = terminal / terminals_.per_node, rail = terminal % terminals_.per_node;
    return (node / leaf_ * terminals_.per_node + rail) * leaf_ + node % leaf_;
  }
  /// Places up to the last one that is taken.
  [[nodiscard]] std::int64_t places() const {
    if (!terminals_.rails) return terminals_.total();
    return times(times(groups(), leaf_), terminals_.per_node) + terminals_.nodes.extra;
  }
  /// Of the terminal there; of a place that a partial group leaves free, what its terminal would be called.
  [[nodiscard]] std::string name(int place) const {
    if (!terminals_.rails) return terminals_.name(place);
    const int rails = terminals_.per_node, taken = groups() * leaf_ * rails;
    if (place >= taken) return terminals_.name(terminals_.own() + place - taken);
    const int node = place / (leaf_ * rails) * leaf_ + place % leaf_, rail = place / leaf_ % rails;
    return node < terminals_.nodes.own ? terminals_.name(node * rails + rail) : fmt::format("free{}.nic{}", node, rail);
  }

private:
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
    // D-mod-K: the port depends on the destination alone; by hash, on the flow and the level. Either way the ports of
    // the way up lead down again.
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
  [[nodiscard]] int cables() const override { return levels_.front().ports; }
  [[nodiscard]] std::int32_t first_cable(int terminal) const override {
    return link(levels_.front(), seats_.place(terminal), 0, 0);
  }

private:
  static std::int32_t link(const Cables& c, int node, int replica, int port) {
    return c.first + 2 * ((node / c.members * c.replicas + replica) * c.ports + port);
  }
  std::vector<Cables> levels_; ///< [l]: between level l (0 = terminals) and level l+1
  Seats seats_;
  bool hashed_;
};

/// Children of level l that have a terminal below them; the others are left out of a partial tree.
std::int64_t children(const Cables& c, std::int64_t places) { return times((places - 1) / c.members + 1, c.replicas); }

std::string too_few(const Terminals& terminals, std::int64_t places, std::int64_t members) {
  const std::string nics = terminals.nics ? fmt::format(" with {} NICs each take {} places", terminals.per_node, places)
                                          : std::string(" are needed");
  return fmt::format("{}{}, but the fat tree has places for {}", terminals.nodes.text(), nics, members);
}

/// Rails need a leaf switch each, and no more rails than there are of those.
void check_rails(const NetworkSpec& spec, const Terminals& terminals, std::int64_t leaves, PlatformErrors& errors) {
  if (!terminals.rails) return;
  if (spec.fat_tree.front().up > 1)
    errors.push_back({"/network/fat_tree/levels/0/up", "with rails each NIC is on one leaf switch, its rail's"});
  if (terminals.per_node > leaves)
    errors.push_back({"/node/rails", fmt::format("{} rails need as many leaf switches, but the fat tree has {}",
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
      errors.push_back({at + "/link", "the first level's cables are the NICs': say it in node.nic"});
  }
  if (std::any_of(spec.fat_tree.begin(), spec.fat_tree.end(), [](const auto& level) { return !level.link; }))
    check_link(spec.link, "/network/link", Ends::up_down, errors);
  if (errors.size() != before) return nullptr;

  const Seats seats(terminals, spec.fat_tree.front().down);
  const std::int64_t places = seats.places();
  std::vector<Cables> levels;
  std::int64_t members = 1, replicas = 1, total = 0;
  for (const FatTreeLevel& level : spec.fat_tree) {
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
    const LinkSpec link = cable_instead_of(spec.link, spec.fat_tree[l].link);
    for (std::int64_t child = 0; child < children(levels[l], places); ++child) {
      const std::string name = l > 0 ? fmt::format("sw{}-{}", l, child) : seats.name(static_cast<int>(child));
      for (int port = 0; port < levels[l].ports; ++port) {
        const std::string number = levels[l].ports == 1 ? "" : std::to_string(port);
        links.cable(name + ".up" + number, name + ".down" + number, link);
      }
    }
  }
  return std::make_unique<FatTree>(std::move(levels), seats, spec.routing.kind == RoutingSpec::Kind::ecmp);
}

} // namespace gradflight
