#include "analysis/run/result/link_groups.hpp"

#include "analysis/run/result/outcome.hpp"
#include "base/human.hpp"
#include "platforms/code/describe.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <set>
#include <string_view>

namespace gradflight {
namespace {

/// The largest difference between sums of the same terms in different order; relative.
constexpr double nearly = 1e-6;

bool same(double a, double b) { return std::abs(a - b) <= nearly * std::max(std::abs(a), std::abs(b)); }

bool alike(const LinkResult& a, const LinkResult& b) {
  return same(a.bandwidth, b.bandwidth) && same(a.bytes, b.bytes) && same_kind(a.role, b.role) &&
         a.role.way == b.role.way && a.changed == b.changed;
}

/// Links of one kind of cable.
struct Cables {
  const LinkResult* first = nullptr;
  std::int64_t up = 0, down = 0, others = 0;
  std::set<std::string> names; ///< names of cables with two directions

  void add(const LinkResult& link) {
    if (first == nullptr) first = &link;
    ++(link.role.way == LinkWay::up ? up : link.role.way == LinkWay::down ? down : others);
    if (link.role.way != LinkWay::one) names.insert(cable_name(link.name));
  }
  /// Both directions of a cable count once.
  [[nodiscard]] std::int64_t count() const { return std::ssize(names) + others; }
  [[nodiscard]] std::string text() const {
    if (up + down + others == 1) return first->name;
    if (up + down == 0) return fmt::format("{} links like {}", count(), first->name);
    const char* ways = down == 0 ? " (up)" : up == 0 ? " (down)" : "";
    if (first->role.type == LinkType::cable && first->role.nic < 0) return counted(count(), "NIC") + ways;
    if (first->role.type == LinkType::uplink) return counted(count(), "uplink") + ways;
    if (count() == 1) return fmt::format("{} (both directions)", cable_name(first->name));
    return fmt::format("{} cables like {}{}", count(), first->name, ways);
  }
};

/// Returns "8 Gbps", or "7.5 Gbps on average" after changes.
std::string rate_text(const LinkResult& link) {
  const double mean = link.mean_bandwidth();
  return human_rate(mean) + (same(mean, link.bandwidth) ? "" : " on average");
}

} // namespace

std::vector<Bottleneck> find_bottlenecks(const RunResult& result) {
  struct Group {
    const LinkResult* worst;
    double most, seconds;
    std::uint64_t traffic; ///< LinkDelay::traffic of the worst link
    int links;
  };
  std::vector<Group> groups;
  for (const LinkDelay& delay : result.delays) {
    if (delay.seconds <= nearly * nearly * result.time) continue;
    const LinkResult& link = result.links[static_cast<std::size_t>(delay.link)];
    const auto found = std::ranges::find_if(groups, [&](const Group& g) { return alike(*g.worst, link); });
    if (found == groups.end()) {
      groups.push_back({&link, delay.seconds, delay.seconds, delay.traffic, 0});
      continue;
    }
    found->seconds += delay.seconds;
    if (delay.seconds <= found->most * (1 + nearly)) continue;
    found->worst = &link;
    found->most = delay.seconds;
    found->traffic = delay.traffic;
  }
  for (Group& group : groups)
    for (const LinkResult& link : result.links) group.links += alike(*group.worst, link) ? 1 : 0;
  // Stable, and independent of the last digits: links with equal costs keep the platform's order.
  std::ranges::stable_sort(
      groups, [](const Group& a, const Group& b) { return a.seconds > b.seconds && !same(a.seconds, b.seconds); });
  std::vector<Bottleneck> bottlenecks;
  for (const Group& group : groups) {
    Bottleneck& bottleneck = bottlenecks.emplace_back(
        Bottleneck{group.worst->name, group.links - 1, group.seconds, {}, {}, group.worst->role.tier});
    for (std::size_t i = 0; i < result.traffic.size() && i < 64; ++i)
      if ((group.traffic >> i & 1) != 0)
        bottleneck.traffic += (bottleneck.traffic.empty() ? "" : ", ") + result.traffic[i].name;
  }
  return bottlenecks;
}

std::string text_of(const Bottleneck& links) {
  const std::string others = links.alike > 0 ? fmt::format(" (and {} alike)", links.alike) : "";
  const std::string with =
      links.jobs.empty()
          ? ""
          : fmt::format(" (with job{} {})", links.jobs.find(',') == std::string::npos ? "" : "s", links.jobs);
  const std::string beside = links.traffic.empty() ? "" : fmt::format(" (with traffic {})", links.traffic);
  return fmt::format("{}{}{}{} {}", links.link, others, with, beside, human_seconds(links.seconds));
}

std::string text_of(const std::vector<Bottleneck>& bottlenecks) {
  constexpr std::size_t shown = 4;
  std::string text;
  double rest = 0;
  for (std::size_t i = 0; i < bottlenecks.size(); ++i) {
    if (i < shown)
      text += (i > 0 ? ", " : "") + text_of(bottlenecks[i]);
    else
      rest += bottlenecks[i].seconds;
  }
  if (bottlenecks.size() > shown)
    text += fmt::format(" and {} {}", counted(static_cast<std::int64_t>(bottlenecks.size() - shown), "other"),
                        human_seconds(rest));
  return text;
}

std::vector<LinkGroup> groups_of(const RunResult& result) {
  std::vector<LinkGroup> groups;
  std::map<std::pair<std::string, double>, std::size_t> places;
  for (const LinkResult& link : result.links) {
    std::string names = link_kind(link.name);
    const auto [place, added] = places.try_emplace({names, link.bandwidth}, groups.size());
    if (added) groups.push_back({.names = std::move(names), .tier = link.role.tier, .bandwidth = link.bandwidth});
    LinkGroup& group = groups[place->second];
    const double used = utilisation(link, result.time);
    ++group.count;
    group.used += link.bytes > 0 ? 1 : 0;
    group.bytes += link.bytes;
    group.most_bytes = std::max(group.most_bytes, link.bytes);
    group.most_busy = std::max(group.most_busy, link.busy);
    group.most_utilisation = std::max(group.most_utilisation, used);
    group.mean_utilisation += used;
  }
  for (LinkGroup& group : groups) group.mean_utilisation /= static_cast<double>(group.count);
  return groups;
}

std::vector<std::string> busiest_links(const RunResult& result, std::size_t most) {
  const auto level = [&](const LinkResult& link) { return -std::round(utilisation(link, result.time) / nearly); };
  std::map<double, std::vector<const LinkResult*>> levels; // the busiest first; at most the requested number
  for (const LinkResult& link : result.links) {
    if (link.bytes <= 0) continue;
    levels[level(link)].push_back(&link);
    if (levels.size() > most) levels.erase(std::prev(levels.end()));
  }
  std::vector<std::string> texts;
  for (const auto& [_, links] : levels) {
    std::vector<Cables> kinds;
    for (const LinkResult* link : links) {
      auto found = std::ranges::find_if(kinds, [&](const Cables& c) {
        return same_kind(c.first->role, link->role) && same(c.first->mean_bandwidth(), link->mean_bandwidth());
      });
      if (found == kinds.end()) found = kinds.insert(kinds.end(), Cables{});
      found->add(*link);
    }
    std::string who, what;
    for (const Cables& cables : kinds) {
      const LinkResult& first = *cables.first;
      who += (who.empty() ? "" : ", ") + cables.text();
      const std::string name = links.size() > 1 ? first.name + ": " : "";
      what += fmt::format("{}{}{}, {}, busy {}", what.empty() ? "" : "; ", name, rate_text(first),
                          human_bytes(first.bytes), human_seconds(first.busy));
    }
    texts.push_back(fmt::format("{} at {} ({})", who, human_percent(utilisation(*links.front(), result.time)), what));
  }
  return texts;
}

} // namespace gradflight
