#include "analysis/explore/answers/advice.hpp"

#include "analysis/explore/answers/step_bytes.hpp"
#include "analysis/run/runner.hpp"
#include "platforms/code/platform.hpp"
#include "scenarios/language/json/diagnostics.hpp"
#include "scenarios/language/types/scenario.hpp"
#include "sim/message_count.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <optional>

namespace gradflight {
namespace {

using Clock = std::chrono::steady_clock;

/// The result of a change: whether it was read, and simulated in time.
struct Attempt {
  bool refused = false, late = false;
  TrainedStep step{};
};
template <class Visitor, Same<Attempt> A> void visit(Visitor& fields, A& a) { fields(a.refused, a.late, a.step); }

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

constexpr std::size_t best_topics = 3;
/// With and without hardware, with and without gradients of 16 bits: the best two of each, and all three.
constexpr std::int64_t most_combinations = 16;

/// Returns the best change of each topic, best first, of the wanted kinds. None of them is a part of another.
std::vector<const WhatIf*> best_of_topics(const std::vector<Tried>& tried, bool hardware, Fidelity worst) {
  std::vector<const Tried*> wanted;
  for (const Tried& t : tried)
    if ((t.what.kind == WhatIfKind::setting || (hardware && t.what.kind == WhatIfKind::hardware)) &&
        t.what.fidelity <= worst && t.gain > worth_saying)
      wanted.push_back(&t);
  std::ranges::stable_sort(wanted, [](const Tried* a, const Tried* b) { return a->gain > b->gain; });
  std::vector<const WhatIf*> best;
  for (const Tried* t : wanted) {
    const auto same = [&](const WhatIf* other) {
      return other->topic == t->what.topic || other->is_part_of(t->what) || t->what.is_part_of(*other);
    };
    if (best.size() < best_topics && std::ranges::none_of(best, same)) best.push_back(&t->what);
  }
  return best;
}

void add_combinations(const std::vector<const WhatIf*>& best, const WhatIfsAfter& after, std::vector<WhatIf>& all) {
  const auto add = [&](const std::vector<const WhatIf*>& parts) {
    WhatIf whole = together(parts, after);
    const auto same = [&](const WhatIf& other) { return other.change == whole.change; };
    if (!whole.set.empty() && std::ranges::none_of(all, same)) all.push_back(std::move(whole));
  };
  for (std::size_t a = 0; a < best.size(); ++a)
    for (std::size_t b = a + 1; b < best.size(); ++b) add({best[a], best[b]});
  if (best.size() == best_topics) add(best);
}

/// With faster hardware, a library may choose a worse algorithm. Such hardware is also tried with an algorithm of the
/// library's that makes the present choice.
void add_kept_choices(const Advice& advice, const WhatIfsAfter& after, std::vector<WhatIf>& all) {
  if (advice.step.call.empty()) return;
  for (const Tried& kept : advice.tried)
    for (const Tried& faster : advice.tried)
      if (kept.what.topic == "exchange" && kept.step.call == advice.step.call &&
          faster.what.kind == WhatIfKind::hardware && faster.step.call != advice.step.call)
        add_combinations({&faster.what, &kept.what}, after, all);
}

/// Changes that keep the gradients exact come first, then the best.
void sort_by_gain(std::vector<Tried>& tried) {
  std::ranges::stable_sort(tried, [](const Tried& a, const Tried& b) {
    return a.what.fidelity != b.what.fidelity ? a.what.fidelity < b.what.fidelity : a.gain > b.gain;
  });
}

/// Removes combinations that gain hardly more than a part of them alone.
void drop_useless_combinations(std::vector<Tried>& tried) {
  std::vector<const Tried*> useless;
  for (const Tried& whole : tried)
    if (whole.what.kind == WhatIfKind::together && std::ranges::any_of(tried, [&](const Tried& part) {
          return &part != &whole && part.what.is_part_of(whole.what) && part.gain + worth_saying > whole.gain;
        }))
      useless.push_back(&whole);
  std::vector<Tried> kept;
  for (Tried& each : tried)
    if (std::ranges::find(useless, &each) == useless.end()) kept.push_back(std::move(each));
  tried = std::move(kept);
}

} // namespace

double Advice::seconds(const TrainedStep& of) const {
  if (of_whole_runs()) return of.time;
  return of_run ? of.run_mean : of.cost();
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
             most_combinations);
  sort_by_gain(advice.tried);
  const auto after = [&](const WhatIf& change) {
    const Prepared changed = prepare_with(source, sets, change);
    return what_ifs(changed.scenario(), changed.canonical(), advice.step.best_checkpoint);
  };
  std::vector<WhatIf> combined;
  for (const Fidelity worst : {Fidelity::exact, Fidelity::half})
    for (const bool hardware : {false, true})
      add_combinations(best_of_topics(advice.tried, hardware, worst), after, combined);
  add_kept_choices(advice, after, combined);
  trials.run(combined, 0);
  drop_useless_combinations(advice.tried);
  if (options.progress) options.progress(1, 1); // no combinations may exist
  sort_by_gain(advice.tried);
  return advice;
}

} // namespace gradflight
