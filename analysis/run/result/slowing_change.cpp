#include "analysis/run/result/slowing_change.hpp"

#include "base/human.hpp"
#include "base/letters.hpp"
#include "platforms/code/platform.hpp"
#include "scenarios/language/types/scenario.hpp"
#include "sim/result/result.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <limits>
#include <tuple>

namespace gradflight {
namespace {

constexpr double nothing = 1e-9;               ///< relative
constexpr std::size_t most_values = 1'000'000; ///< limit for changes that repeat on many links
constexpr double never = std::numeric_limits<double>::infinity();

/// Returns "node1.up, node2.up and 3 more".
std::string names_text(const std::vector<std::string>& names) {
  constexpr std::size_t most_names = 3;
  if (names.size() <= most_names) return enumerated(names, " and ");
  std::vector<std::string> first(names.begin(), names.begin() + most_names);
  first.push_back(fmt::format("{} more", names.size() - most_names));
  return enumerated(first, " and ");
}

} // namespace

ChangeTimes::ChangeTimes(const Scenario& scenario, const Platform& platform, const std::vector<ChangeRow>& came)
    : came_(came) {
  std::vector<PlatformError> errors;
  std::vector<std::vector<PlatformChange>> by_entry(scenario.changes.size());
  for (const PlatformChange& change : find_changes(scenario.changes, scenario.platform, platform, errors))
    by_entry[static_cast<std::size_t>(change.entry)].push_back(change);
  std::size_t values = 0;
  for (std::size_t row = 0; row < came.size() && values < most_values; ++row)
    for (const PlatformChange& change : by_entry[came[row].entry]) {
      histories_[{change.what, change.target}].push_back({came[row].at, row});
      ++values;
    }
}

/// Sums up the costs by entry. If a change made a target better in the fast step, and another one made it worse in the
/// slow step, the latter has both.
ChangeTimes::EntryCosts ChangeTimes::entry_costs(const std::vector<What>& whats, const StepCosts& slow,
                                                 const StepCosts& fast) {
  EntryCosts all;
  std::map<Target, std::int32_t> worse; // the entry that made a target worse in the slow step
  const auto counts = [&](const ChangeCost& cost) { return std::ranges::find(whats, cost.what) != whats.end(); };
  for (const ChangeCost& cost : slow.costs) {
    if (!counts(cost)) continue;
    EntryCost& of = all[{cost.what, cost.entry}];
    of.slow += cost.seconds;
    if (cost.seconds <= 0) continue;
    of.slow_targets.emplace(cost.what, cost.target);
    worse[{cost.what, cost.target}] = cost.entry;
  }
  for (const ChangeCost& cost : fast.costs) {
    if (!counts(cost)) continue;
    const auto instead = worse.find({cost.what, cost.target});
    const bool moves = cost.seconds < 0 && instead != worse.end();
    EntryCost& of = all[{cost.what, moves ? instead->second : cost.entry}];
    of.fast += cost.seconds;
    if (cost.seconds < 0) of.fast_targets.emplace(cost.what, cost.target);
  }
  return all;
}

/// Returns when an entry was in force on some targets during a step; nothing if its times are not known. If it was not,
/// it is the last time before.
std::optional<ChangeTimes::Window> ChangeTimes::window(const std::set<Target>& targets, std::int32_t entry,
                                                       const StepSpan& span) const {
  std::optional<Window> during, before;
  for (const Target& target : targets) {
    const auto found = histories_.find(target);
    if (found == histories_.end()) continue;
    const std::vector<Change>& history = found->second;
    for (std::size_t i = 0; i < history.size() && history[i].at < span.end; ++i) {
      if (came_[history[i].row].entry != static_cast<std::size_t>(entry)) continue;
      const double until = i + 1 < history.size() ? history[i + 1].at : never;
      const Window one{history[i].at, until, {history[i].at}, history[i].row};
      if (until <= span.begin) {
        if (!before || before->from < one.from) before = one;
      } else if (!during) {
        during = one;
      } else {
        during->from = std::min(during->from, one.from);
        during->until = std::max(during->until, until);
        during->times.insert(one.from);
      }
    }
  }
  return during ? during : before;
}

std::vector<SlowingChange> ChangeTimes::slowing(const std::vector<What>& whats, const StepCosts& slow,
                                                const StepCosts& fast) const {
  struct Candidate {
    std::string text; ///< without the names of the targets
    double seconds = 0;
    std::vector<std::string> names{};
  };
  std::vector<Candidate> found;
  double more = 0, sum = 0;
  for (const auto& [key, cost] : entry_costs(whats, slow, fast)) {
    more += cost.more();
    if (!(cost.more() > nothing * slow.span.length())) continue;
    const bool only = cost.only_in_fast();
    const auto in_force =
        only ? window(cost.fast_targets, key.second, fast.span) : window(cost.slow_targets, key.second, slow.span);
    if (!in_force) continue;
    const ChangeRow& row = came_[in_force->row];
    std::string text = fmt::format("{} {}", row.what, only ? "only " : "");
    if (in_force->times.size() > 1) text += fmt::format("{} times ", in_force->times.size());
    text += fmt::format("from {} {}", human_seconds(in_force->from),
                        in_force->until < never ? "to " + human_seconds(in_force->until) : "on");
    sum += cost.more();
    const auto same = std::ranges::find(found, text, &Candidate::text);
    Candidate& candidate = same != found.end() ? *same : found.emplace_back(Candidate{text});
    candidate.seconds += cost.more();
    if (std::ranges::find(candidate.names, row.target) == candidate.names.end()) candidate.names.push_back(row.target);
  }
  // Changes that cost the slow step less than the fast one make up for a part of the others.
  const double scale = sum > 0 ? std::clamp(more / sum, 0.0, 1.0) : 0;
  std::ranges::stable_sort(found, std::greater{}, &Candidate::seconds);
  std::vector<SlowingChange> changes;
  for (const Candidate& candidate : found)
    if (scale > 0)
      changes.push_back(
          {fmt::format("{}: {}", names_text(candidate.names), candidate.text), candidate.seconds * scale});
  return changes;
}

} // namespace gradflight
