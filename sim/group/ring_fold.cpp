#include "sim/group/fold.hpp"

#include "platforms/code/platform.hpp"

#include <algorithm>

namespace gradflight {

namespace {

constexpr int few_nodes = 3; // the fewest that have different nodes before and after each node

/// A link on the route of a hop, as seen from the hop's node. Two hops that share a link have the same `first`.
struct HopLink {
  std::size_t first = 0; ///< the number, among a node's links hop by hop, of this link's first use ...
  int away = 0;          ///< ... by the node this far before, at most half of the ring
  LinkTier tier{};
  LinkType type{};
  double bandwidth = 0, latency = 0;
  friend bool operator==(const HopLink&, const HopLink&) = default;
};

/// What all nodes of a group have in common.
struct NodeHops {
  std::vector<HopLink> links; ///< of the first step of each member, lane by lane
  std::vector<double> rates;  ///< Place::reduce_bandwidth of each member
  friend bool operator==(const NodeHops&, const NodeHops&) = default;
};

class Hops {
public:
  Hops(const Platform& platform, const GroupWork& work, int per_node)
      : platform_(platform), work_(work), per_node_(per_node), nodes_(work.schedule->members() / per_node),
        seen_(platform.links().size()) {}

  /// Returns nothing if some nodes differ.
  [[nodiscard]] std::optional<NodeHops> in_common() {
    for (int node = 0; node < nodes_; ++node) number_links(node);
    const NodeHops first = hops(0);
    for (int node = 1; node < nodes_; ++node)
      if (hops(node) != first) return std::nullopt;
    if (!each_in_one_node_) return std::nullopt;
    return first;
  }

private:
  struct FirstUse {
    int node = -1; ///< the node that uses it as its link number `first`
    std::size_t first = 0;
  };

  template <class Look> void for_links(int node, const Look& look) const {
    std::size_t number = 0;
    Route route, further;
    for (int lane = 0; lane < work_.schedule->lanes(); ++lane)
      for (int own = 0; own < per_node_; ++own) {
        const int member = node * per_node_ + own;
        const Step step = work_.schedule->step(lane, member, 0).step;
        const NicPair nics = {work_.schedule->nic(lane, member), work_.schedule->nic(lane, step.to)};
        if (step.by == no_rank) {
          platform_.route(place(member), place(step.to), route, nics);
        } else {
          platform_.route(place(member), place(step.by), route);
          platform_.route(place(step.by), place(step.to), further, nics);
          route.insert(route.end(), further.begin(), further.end());
        }
        for (const std::int32_t link : route) look(link, number++);
      }
  }

  void number_links(int node) {
    for_links(node, [&](std::int32_t link, std::size_t number) {
      FirstUse& seen = seen_[static_cast<std::size_t>(link)];
      if (seen.node >= 0 && seen.node != node && seen.first == number) each_in_one_node_ = false;
      if (seen.node < 0 || number < seen.first) seen = {node, number};
    });
  }

  [[nodiscard]] NodeHops hops(int node) const {
    NodeHops found;
    for_links(node, [&](std::int32_t link, std::size_t) {
      const FirstUse& seen = seen_[static_cast<std::size_t>(link)];
      const DirectedLink& l = platform_.link(link);
      const int away = (node - seen.node + nodes_ + nodes_ / 2) % nodes_ - nodes_ / 2;
      found.links.push_back({seen.first, away, l.role.tier, l.role.type, l.bandwidth, l.latency});
    });
    for (int own = 0; own < per_node_; ++own)
      found.rates.push_back(platform_.place(place(node * per_node_ + own)).reduce_bandwidth);
    return found;
  }

  [[nodiscard]] std::int32_t place(int member) const { return work_.place[static_cast<std::size_t>(member)]; }

  const Platform& platform_;
  const GroupWork& work_;
  int per_node_, nodes_;
  std::vector<FirstUse> seen_; ///< of each link
  bool each_in_one_node_ = true;
};

/// Returns the members per node; 0 if nodes have different counts or their members do not follow one another.
int members_per_node(const Platform& platform, const std::vector<std::int32_t>& places) {
  const auto node = [&](std::size_t member) { return platform.place(places[member]).node; };
  std::size_t first = 1;
  while (first < places.size() && node(first) == node(0)) ++first;
  if (places.size() % first != 0) return 0;
  for (std::size_t m = first; m < places.size(); ++m) {
    const bool begins = m % first == 0;
    if (begins ? node(m) <= node(m - 1) : node(m) != node(m - 1)) return 0;
  }
  return static_cast<int>(first);
}

} // namespace

std::optional<FoldedWork> folded_ring(const PlatformSpec& spec, const Platform& platform, const GroupWork& work) {
  const int per_node = members_per_node(platform, work.place);
  if (spec.protocol || per_node == 0 || work.schedule->members() <= few_nodes * per_node) return std::nullopt;
  FoldedWork folded{work.schedule->folded(per_node, few_nodes * per_node), work};
  if (!folded.schedule) return std::nullopt;
  folded.work.schedule = folded.schedule.get();
  folded.work.place.resize(static_cast<std::size_t>(few_nodes) * static_cast<std::size_t>(per_node));
  const auto all = Hops(platform, work, per_node).in_common();
  if (!all || all != Hops(platform, folded.work, per_node).in_common()) return std::nullopt;
  return folded;
}

} // namespace gradflight
