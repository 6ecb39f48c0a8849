// Fat tree: a parallel-ports generalised fat tree PGFT(h; m1..mh; w1..wh; p1..ph) with D-mod-K routing (E. Zahavi,
// "Fat-tree routing and node ordering providing contention free traffic for MPI global collectives", JPDC 72, 2012).
//
// A switch of level l (1 = leaves) is a group g of m1*..*ml neighbouring nodes and one of W = w1*..*wl replicas r; its
// number is g*W + r. Its parents belong to group g / m(l+1) and have replicas r + W*b, b < w(l+1).
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

class FatTree final : public Fabric {
public:
  explicit FatTree(std::vector<Cables> levels) : levels_(std::move(levels)) {}

  void route(int from, int to, Route& out) const override {
    std::size_t height = 1; // of the lowest common switches
    while (height < levels_.size() && from / levels_[height].members != to / levels_[height].members) ++height;
    // D-mod-K: the port depends on the destination alone, so a way down retraces the ports of the way up.
    int replica = 0;
    const std::size_t start = out.size();
    out.resize(start + 2 * height);
    for (std::size_t l = 0; l < height; ++l) {
      const Cables& c = levels_[l];
      const int port = to / c.replicas % c.ports;
      out[start + l] = link(c, from, replica, port);
      out[start + 2 * height - 1 - l] = link(c, to, replica, port) + 1;
      replica += c.replicas * (port % c.parents);
    }
  }
  [[nodiscard]] int nics_per_node() const override { return levels_.front().ports; }

private:
  static std::int32_t link(const Cables& c, int node, int replica, int port) {
    return c.first + 2 * ((node / c.members * c.replicas + replica) * c.ports + port);
  }
  std::vector<Cables> levels_; ///< [l]: between level l (0 = nodes) and level l+1
};

std::string child_name(std::size_t level, std::int64_t number) {
  return level == 0 ? fmt::format("node{}", number) : fmt::format("sw{}-{}", level, number);
}

/// Children of level l that have a node below them; the others are left out of a partial tree.
std::int64_t children(const Cables& c, int nodes) { return times((nodes - 1) / c.members + 1, c.replicas); }

} // namespace

std::unique_ptr<Fabric> make_fat_tree(const NetworkSpec& spec, const NodeCount& nodes, LinkTable& links,
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
  }
  if (std::any_of(spec.fat_tree.begin(), spec.fat_tree.end(), [](const auto& level) { return !level.link; }))
    check_link(spec.link, "/network/link", Ends::up_down, errors);
  if (errors.size() != before) return nullptr;

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
    total += times(2 * ports, children(c, nodes.total()));
    if (!check_size(total, pointer, errors)) return nullptr;
    levels.push_back(c);
    members = times(members, level.down);
    replicas = times(replicas, level.up);
  }
  if (!check_places(members, "fat tree", nodes, pointer, errors)) return nullptr;

  links.links.reserve(static_cast<std::size_t>(total));
  for (std::size_t l = 0; l < levels.size(); ++l) {
    const LinkSpec link = cable_instead_of(spec.link, spec.fat_tree[l].link);
    for (std::int64_t child = 0; child < children(levels[l], nodes.total()); ++child)
      for (int port = 0; port < levels[l].ports; ++port) {
        const std::string name = child_name(l, child), number = levels[l].ports == 1 ? "" : std::to_string(port);
        links.cable(name + ".up" + number, name + ".down" + number, link);
      }
  }
  return std::make_unique<FatTree>(std::move(levels));
}

} // namespace gradflight
