#include "analysis/run/result/slowing_change.hpp"

#include "base/human.hpp"
#include "platforms/code/platform.hpp"
#include "scenarios/language/types/scenario.hpp"
#include "sim/result/result.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <set>
#include <string_view>

namespace gradflight {
namespace {

constexpr double nothing = 1e-9;               ///< relative
constexpr std::size_t most_values = 1'000'000; ///< limit for changes that repeat on many links

double value_end(const auto& history, std::size_t at) {
  return at + 1 < history.size() ? history[at + 1].at : std::numeric_limits<double>::infinity();
}

/// Returns the seconds of a span during which a value was in force.
double seconds_in(const auto& history, std::size_t at, const StepSpan& span) {
  return std::max(0.0, std::min(span.end, value_end(history, at)) - std::max(span.begin, history[at].at));
}

double mean_in(const auto& history, const StepSpan& span) {
  double sum = 0;
  for (std::size_t i = 0; i < history.size(); ++i) sum += seconds_in(history, i, span) * history[i].value;
  return sum / span.length();
}

} // namespace

ChangedValues::ChangedValues(const Scenario& scenario, const Platform& platform, const std::vector<ChangeRow>& came)
    : platform_(platform), came_(came) {
  std::vector<PlatformError> errors;
  std::vector<std::vector<PlatformChange>> by_entry(scenario.changes.size());
  for (const PlatformChange& change : find_changes(scenario.changes, scenario.platform, platform, errors))
    by_entry[static_cast<std::size_t>(change.entry)].push_back(change);
  std::size_t values = 0;
  for (std::size_t row = 0; row < came.size() && values < most_values; ++row)
    for (const PlatformChange& change : by_entry[came[row].entry]) {
      History& history = histories_[{change.what, change.target}];
      if (history.empty()) history.push_back({0, own_value(change.what, change.target), no_row});
      history.push_back({came[row].at, change.value, row});
      ++values;
    }
}

double ChangedValues::own_value(What what, std::int32_t target) const {
  switch (what) {
  case What::bandwidth: return platform_.link(target).bandwidth;
  case What::latency: return platform_.link(target).latency;
  case What::compute_speed: return platform_.place(target).compute_speed;
  default: return 1;
  }
}

std::string ChangedValues::text(const std::vector<const History*>& alike, std::size_t at) const {
  const History& history = *alike.front();
  const bool own = history[at].row == no_row;
  const std::size_t told = own ? at + 1 : at; // the platform's own value ends at the first change
  const double end = value_end(history, told);
  const ChangeRow& row = came_[history[told].row];
  std::vector<std::string> names;
  std::set<std::string_view> known;
  for (const History* other : alike)
    if (const std::string& name = came_[(*other)[told].row].target; known.insert(name).second) names.push_back(name);
  constexpr std::size_t most_names = 3;
  std::string targets;
  for (std::size_t i = 0; i < std::min(names.size(), most_names); ++i)
    targets += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  if (names.size() > most_names) targets += fmt::format(" and {} more", names.size() - most_names);
  return fmt::format(
      "{}: {} {}from {} {}", targets, row.what, own ? "only " : "", human_seconds(row.at),
      at + 1 < history.size() && end < std::numeric_limits<double>::infinity() ? "to " + human_seconds(end) : "on");
}

/// Returns how much less the target would have held up the path with its usual value (seconds).
double ChangedValues::cost(const ChangeUse& use, const History& history, std::size_t at, const StepSpan& slow,
                           double usual) {
  const double value = history[at].value, in_force = seconds_in(history, at, slow);
  if (use.what == What::latency) return value > 0 ? use.seconds * in_force / slow.length() * (1 - usual / value) : 0;
  return usual > 0 ? std::min(use.seconds, in_force) * (1 - value / usual) : 0;
}

std::vector<SlowingChange> ChangedValues::slowing(const std::vector<What>& whats, std::span<const ChangeUse> uses,
                                                  const StepSpan& slow, const StepSpan& fast) const {
  struct Candidate {
    double seconds;
    std::vector<const History*> alike; ///< with the same changes
    std::size_t when;
  };
  std::vector<Candidate> found;
  for (const ChangeUse& use : uses) {
    const auto of = histories_.find({use.what, use.target});
    if (of == histories_.end() || std::ranges::find(whats, use.what) == whats.end()) continue;
    const History& history = of->second;
    const double usual = mean_in(history, fast);
    for (std::size_t i = 0; i < history.size(); ++i) {
      const double seconds = cost(use, history, i, slow, usual);
      if (!(seconds > nothing * slow.length())) continue;
      const auto same = std::ranges::find_if(
          found, [&](const Candidate& c) { return c.when == i && same_changes(*c.alike.front(), history); });
      if (same == found.end()) {
        found.push_back({seconds, {&history}, i});
      } else {
        same->seconds += seconds;
        same->alike.push_back(&history);
      }
    }
  }
  std::ranges::stable_sort(found, std::greater{}, &Candidate::seconds);
  std::vector<SlowingChange> changes;
  for (const Candidate& candidate : found)
    changes.push_back({text(candidate.alike, candidate.when), candidate.seconds});
  return changes;
}

/// Whether two targets have the same changes, at the same times.
bool ChangedValues::same_changes(const History& a, const History& b) const {
  return std::ranges::equal(a, b, [&](const Value& x, const Value& y) {
    return x.at == y.at && (x.row == no_row) == (y.row == no_row) &&
           (x.row == no_row || came_[x.row].what == came_[y.row].what);
  });
}

} // namespace gradflight
