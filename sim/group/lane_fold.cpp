#include "sim/group/fold.hpp"

#include "platforms/code/platform.hpp"

#include <algorithm>
#include <boost/pending/disjoint_sets.hpp>
#include <numeric>

namespace gradflight {

namespace {

/// Lanes that do the same as `model`.
struct AlikeLanes {
  int model = 0;
  struct Lane {
    int lane = 0;
    std::vector<int> member; ///< that does what each member does on `model`
  };
  std::vector<Lane> lanes; ///< `model` is the first
};

std::vector<AlikeLanes> lanes_alike(const GroupSchedule& schedule) {
  std::vector<AlikeLanes> all;
  for (int lane = 0; lane < schedule.lanes(); ++lane) {
    std::vector<int> alike;
    const auto known = std::ranges::find_if(all, [&](const AlikeLanes& lanes) {
      alike = schedule.doing_alike(lane, lanes.model);
      return !alike.empty();
    });
    if (known != all.end()) {
      known->lanes.push_back({lane, std::move(alike)});
      continue;
    }
    std::vector<int> itself(static_cast<std::size_t>(schedule.members()));
    std::iota(itself.begin(), itself.end(), 0);
    all.push_back({lane, {{lane, std::move(itself)}}});
  }
  return all;
}

/// The sets of links that are counterparts of each other.
class LinkSets {
public:
  explicit LinkSets(std::size_t links) : sets_(links), size_(links, 1) {}
  /// The link that stands for all of the set.
  std::int32_t stand_in(std::int32_t link) { return static_cast<std::int32_t>(found(link)); }
  std::size_t size(std::int32_t link) { return size_[found(link)]; }
  void unite(std::int32_t a, std::int32_t b) {
    const std::size_t one = found(a), other = found(b);
    if (one == other) return;
    sets_.link(one, other);
    size_[found(a)] = size_[one] + size_[other];
  }
  std::vector<std::int32_t> stand_ins() {
    std::vector<std::int32_t> of(size_.size());
    for (std::size_t l = 0; l < of.size(); ++l) of[l] = stand_in(static_cast<std::int32_t>(l));
    return of;
  }

private:
  std::size_t found(std::int32_t link) { return sets_.find_set(static_cast<std::size_t>(link)); }

  boost::disjoint_sets_with_storage<> sets_;
  std::vector<std::size_t> size_; ///< of each set, at its stand-in
};

class Counterparts {
public:
  Counterparts(const Platform& platform, const GroupWork& work, const std::vector<AlikeLanes>& lanes)
      : platform_(platform), work_(work), lanes_(lanes), sets_(platform.links().size()) {}

  /// Returns each link's stand-in; nothing if counterparts differ.
  std::optional<std::vector<std::int32_t>> stand_ins() {
    if (!for_messages([this](const std::vector<Route>& routes) { return unite(routes); })) return std::nullopt;
    if (!for_messages([this](const std::vector<Route>& routes) { return evenly_loaded(routes); })) return std::nullopt;
    return sets_.stand_ins();
  }

private:
  /// Calls `look` with the routes of each message of a period and of its counterparts, until it returns false.
  template <class Look> [[nodiscard]] bool for_messages(const Look& look) {
    const GroupSchedule& schedule = *work_.schedule;
    std::vector<Route> routes;
    for (const AlikeLanes& alike : lanes_) {
      routes.resize(alike.lanes.size());
      for (int member = 0; member < schedule.members(); ++member) {
        const std::int64_t steps =
            std::min(schedule.steps(alike.model, member), schedule.period_steps(alike.model, member));
        for (std::int64_t s = 0; s < steps; ++s) {
          const int to = schedule.step(alike.model, member, s).step.to;
          if (to == no_rank) continue;
          for (std::size_t i = 0; i < routes.size(); ++i) find_route(alike.lanes[i], member, to, routes[i]);
          if (!even_nodes(alike, member, to) || !look(routes)) return false;
        }
      }
    }
    return true;
  }

  void find_route(const AlikeLanes::Lane& lane, int from, int to, Route& route) const {
    const int sender = lane.member[static_cast<std::size_t>(from)],
              receiver = lane.member[static_cast<std::size_t>(to)];
    platform_.route(place(sender), place(receiver), route,
                    {work_.schedule->nic(lane.lane, sender), work_.schedule->nic(lane.lane, receiver)});
  }

  /// Whether all counterparts of a message stay inside a node, or none does.
  [[nodiscard]] bool even_nodes(const AlikeLanes& alike, int from, int to) const {
    const auto inside = [&](const AlikeLanes::Lane& lane) {
      return node(lane.member[static_cast<std::size_t>(from)]) == node(lane.member[static_cast<std::size_t>(to)]);
    };
    return std::ranges::all_of(alike.lanes,
                               [&](const auto& lane) { return inside(lane) == inside(alike.lanes.front()); });
  }

  bool unite(const std::vector<Route>& routes) {
    const Route& model = routes.front();
    for (const Route& route : routes) {
      if (route.size() != model.size()) return false;
      for (std::size_t i = 0; i < route.size(); ++i) {
        if (!alike(platform_.link(route[i]), platform_.link(model[i]))) return false;
        sets_.unite(route[i], model[i]);
      }
    }
    return true;
  }

  static bool alike(const DirectedLink& a, const DirectedLink& b) {
    return a.bandwidth == b.bandwidth && a.latency == b.latency && a.burst == b.burst && a.role.tier == b.role.tier &&
           a.role.type == b.role.type;
  }

  /// Whether each link of a set that a message crosses carries as many of its counterparts as any other.
  bool evenly_loaded(const std::vector<Route>& routes) {
    used_.clear();
    for (const Route& route : routes) used_.insert(used_.end(), route.begin(), route.end());
    std::ranges::sort(used_);
    for (auto link = used_.begin(); link != used_.end();) {
      const auto next = std::upper_bound(link, used_.end(), *link);
      const auto in_set = [&](std::int32_t other) { return sets_.stand_in(other) == sets_.stand_in(*link); };
      if (sets_.size(*link) != routes.size() || next - link != std::ranges::count_if(routes.front(), in_set))
        return false;
      link = next;
    }
    return true;
  }

  [[nodiscard]] std::int32_t place(int member) const { return work_.place[static_cast<std::size_t>(member)]; }
  [[nodiscard]] int node(int member) const { return platform_.place(place(member)).node; }

  const Platform& platform_;
  const GroupWork& work_;
  const std::vector<AlikeLanes>& lanes_;
  LinkSets sets_;
  std::vector<std::int32_t> used_; ///< a member to keep its memory
};

/// Whether lanes of one member have to wait for each other's turn: then they share more than links.
bool share_members(const Platform& platform, const GroupWork& work) {
  return work.hops.copy_rate > 0 || work.hops.reduce_rate > 0 || work.hops.inside.post > 0 ||
         work.hops.between.post > 0 || std::ranges::any_of(work.place, [&](std::int32_t place) {
           return platform.place(place).reduce_bandwidth > 0;
         });
}

} // namespace

std::optional<FoldedWork> folded_lanes(const PlatformSpec& spec, const Platform& platform, const GroupWork& work) {
  if (spec.protocol || work.schedule->relayed() || share_members(platform, work)) return std::nullopt;
  const std::vector<AlikeLanes> lanes = lanes_alike(*work.schedule);
  if (static_cast<int>(lanes.size()) == work.schedule->lanes()) return std::nullopt;
  std::optional<std::vector<std::int32_t>> stand_ins = Counterparts(platform, work, lanes).stand_ins();
  if (!stand_ins) return std::nullopt;
  std::vector<int> models;
  for (const AlikeLanes& alike : lanes) models.push_back(alike.model);
  FoldedWork folded{work.schedule->with_lanes(models), work};
  folded.work.schedule = folded.schedule.get();
  folded.work.stand_ins = std::move(*stand_ins);
  return folded;
}

} // namespace gradflight
