#include "sim/repeated_iterations.hpp"

#include "scenarios/language/types/scenario.hpp"
#include "sim/engine/streams/iteration_history.hpp"
#include "sim/sample_iterations.hpp"

#include <algorithm>
#include <cmath>

namespace gradflight {
namespace {

/// From this many iterations on, two runs, of simulated_iterations and one fewer, are cheaper than one of all.
constexpr std::int64_t simulated_iterations = 5, fewest_iterations = 16;

/// For the run that stands for all; its result must list each iteration.
std::int64_t iterations_to_simulate(const Scenario& scenario) {
  std::int64_t all = simulated_iterations - scenario.phases.back().training.iterations;
  for (const Phase& phase : scenario.phases) all += phase.training.iterations;
  return all;
}

/// Extrapolates a run by `more` iterations; `shorter` is a run of one iteration fewer.
class Continued {
public:
  Continued(const RunResult& shorter, double more) : before_(shorter), more_(more) {}

  /// Returns whether one more iteration adds what the last two whole ones of `run` have added. Critical paths that tie
  /// are equally long, and rounding may choose another one in a run of another length.
  [[nodiscard]] bool next_repeats(const RunResult& run) const {
    const double near = 1e-11 * run.time; // the tolerance of IterationHistory
    const auto same = [near](double a, double b) { return std::abs(a - b) <= near; };
    const std::size_t n = run.iterations.size();
    const auto from_end = [&](std::size_t back) -> const IterationResult& { return run.iterations[n - 1 - back]; };
    const IterationResult &last = run.iterations.back(), &shorter = before_.iterations.back();
    const auto each = [&](const auto& of) {
      const double step = of(last) - of(shorter);
      return same(of(from_end(1)) - of(from_end(2)), step) && same(of(from_end(2)) - of(from_end(3)), step);
    };
    bool alike =
        each([](const IterationResult& i) { return i.end; }) && same(run.time - before_.time, last.end - shorter.end);
    for (std::size_t p = 0; p < run.path.size(); ++p)
      alike = alike && each([p](const IterationResult& i) { return i.path[p]; }) &&
              same(run.path[p] - before_.path[p], last.path[p] - shorter.path[p]);
    for (std::size_t t = 0; t < last.held.size(); ++t)
      alike = alike && each([t](const IterationResult& i) { return i.held[t]; });
    const PathDetails added = last.details - shorter.details;
    for (const std::size_t back : {1U, 2U})
      (from_end(back).details - from_end(back + 1).details).change_each(added, [&](double a, double b) {
        alike = alike && same(a, b);
      });
    // No iteration lists its own link delays, so this checks their sum over the run.
    for (const LinkDelay& delay : run.delays) {
      const double step = delay.seconds - delay_before(delay.link);
      alike = alike && step >= -near && 3 * step <= delay.seconds + near;
    }
    return alike;
  }

  void continue_run(RunResult& run) const {
    // These are means over the last phase's iterations; the sums behind them grow evenly.
    constexpr auto n = static_cast<double>(simulated_iterations);
    const auto mean = [&](double& to, double from) { to = sum(to * n, from * (n - 1)) / (n + more_); };
    mean(run.compute_time, before_.compute_time);
    mean(run.communication_time, before_.communication_time);
    mean(run.exposed_communication_time, before_.exposed_communication_time);
    const double step = run.iterations.back().end - before_.iterations.back().end;
    IterationResult each; // what one iteration adds
    each.end = step;
    for (std::size_t i = 0; i < each.path.size(); ++i)
      each.path[i] = run.iterations.back().path[i] - before_.iterations.back().path[i];
    for (std::size_t i = 0; i < each.held.size(); ++i)
      each.held[i] = run.iterations.back().held[i] - before_.iterations.back().held[i];
    each.details = run.iterations.back().details - before_.iterations.back().details;
    add_iterations(run.iterations, each);

    for (double* at : {&run.iteration_begin, &run.iteration_end}) *at += more_ * step;
    grow(run.time, before_.time);
    run.messages += static_cast<std::int64_t>(more_) * (run.messages - before_.messages);
    grow(run.payload_bytes, before_.payload_bytes);
    grow(run.wire_bytes, before_.wire_bytes);
    grow(run.received_bytes, before_.received_bytes);
    for (std::size_t i = 0; i < run.path.size(); ++i) grow(run.path[i], before_.path[i]);
    for (std::size_t l = 0; l < run.links.size(); ++l) {
      grow(run.links[l].bytes, before_.links[l].bytes);
      grow(run.links[l].busy, before_.links[l].busy);
    }
    for (LinkDelay& delay : run.delays) grow(delay.seconds, delay_before(delay.link));
  }

private:
  [[nodiscard]] double sum(double to, double from) const { return to + more_ * (to - from); }
  void grow(double& to, double from) const { to = sum(to, from); }
  [[nodiscard]] double delay_before(std::int32_t link) const {
    const auto found = std::ranges::find(before_.delays, link, &LinkDelay::link);
    return found == before_.delays.end() ? 0 : found->seconds;
  }

  /// Inserts them between the last two iterations, since nothing follows the last one.
  void add_iterations(KeptEnds<IterationResult>& iterations, const IterationResult& each) const {
    const IterationResult last = iterations.back(), repeated = iterations[iterations.size() - 2];
    iterations.pop_back();
    const std::size_t known = iterations.size(), all = known + static_cast<std::size_t>(more_);
    const auto later = [&](IterationResult of, double times) {
      of.end += times * each.end;
      for (std::size_t i = 0; i < of.path.size(); ++i) of.path[i] += times * each.path[i];
      for (std::size_t i = 0; i < of.held.size(); ++i) of.held[i] += times * each.held[i];
      of.details += times * each.details;
      return of;
    };
    iterations.extend(all, [&](std::size_t i) { return later(repeated, static_cast<double>(i - known + 1)); });
    iterations.push_back(later(last, more_));
  }

  const RunResult& before_;
  double more_;
};

} // namespace

bool may_repeat_iterations(const Scenario& scenario, const SimulateOptions& options) {
  if (!may_take_shortcuts(scenario) || options.timeline != nullptr || !scenario.jobs.empty() || scenario.seat ||
      scenario.failures || scenario.queue || !scenario.changes.empty() || scenario.platform.jitter ||
      scenario.limits.simulated_time || scenario.phases.back().training.iterations < fewest_iterations)
    return false;
  const auto repeats = [](const Phase& phase) {
    const TrainingSpec& t = phase.training;
    return t.exchange.algorithm == Algorithm::hierarchical && t.exchange.consistency == Consistency::synchronous &&
           t.exchange.backup_workers == 0 && t.overlap.kind != OverlapKind::pipelined && t.streams == 1 &&
           t.every == 1 && !t.selection && t.compression.tensors.directory.empty();
  };
  return std::ranges::all_of(scenario.phases, repeats) &&
         iterations_to_simulate(scenario) <= static_cast<std::int64_t>(KeptEnds<IterationResult>::most);
}

std::optional<RunResult> repeated_iterations(const Scenario& scenario, const SimulateFew& simulate_few) {
  const std::int64_t all = scenario.phases.back().training.iterations;
  IterationHistory history;
  RunResult run = simulate_few(with_iterations(scenario, simulated_iterations), &history);
  if (!history.repeats()) return std::nullopt;
  const RunResult shorter = simulate_few(with_iterations(scenario, simulated_iterations - 1), nullptr);
  const Continued longer(shorter, static_cast<double>(all - simulated_iterations));
  if (!longer.next_repeats(run)) return std::nullopt;
  longer.continue_run(run);
  return run;
}

} // namespace gradflight
