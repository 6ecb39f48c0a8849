#include "analysis/runs/evaluate.hpp"

#include "sim/simgrid/simgrid_engine.hpp"

namespace gradflight {

RunResult simulate(const Prepared& prepared, const EvaluateOptions& options) {
  const SimulateOptions recorded{options.timeline, options.progress, options.only_times};
  const bool on_simgrid = options.simgrid_clock || prepared.scenario().engine.kind == EngineKind::simgrid;
  if (!on_simgrid) return simulate(prepared.scenario(), prepared.platform(), recorded);
  if (options.process == Process::shared) throw NeedsOwnProcess();
  return simulate_on_simgrid(prepared.scenario(), prepared.platform(), recorded);
}

namespace {

/// The run's time if announcements raced the other way; nothing where that is the same.
std::optional<double> other_race_time(const Prepared& prepared, double time) {
  if (!prepared.scenario().platform.protocol) return std::nullopt;
  Scenario changed = prepared.scenario();
  Announcements& race = changed.platform.protocol->announcements;
  race = other(race);
  const double other_time = simulate(changed, prepared.platform(), SimulateOptions{}).time;
  return other_time != time ? std::optional(other_time) : std::nullopt;
}

} // namespace

RunResult simulate_with_race(const Prepared& prepared, const EvaluateOptions& options) {
  RunResult result = simulate(prepared, options);
  result.other_race_time = other_race_time(prepared, result.time);
  return result;
}

Outcome evaluate(const Prepared& prepared, const EvaluateOptions& options) {
  Outcome outcome = outcome_of(prepared, simulate_with_race(prepared, options));
  if (options.timeline != nullptr)
    for (const ChangeRow& row : outcome.changes) options.timeline->marks.push_back({row.at, row.of + ": " + row.what});
  return outcome;
}

Outcome outcome_of(const Prepared& prepared, RunResult result) {
  auto dearest = dearest_links(result);
  auto changes = changes_until(prepared.scenario().changes, result.time);
  return {prepared.scenario(), prepared.id(),
          std::move(result),   closed_form(prepared.scenario(), prepared.platform()),
          std::move(dearest),  std::move(changes)};
}

} // namespace gradflight
