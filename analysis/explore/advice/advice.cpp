#include "analysis/explore/advice/advice.hpp"

#include "analysis/explore/advice/combinations.hpp"
#include "analysis/explore/steps/step_bytes.hpp"
#include "analysis/run/runner.hpp"
#include "platforms/code/platform.hpp"
#include "scenarios/language/json/diagnostics.hpp"
#include "scenarios/language/types/scenario.hpp"
#include "sim/engine/streams/failure.hpp"
#include "sim/message_count.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <numeric>
#include <optional>

namespace gradflight {
namespace {

using Clock = std::chrono::steady_clock;

/// The result of a change: whether it was read, and simulated in time.
struct Attempt {
  bool refused = false, late = false;
  std::string failure{}; ///< if its simulation failed, though not for lack of time
  TrainedStep step{};
};
template <class Visitor, Same<Attempt> A> void visit(Visitor& fields, A& a) {
  auto& [refused, late, failure, step] = a;
  fields(refused, late, failure, step);
}

Prepared prepare_with(const ScenarioSource& source, std::vector<std::string> sets, const WhatIf& change) {
  for (std::string& set : change.sets()) sets.push_back(std::move(set));
  return prepare_changed(source, {sets, {}, {}});
}

class Trials {
public:
  Trials(const ScenarioSource& source, const std::vector<std::string>& sets, const AdviceOptions& options,
         Advice& advice)
      : source_(source), sets_(sets), jobs_(options.jobs), progress_(options.progress),
        deadline_(Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                     std::chrono::duration<double>(std::min(options.budget, 1e9)))),
        advice_(advice) {}

  /// Adds each change that is valid and ends in time to the tried ones. `later`: number of changes tried after these.
  void run(const std::vector<WhatIf>& what_ifs, std::int64_t later) {
    const std::vector<std::size_t> order = cheapest_first(what_ifs);
    std::vector<std::optional<TrainedStep>> steps(what_ifs.size());
    RunnerOptions options{.jobs = jobs_};
    const std::int64_t all = ended_ + std::ssize(what_ifs) + later;
    if (progress_) options.progress = [&](std::int64_t done, std::int64_t) { progress_(ended_ + done, all); };
    run_cases(
        what_ifs.size(), options, [&](std::size_t i, Process process) { return attempt(what_ifs[order[i]], process); },
        [&](std::size_t i, Answer<Attempt> answer) {
          if (!answer.finished() || answer.value.late)
            ++advice_.left_out;
          else if (!answer.value.failure.empty())
            advice_.failed.push_back(fmt::format("{}: {}", what_ifs[order[i]].change, answer.value.failure));
          else if (!answer.value.refused)
            steps[order[i]] = std::move(answer.value.step);
        });
    for (std::size_t i = 0; i < what_ifs.size(); ++i)
      if (steps[i]) keep(what_ifs[i], std::move(*steps[i]));
    ended_ += std::ssize(what_ifs);
  }

private:
  [[nodiscard]] double left() const { return std::chrono::duration<double>(deadline_ - Clock::now()).count(); }

  [[nodiscard]] Prepared prepare(const WhatIf& what) const { return prepare_with(source_, sets_, what); }

  /// Messages to simulate one by one, or an estimate: if passes take longer than the scenario's own messages, calls do
  /// not meet, and repeat each other.
  [[nodiscard]] double work(const WhatIf& what) const {
    try {
      const Prepared prepared = prepare(what);
      const Scenario& scenario = prepared.scenario();
      const MessageCount count = message_count(scenario, prepared.platform(), true);
      const double passes =
          (scenario.workload.forward() + scenario.workload.backward()) / prepared.platform().place(0).compute_speed;
      const bool hidden = scenario.phases.back().training.overlap.kind == OverlapKind::layerwise &&
                          passes > advice_.step.communication_time;
      return hidden ? count.unlike : count.one_by_one;
    } catch (const InputErrors&) {
      return 0;
    } catch (const UnbuildablePlatform&) {
      return 0;
    }
  }

  /// Cheapest first, so that the budget covers as many as possible. If the scenario itself is fast, all are tried.
  [[nodiscard]] std::vector<std::size_t> cheapest_first(const std::vector<WhatIf>& what_ifs) const {
    constexpr double slow = 1e6; // messages: at least a tenth of a second
    std::vector<std::size_t> order(what_ifs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (advice_.step.messages < slow) return order;
    std::vector<double> works;
    for (const WhatIf& what : what_ifs) works.push_back(work(what));
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return works[i]; });
    return order;
  }

  Attempt attempt(const WhatIf& what, Process process) const {
    const double budget = left();
    if (budget <= 0) return {.late = true};
    try {
      Scenario scenario = prepare(what).scenario();
      const double own = scenario.limits.wall_time ? scenario.limits.wall_time->value() : budget;
      scenario.limits.wall_time = Seconds(std::min(own, budget));
      const Prepared prepared(std::move(scenario), "");
      return {.step = step_of(prepared, simulate(prepared, {.process = process, .only_times = false}))};
    } catch (const InputErrors&) {
      return {.refused = true};
    } catch (const UnbuildablePlatform&) {
      return {.refused = true};
    } catch (const SimulationFailure& failure) {
      constexpr double hardly_any = 0.05; // of the time that was left
      if (left() <= hardly_any * budget) return {.late = true};
      return {.failure = failure.what()};
    }
  }

  void keep(const WhatIf& what, TrainedStep step) {
    const double before = advice_.seconds(advice_.step), after = advice_.seconds(step);
    const double gain = before > 0 ? 1 - after / before : 0;
    advice_.tried.push_back({what, std::move(step), after, gain});
  }

  const ScenarioSource& source_;
  const std::vector<std::string>& sets_;
  int jobs_;
  const BatchProgress& progress_;
  std::int64_t ended_ = 0;
  Clock::time_point deadline_;
  Advice& advice_;
};

/// Changes that keep the gradients exact come first, then the best.
void sort_by_gain(std::vector<Tried>& tried) {
  std::ranges::stable_sort(tried, [](const Tried& a, const Tried& b) {
    return a.what.fidelity != b.what.fidelity ? a.what.fidelity < b.what.fidelity : a.gain > b.gain;
  });
}

} // namespace

double Advice::seconds(const TrainedStep& of) const {
  if (of_whole_runs()) return of.time;
  return of_run ? of.run_mean : of.cost();
}

bool gains_by_a_part_alone(const Advice& advice, const Tried& whole) {
  return std::ranges::any_of(advice.tried, [&](const Tried& part) {
    const bool comparable = whole.what.kind == WhatIfKind::together || part.what.kind == whole.what.kind;
    return &part != &whole && comparable && part.what.is_part_of(whole.what) && part.gain + worth_saying > whole.gain;
  });
}

std::vector<const Tried*> worth_showing(const Advice& advice, const std::vector<WhatIfKind>& kinds,
                                        std::initializer_list<Fidelity> fidelities) {
  std::vector<const Tried*> shown;
  for (const Tried& tried : advice.tried)
    if (std::ranges::find(kinds, tried.what.kind) != kinds.end() && tried.gain >= worth_saying &&
        std::ranges::find(fidelities, tried.what.fidelity) != fidelities.end() && !gains_by_a_part_alone(advice, tried))
      shown.push_back(&tried);
  return shown;
}

Advice advise(const ScenarioSource& source, const std::vector<std::string>& sets, const AdviceOptions& options) {
  std::vector<Prepared> itself;
  itself.push_back(prepare_one_job(source, sets));
  Advice advice;
  advice.scenario = itself.front().scenario().name;
  Trials trials(source, sets, options, advice);
  BatchProgress before;
  if (options.progress) before = [&](std::int64_t, std::int64_t) { options.progress(0, 0); };
  StepAnswer answer = simulate_steps(itself, 1, before).front();
  advice.failure = std::move(answer.failure);
  advice.step = std::move(answer.step);
  advice.of_run = advice.step.may_differ && !advice.step.goodput;
  if (!advice.failure.empty()) return advice;
  trials.run(what_ifs(itself.front().scenario(), itself.front().canonical(), advice.step.best_checkpoint),
             Combinations::most);
  sort_by_gain(advice.tried);
  const auto prepare = [&](const WhatIf& change) { return prepare_with(source, sets, change); };
  trials.run(Combinations(prepare, advice.step.best_checkpoint).best(advice), 0);
  drop_useless_combinations(advice);
  if (options.progress) options.progress(1, 1); // no combinations may exist
  sort_by_gain(advice.tried);
  return advice;
}

} // namespace gradflight
