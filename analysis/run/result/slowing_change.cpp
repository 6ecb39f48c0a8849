#include "analysis/run/result/slowing_change.hpp"

#include "base/human.hpp"
#include "platforms/code/platform.hpp"
#include "scenarios/language/types/scenario.hpp"
#include "sim/result/result.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <string_view>

namespace gradflight {
namespace {

constexpr double equal = 1e-9;                 ///< relative
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

ChangedValues::ChangedValues(const Scenario& scenario, const Platform& platform, const std::vector<ChangeRow>& came,
                             const RunResult& result)
    : platform_(platform), came_(came), result_(result) {
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

/// A link without traffic slows nothing down.
bool ChangedValues::counts(What what, std::int32_t target, std::uint32_t tiers) const {
  if (what > What::link_state) return true;
  if (static_cast<std::size_t>(target) >= result_.links.size()) return false;
  const LinkResult& link = result_.links[static_cast<std::size_t>(target)];
  return link.bytes > 0 && (tiers >> static_cast<unsigned>(link.role.tier) & 1U) != 0;
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

/// How much worse than `usual` a value was in the slow step, times how long.
double ChangedValues::cost(What what, const History& history, std::size_t at, const StepSpan& slow, double usual) {
  const bool latency = what == What::latency;
  if (!latency && !(usual > 0)) return 0;
  return seconds_in(history, at, slow) * (latency ? history[at].value - usual : 1 - history[at].value / usual);
}

std::string ChangedValues::slowing(const std::vector<What>& whats, const StepSpan& slow, const StepSpan& fast,
                                   std::uint32_t tiers) const {
  std::vector<const History*> slowest; // of equal cost, from the same change on
  std::size_t when = 0;
  double most = 0;
  for (const auto& [of, history] : histories_) {
    if (std::ranges::find(whats, of.first) == whats.end() || !counts(of.first, of.second, tiers)) continue;
    const double usual = mean_in(history, fast);
    for (std::size_t i = 0; i < history.size(); ++i) {
      const double own = cost(of.first, history, i, slow, usual);
      if (own > most * (1 + equal)) {
        most = own;
        slowest = {&history};
        when = i;
      } else if (!slowest.empty() && i == when && own > most * (1 - equal) && same_changes(*slowest.front(), history)) {
        slowest.push_back(&history);
      }
    }
  }
  return slowest.empty() ? "" : text(slowest, when);
}

/// Whether two targets have the same changes, at the same times.
bool ChangedValues::same_changes(const History& a, const History& b) const {
  return std::ranges::equal(a, b, [&](const Value& x, const Value& y) {
    return x.at == y.at && (x.row == no_row) == (y.row == no_row) &&
           (x.row == no_row || came_[x.row].what == came_[y.row].what);
  });
}

} // namespace gradflight
