// What-ifs about nodes that compute more slowly than the median.
#include "analysis/explore/advice/what_ifs_entries.hpp"
#include "platforms/code/changes.hpp"
#include "platforms/code/platform.hpp"
#include "scenarios/language/types/scenario.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace gradflight {
namespace {

using Json = nlohmann::ordered_json;
using Speeds = std::vector<double>; ///< of each GPU

/// Entries of `changes` in order of time.
class TimedEntries {
public:
  void add(double at, Json entry) { entries_.emplace_back(at, std::move(entry)); }
  Json take() {
    std::ranges::stable_sort(entries_, {}, &Entry::first);
    Json list = Json::array();
    for (Entry& entry : entries_) list.push_back(std::move(entry.second));
    return list;
  }

private:
  using Entry = std::pair<double, Json>;
  std::vector<Entry> entries_;
};

/// Adds all changes except the compute speeds of the platform's nodes. Those of servers stay.
void add_without_speeds(const Scenario& scenario, const Json& canonical, TimedEntries& out) {
  const Json changes = changes_of(canonical);
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const ChangeSpec& change = scenario.changes[i];
    std::vector<int> servers = change.nodes;
    std::erase_if(servers, [&](int node) { return node < scenario.platform.nodes; });
    const double at = change.at.value();
    if (!change.compute_speed || (!servers.empty() && servers == change.nodes)) {
      out.add(at, changes[i]);
      continue;
    }
    if (Json rest = without_keys(changes[i], {"compute_speed"}); has_effect(rest)) out.add(at, std::move(rest));
    if (servers.empty()) continue;
    Json own = without_keys(changes[i], {"bandwidth", "latency", "state"});
    own["nodes"] = format_node_numbers(servers);
    out.add(at, std::move(own));
  }
}

/// Raises the slower half to the median; returns whether any speed was below it.
bool raise_to_median(Speeds& speeds) {
  const double least = median(speeds);
  bool any = false;
  for (double& speed : speeds) {
    any |= speed < least;
    speed = std::max(speed, least);
  }
  return any;
}

/// Calls `put` with the target of an entry ("nodes" or "gpu") and its new speed, for all GPUs in `changed`.
template <class Put>
void for_targets(const Speeds& speeds, const std::vector<bool>& changed, int gpus_per_node, const Put& put) {
  std::map<double, std::vector<int>> nodes;
  const auto per_node = static_cast<std::size_t>(gpus_per_node);
  for (std::size_t first = 0; first < speeds.size(); first += per_node) {
    bool alike = true;
    for (std::size_t g = first; g < first + per_node; ++g) alike &= changed[g] && speeds[g] == speeds[first];
    if (alike) nodes[speeds[first]].push_back(static_cast<int>(first / per_node));
    for (std::size_t g = first; g < first + per_node; ++g)
      if (!alike && changed[g]) put("gpu", Json(g), speeds[g]);
  }
  for (const auto& [speed, of_speed] : nodes) put("nodes", Json(format_node_numbers(of_speed)), speed);
}

/// The speeds of all GPUs over time.
class SpeedTrack {
public:
  SpeedTrack(const Scenario& scenario, const Platform& platform) : gpus_per_node_(platform.gpus_per_node()) {
    for (int g = 0; g < platform.gpu_places(); ++g) first_.push_back(platform.place(g).compute_speed);
    std::vector<PlatformError> none; // the scenario was valid
    changes_ = find_changes(scenario.changes, scenario.platform, platform, none);
    std::erase_if(changes_, [&](const PlatformChange& change) {
      return change.what != PlatformChange::What::compute_speed || change.target >= platform.gpu_places();
    });
    for (const PlatformChange& change : changes_) periods_.insert(change.period);
  }

  /// Whether the changes of all GPUs occur once, or all repeat with one period.
  [[nodiscard]] bool has_one_period() const { return periods_.size() <= 1; }
  [[nodiscard]] bool changes() const { return !changes_.empty(); }

  /// Adds the speeds without stragglers to overrides and changes; returns whether there were any.
  bool raise(Json& overrides, TimedEntries& out) const {
    Speeds before = first_;
    bool any = raise_to_median(before);
    std::vector<bool> changed;
    for (std::size_t g = 0; g < first_.size(); ++g) changed.push_back(before[g] != first_[g]);
    for_targets(before, changed, gpus_per_node_, [&](const char* key, Json target, double speed) {
      overrides.push_back({{key, std::move(target)}, {"compute_speed", speed}});
    });
    const bool repeats = changes() && *periods_.begin() > 0;
    changed.assign(first_.size(), false);
    if (repeats) // the first of these changes gives all speeds that change at any time
      for_each_time(repeats, [&](double, const Speeds& now, bool) {
        for (std::size_t g = 0; g < now.size(); ++g)
          if (now[g] != before[g]) changed[g] = true;
      });
    bool first = repeats;
    for_each_time(repeats, [&](double at, const Speeds& now, bool raised) {
      any |= raised;
      for (std::size_t g = 0; g < now.size() && !first; ++g) changed[g] = now[g] != before[g];
      for_targets(now, changed, gpus_per_node_, [&](const char* key, Json target, double speed) {
        Json entry{{"at", format_quantity(at, Dimension::time)}, {key, std::move(target)}, {"compute_speed", speed}};
        if (repeats) entry["period"] = format_quantity(*periods_.begin(), Dimension::time);
        out.add(at, std::move(entry));
      });
      before = now;
      first = false;
    });
    return any;
  }

private:
  /// Calls `see` with the time of each change, the speeds from then on without stragglers, and whether there were any.
  template <class See> void for_each_time(bool repeats, const See& see) const {
    Speeds speeds = first_;
    // The speeds at the end of a period are those before the next one. The first period is like the others then, even
    // if it begins with other speeds.
    if (repeats)
      for (const PlatformChange& change : changes_) speeds[static_cast<std::size_t>(change.target)] = change.value;
    for (auto change = changes_.begin(); change != changes_.end();) {
      const double at = change->at;
      for (; change != changes_.end() && change->at == at; ++change)
        speeds[static_cast<std::size_t>(change->target)] = change->value;
      Speeds raised = speeds;
      const bool any = raise_to_median(raised);
      see(at, raised, any);
    }
  }

  int gpus_per_node_;
  Speeds first_; ///< before all changes
  std::vector<PlatformChange> changes_;
  std::set<double> periods_;
};

} // namespace

Settings changes_without_speeds(const Scenario& scenario, const Json& canonical) {
  TimedEntries entries;
  add_without_speeds(scenario, canonical, entries);
  Json left = entries.take();
  if (left == changes_of(canonical)) return {};
  return {{"changes", std::move(left)}};
}

std::optional<Settings> no_stragglers(const Scenario& scenario, const Json& canonical, const Platform& platform) {
  const SpeedTrack track(scenario, platform);
  if (!track.has_one_period()) return std::nullopt;
  Json overrides = overrides_of(canonical);
  TimedEntries changes;
  add_without_speeds(scenario, canonical, changes);
  Settings settings;
  if (track.raise(overrides, changes)) {
    if (overrides != overrides_of(canonical)) settings.emplace_back("platform.overrides", std::move(overrides));
    if (track.changes()) settings.emplace_back("changes", changes.take());
  }
  if (scenario.platform.jitter) settings.emplace_back("platform.jitter", Json());
  return settings;
}

} // namespace gradflight
