#include "sim/restarts.hpp"

#include "models/forms/checkpoint_interval.hpp"
#include "scenarios/language/types/scenario.hpp"
#include "sim/failures.hpp"
#include "sim/recovery/checkpoint_time.hpp"
#include "sim/recovery/lifetime.hpp"
#include "sim/sample_iterations.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <numeric>

namespace gradflight {

const CheckpointSpec* checkpoint_spec(const Scenario& scenario) {
  return scenario.recovery && scenario.recovery->checkpoint ? &*scenario.recovery->checkpoint : nullptr;
}

double mean_time_between(const FailureSpec& failures, const std::vector<Component>& components) {
  double rate = 0;
  for (int k = 0; k < component_kinds; ++k) {
    const auto kind = static_cast<ComponentKind>(k);
    const auto count = std::ranges::count(components, kind, &Component::kind);
    if (failures.at(kind)) rate += static_cast<double>(count) / failures.at(kind)->mtbf.value();
  }
  return 1 / rate;
}

void note(FailuresResult& result, const Outage& outage, const std::vector<Component>& components) {
  if (result.outages.size() < FailuresResult::outages_kept)
    result.outages.push_back({outage.at, outage.until, components[outage.component].name});
}

namespace {

/// Failures over all lifetimes; with more, no other intervals are tried.
constexpr std::int64_t failures_searched = 1'000'000;

/// Returns the times to write and read a checkpoint; 0 if none are written.
CheckpointTimes checkpoint_of(const Scenario& scenario, const Platform& platform) {
  const CheckpointSpec* checkpoint = checkpoint_spec(scenario);
  if (checkpoint == nullptr) return {0, 0};
  if (!checkpoint->bytes) {
    const double write = checkpoint->write->value();
    return {write, checkpoint->read ? checkpoint->read->value() : write};
  }
  std::vector<int> storage;
  for (const int node : checkpoint->to) storage.push_back(platform.first_place(node));
  std::vector<int> ranks(static_cast<std::size_t>(scenario.workers()));
  std::iota(ranks.begin(), ranks.end(), 0);
  return checkpoint_times(scenario.platform, platform, ranks, storage, checkpoint->bytes->value());
}

/// Returns the job on its first `nodes` nodes, followed by its own storage nodes, if any.
Scenario on_fewer_nodes(const Scenario& scenario, int nodes) {
  Scenario fewer = scenario;
  fewer.platform.nodes = nodes;
  if (fewer.recovery->checkpoint)
    for (int& node : fewer.recovery->checkpoint->to)
      if (node >= scenario.platform.nodes) node -= scenario.platform.nodes - nodes;
  return fewer;
}

/// The paces of the job on fewer nodes, simulated on request.
class Paces {
public:
  Paces(const Scenario& scenario, const SimulateOptions& options) : scenario_(scenario), options_(options) {
    options_.timeline = nullptr;
  }
  const Pace& operator()(int nodes) {
    if (const auto found = paces_.find(nodes); found != paces_.end()) return found->second;
    const Scenario fewer = on_fewer_nodes(scenario_, nodes);
    const Platform platform = build_platform(fewer.platform, extra_nodes(fewer));
    IterationSample sample = sample_iterations(fewer, platform, options_);
    const CheckpointTimes checkpoint = checkpoint_of(fewer, platform);
    return paces_.emplace(nodes, Pace{std::move(sample.times), checkpoint.write, checkpoint.read}).first->second;
  }

private:
  const Scenario& scenario_;
  SimulateOptions options_;
  std::map<int, Pace> paces_;
};

LifetimeSetup setup_of(const Scenario& scenario, const Platform& platform, const IterationTimes& times, Paces& paces,
                       FailuresResult& result) {
  LifetimeSetup setup;
  setup.iterations = scenario.phases.back().training.iterations;
  setup.detection = scenario.recovery->detection.value();
  setup.restart = scenario.recovery->restart.value();
  setup.spares = scenario.recovery->spares;
  setup.nodes = scenario.platform.nodes;
  setup.least_nodes = scenario.recovery->least_nodes.value_or(setup.nodes);
  setup.pace = [&paces](int nodes) -> const Pace& { return paces(nodes); };
  if (scenario.limits.simulated_time) setup.time_limit = scenario.limits.simulated_time->value();
  if (scenario.limits.wall_time)
    setup.deadline = std::chrono::steady_clock::now() +
                     std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                         std::chrono::duration<double>(std::min(scenario.limits.wall_time->value(), 1e9)));
  const CheckpointSpec* checkpoint = checkpoint_spec(scenario);
  if (checkpoint == nullptr) return setup;
  setup.asynchronous = checkpoint->asynchronous;
  const CheckpointTimes took = checkpoint_of(scenario, platform);
  setup.write = took.write;
  setup.read = took.read;
  setup.every = checkpoint->every_iterations;
  if (checkpoint->every_time) setup.every_time = checkpoint->every_time->value();
  result.write = setup.write;
  result.read = setup.read;
  result.every = iterations_between(setup, times.period());
  const double interval = static_cast<double>(result.every) * times.period();
  if (!setup.asynchronous && interval < setup.write)
    throw SimulationFailure(fmt::format("a checkpoint takes {:.6g} s to write, longer than the {} iteration(s) between "
                                        "two checkpoints, {:.6g} s: increase recovery.checkpoint.every",
                                        setup.write, result.every, interval),
                            {});
  return setup;
}

class Lives {
public:
  Lives(const Scenario& scenario, const std::vector<Component>& components, const IterationTimes& times)
      : failures_(*scenario.failures), components_(components), times_(times) {}

  [[nodiscard]] LifeEnd live(const LifetimeSetup& setup, int repeat, FailuresResult* notes = nullptr) const {
    Outages outages(failures_, components_, repeat);
    if (notes != nullptr) outages.watch([this, notes](const Outage& outage) { note(*notes, outage, components_); });
    return gradflight::live(times_, setup, outages, components_);
  }
  /// Returns the mean goodput over all repeats; 0 if one does not end.
  [[nodiscard]] double goodput(const LifetimeSetup& setup) const {
    double sum = 0;
    for (int repeat = 0; repeat < failures_.repeats; ++repeat) {
      const LifeEnd end = live(setup, repeat);
      if (!end.why_not.empty()) return 0;
      sum += end.life.goodput();
    }
    return sum / failures_.repeats;
  }
  /// Tries intervals around the theoretical one, each a fourth root of 2 longer than the one before.
  [[nodiscard]] std::vector<CheckpointInterval> try_intervals(LifetimeSetup setup, double mtbf) const {
    constexpr int octaves = 4, in_octave = 4;
    const double about = std::max(1.0, daly_interval(std::max(setup.write, 1e-9 * mtbf), mtbf) / times_.period());
    const std::int64_t own = iterations_between(setup, times_.period());
    std::vector<CheckpointInterval> tried = {{own, goodput(setup)}};
    for (int i = -octaves * in_octave; i <= octaves * in_octave; ++i) {
      const double wanted = std::round(about * std::pow(2, static_cast<double>(i) / in_octave));
      if (wanted > static_cast<double>(setup.iterations)) break;
      const auto every = std::max<std::int64_t>(1, static_cast<std::int64_t>(wanted));
      if (every == own || every == setup.every) continue;
      if (!setup.asynchronous && static_cast<double>(every) * times_.period() < setup.write) continue;
      setup.every = every;
      tried.push_back({every, goodput(setup)});
    }
    return tried;
  }

private:
  const FailureSpec& failures_;
  const std::vector<Component>& components_;
  const IterationTimes& times_;
};

} // namespace

RunResult simulate_restarts(const Scenario& scenario, const Platform& platform, const SimulateOptions& options,
                            const std::vector<Component>& components) {
  auto [run, times] = sample_iterations(scenario, platform, options);
  FailuresResult result;
  result.mtbf = mean_time_between(*scenario.failures, components);
  result.simulated_iterations = times.simulated();
  result.steady = times.steady();
  result.period = times.period();
  Paces paces(scenario, options);
  const LifetimeSetup setup = setup_of(scenario, platform, times, paces, result);
  const Lives lives(scenario, components, times);
  std::int64_t failed = 0;
  for (int repeat = 0; repeat < scenario.failures->repeats; ++repeat) {
    LifeEnd end = lives.live(setup, repeat, repeat == 0 ? &result : nullptr);
    if (!end.why_not.empty()) throw SimulationFailure(end.why_not, {});
    result.goodputs.push_back(end.life.goodput());
    failed += end.life.failure_count();
    if (repeat == 0) result.first = end.life;
  }
  if (result.every > 0 && failed > 0 && failed <= failures_searched) {
    result.tried = lives.try_intervals(setup, result.mtbf);
    result.best = *std::ranges::max_element(result.tried, {}, &CheckpointInterval::goodput); // the first: the job's own
    std::ranges::sort(result.tried, {}, &CheckpointInterval::iterations);
  }
  extend(run, times, setup.iterations);
  run.time = result.first.elapsed;
  run.failures = std::move(result);
  return std::move(run);
}

} // namespace gradflight
