#include "analysis/run/result/slowing_change.hpp"

#include "base/human.hpp"
#include "platforms/code/platform.hpp"
#include "scenarios/language/types/scenario.hpp"
#include "sim/result/result.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace gradflight {
namespace {

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

std::string ChangedValues::text(const History& history, std::size_t at) const {
  const bool own = history[at].row == no_row;
  const std::size_t told = own ? at + 1 : at; // the platform's own value ends at the first change
  const double end = value_end(history, told);
  const ChangeRow& row = came_[history[told].row];
  return fmt::format(
      "{}{}: {} from {} {}", own ? "before " : "", row.target, row.what, human_seconds(row.at),
      at + 1 < history.size() && end < std::numeric_limits<double>::infinity() ? "to " + human_seconds(end) : "on");
}

std::string ChangedValues::slowing(const std::vector<What>& whats, const StepSpan& slow, const StepSpan& fast,
                                   std::uint32_t tiers) const {
  const History* slowest = nullptr;
  std::size_t when = 0;
  double most = 0;
  for (const auto& [of, history] : histories_) {
    if (std::ranges::find(whats, of.first) == whats.end() || !counts(of.first, of.second, tiers)) continue;
    const double usual = mean_in(history, fast);
    for (std::size_t i = 0; i < history.size(); ++i) {
      const bool latency = of.first == What::latency;
      if (!latency && !(usual > 0)) continue;
      const double worse = latency ? history[i].value - usual : 1 - history[i].value / usual;
      const double cost = seconds_in(history, i, slow) * worse;
      if (!(cost > most * (1 + 1e-9))) continue;
      most = cost;
      slowest = &history;
      when = i;
    }
  }
  return slowest == nullptr ? "" : text(*slowest, when);
}

} // namespace gradflight
