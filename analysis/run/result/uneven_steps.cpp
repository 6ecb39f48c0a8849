#include "analysis/run/result/uneven_steps.hpp"

#include "analysis/run/result/outages.hpp"
#include "analysis/run/result/outcome.hpp"
#include "analysis/run/result/step_causes.hpp"
#include "base/human.hpp"
#include "scenarios/language/types/scenario.hpp"
#include "sim/result/result.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace gradflight {
namespace {

constexpr double unlike = 0.1; ///< the same if only other traffic, which may vary, makes them differ

/// Calls `look` with every `every`-th step from `begin` up to `end` whose part of the path is known.
template <class Look>
void for_known_steps(const RunResult& result, std::size_t begin, std::size_t end, std::size_t every, const Look& look) {
  const auto [out, in] = result.iterations.left_out();
  for (std::size_t i = begin; i < end; i += every)
    if (out < in && i >= out && i <= in) // after one that is left out, a step has no beginning
      i += (in - i) / every * every;
    else
      look(i);
}

/// The lengths of some steps.
struct StepLengths {
  double least = std::numeric_limits<double>::infinity(), most = 0, sum = 0, count = 0;
  void add(double length) {
    least = std::min(least, length);
    most = std::max(most, length);
    sum += length;
    ++count;
  }
  [[nodiscard]] bool differ() const { return most > least * (1 + uneven_by); }
  [[nodiscard]] double mean() const { return sum / count; }
};

/// Steps of a phase, from `begin` up to `end`, that neither fill a pipeline nor end while it drains or while workers
/// have ended.
struct PhaseSteps {
  std::size_t begin = 0, end = 0;
  std::size_t every = 1; ///< TrainingSpec::every
};
std::vector<PhaseSteps> phase_steps(const Scenario& scenario, const RunResult& result) {
  std::vector<PhaseSteps> all;
  std::size_t begin = 0;
  for (const Phase& phase : scenario.phases) {
    const TrainingSpec& training = phase.training;
    const std::size_t end = std::min(result.iterations.size(), begin + static_cast<std::size_t>(training.iterations));
    const std::size_t depth = training.overlap.kind == OverlapKind::pipelined && training.overlap.k > 1
                                  ? static_cast<std::size_t>(training.overlap.k)
                                  : 0;
    const std::size_t first = depth > 0 ? begin + 1 : begin;
    const bool ends = end == begin + static_cast<std::size_t>(training.iterations);
    std::size_t last = ends ? end - std::min(end, depth) : end;
    if (&phase == &scenario.phases.back() && result.drained_iterations < std::ssize(result.iterations))
      last = std::min(last, end - std::min(end, static_cast<std::size_t>(result.drained_iterations)));
    all.push_back({first, std::max(first, last), static_cast<std::size_t>(training.every)});
    begin = end;
  }
  return all;
}

/// If only every `every`-th step of the last phase exchanges: returns the lengths of steps, and their mean over the
/// steps from `from` up to `to`, in whole cycles. Empty if they are alike.
std::string cycle_text(const Scenario& scenario, const RunResult& result, std::size_t from, std::size_t to) {
  const TrainingSpec& training = scenario.phases.back().training;
  const std::size_t count = result.iterations.size();
  const std::size_t before =
      count > static_cast<std::size_t>(training.iterations) ? count - static_cast<std::size_t>(training.iterations) : 0;
  StepLengths all, with, without; // the exchange
  for_known_steps(result, from, to, 1, [&](std::size_t i) {
    const double length = RunStep(result, i).length();
    all.add(length);
    ((i - before + 1) % static_cast<std::size_t>(training.every) == 0 ? with : without).add(length);
  });
  if (!all.differ()) return "";
  std::string lengths = fmt::format("{} to {}", human_seconds(all.least), human_seconds(all.most));
  if (training.overlap.kind != OverlapKind::pipelined && with.count > 0) // else later steps wait for the exchange
    lengths =
        fmt::format("{} with the exchange and {} without", human_seconds(with.mean()), human_seconds(without.mean()));
  return fmt::format("One of {} steps exchanges gradients. A step takes {} on average, {}. ", training.every,
                     human_seconds(all.mean()), lengths);
}

struct UnevenPair {
  std::size_t slowest = 0, fastest = 0;
};

/// Returns the slowest and the fastest of the steps with equal work that differ most; the first of equals. Work differs
/// between phases, and between the steps of a cycle with one exchange. `inner`: without the first and the last step of
/// a phase, which may differ by themselves.
UnevenPair most_uneven(const Scenario& scenario, const RunResult& result, bool inner) {
  const auto length = [&](std::size_t i) { return RunStep(result, i).length(); };
  UnevenPair most;
  for (const PhaseSteps& phase : phase_steps(scenario, result))
    for (std::size_t first = phase.begin; first < std::min(phase.end, phase.begin + phase.every); ++first) {
      std::optional<UnevenPair> own;
      for_known_steps(result, first, phase.end, phase.every, [&](std::size_t i) {
        if (inner && (i == phase.begin || i + 1 == phase.end)) return;
        if (!own) own = {i, i};
        if (length(i) > length(own->slowest) * (1 + uneven_by)) own->slowest = i;
        if (length(i) < length(own->fastest) * (1 - uneven_by)) own->fastest = i;
      });
      if (own && length(own->slowest) * length(most.fastest) > length(most.slowest) * length(own->fastest)) most = *own;
    }
  return most;
}

/// Whether something besides other traffic may make steps of equal work differ.
bool has_events(const Scenario& scenario, const std::vector<ChangeRow>& came, const RunResult& result) {
  return scenario.platform.jitter || !came.empty() || at(result.path, Part::outage) > 0 ||
         (result.failures && !gpu_outages(scenario, result, 0, result.time, result.time).empty());
}

/// If every other step is longer, though nothing changes: returns both lengths, and their mean. Else empty.
std::string alternation_text(const Scenario& scenario, const RunResult& result) {
  const TrainingSpec& training = scenario.phases.back().training;
  const std::size_t count = result.iterations.size();
  if (training.iterations < 3 || training.every > 1 || training.overlap.kind == OverlapKind::pipelined) return "";
  if (result.worker_steps || count < 3 || (count > 3 && !result.iterations.keeps(count - 4))) return "";
  const double last = RunStep(result, count - 1).length(), before = RunStep(result, count - 2).length();
  const double apart = std::abs(last - before);
  if (apart <= uneven_by * last || std::abs(last - RunStep(result, count - 3).length()) > apart / 4) return "";
  return fmt::format("Steps take {} and {} in turn, because ranks end an exchange at different times and so begin the "
                     "next one at different times: {} on average. ",
                     human_seconds(std::min(last, before)), human_seconds(std::max(last, before)),
                     human_seconds((last + before) / 2));
}

} // namespace

UnevenSteps uneven_steps(const Scenario& scenario, const Platform& platform, const std::vector<ChangeRow>& came,
                         const RunResult& result) {
  const std::size_t count = result.iterations.size();
  const TrainingSpec& training = scenario.phases.back().training;
  const bool events = has_events(scenario, came, result);
  const auto every = static_cast<std::size_t>(training.every);
  const std::size_t cycles = std::min(count, static_cast<std::size_t>(training.iterations)) / every;
  UnevenSteps uneven;
  if (every > 1 && cycles > 0) {
    // Each cycle is like the last one before a pipeline drains, unless something makes steps differ.
    const bool all_alike = !events && scenario.traffic.empty();
    std::size_t to = count;
    if (const PhaseSteps steady = phase_steps(scenario, result).back();
        all_alike && steady.end < count && steady.end >= steady.begin + every)
      to = steady.end;
    std::size_t from = to - (all_alike ? 1 : cycles) * every;
    if (from > 0 && !result.iterations.keeps(from - 1)) { // then the whole cycles at the end
      const std::size_t known = to - result.iterations.left_out().second - 1;
      from = to - known / every * every;
    }
    if (std::string cycle = cycle_text(scenario, result, from, to); !cycle.empty())
      uneven = {std::move(cycle), true, true, from, to};
  }
  if (!events && scenario.traffic.empty())
    if (std::string turns = alternation_text(scenario, result); !turns.empty())
      uneven = {std::move(turns), true, true, count - 2, count};
  const bool in_cycles = uneven.differ;
  if (count > 1 && (events || !scenario.traffic.empty())) {
    const UnevenPair all = most_uneven(scenario, result, false), inner = most_uneven(scenario, result, true);
    const auto more = [&](const UnevenPair& pair) {
      return RunStep(result, pair.slowest).length() - RunStep(result, pair.fastest).length();
    };
    const auto beyond = [&](const UnevenPair& pair, double share) {
      return more(pair) > RunStep(result, pair.fastest).length() * share;
    };
    uneven.may_differ = true;
    uneven.differ = in_cycles || beyond(all, uneven_by);
    uneven.counted_to = count;
    std::string among; // others are unknown, but count in the mean
    if (const auto [out, in] = result.iterations.left_out(); out < in) {
      const double mean = result.iterations.back().end / static_cast<double>(count);
      uneven.differ = uneven.differ || std::abs(mean - result.iteration_time) > uneven_by * mean;
      among = fmt::format(" of the first and the last {}", out);
    }
    const auto cause_of = [&](const UnevenPair& pair) {
      if (!beyond(pair, events ? uneven_by : unlike)) return std::string();
      return cause_of_slow_step(scenario, platform, came, result, RunStep(result, pair.slowest),
                                RunStep(result, pair.fastest));
    };
    UnevenPair told = all;
    std::string cause = cause_of(all);
    if (cause.empty()) cause = cause_of(told = inner);
    if (!cause.empty() || (events && beyond(inner, unlike)))
      uneven.text += fmt::format("{} {} of {} is the slowest{}, {}{}; step {} is the fastest, {}. ",
                                 in_cycles ? "Among steps with equal work, step" : "Step", told.slowest + 1, count,
                                 among, human_seconds(RunStep(result, told.slowest).length()),
                                 cause.empty() ? "" : fmt::format(" ({})", cause), told.fastest + 1,
                                 human_seconds(RunStep(result, told.fastest).length()));
  }
  if (!uneven.text.empty()) {
    const auto drained = static_cast<std::size_t>(result.drained_iterations);
    uneven.text += fmt::format("The rest is about {}. ",
                               iteration_is_mean(scenario, result) ? "the mean of all steps"
                               : iteration_is_of_worker(result)    ? "the mean step of the slowest worker"
                               : drained == 0 || drained >= count  ? "the last step"
                                                                   : fmt::format("step {}", count - drained));
  }
  return uneven;
}

std::optional<MeanStep> mean_step(const Scenario& scenario, const RunResult& result, const UnevenSteps& uneven) {
  if (!uneven.differ) return std::nullopt;
  const std::size_t from = uneven.counted_from, to = uneven.counted_to;
  const IterationResult before = from > 0 ? result.iterations[from - 1] : IterationResult{};
  const IterationResult& last = result.iterations[to - 1];
  const auto count = static_cast<double>(to - from);
  MeanStep mean{(last.end - before.end) / count, last.path, {}};
  HeldBy held = last.held;
  for (std::size_t i = 0; i < mean.path.size(); ++i) mean.path[i] = (mean.path[i] - before.path[i]) / count;
  for (std::size_t t = 0; t < held.size(); ++t) held[t] = (held[t] - before.held[t]) / count;
  const PathDetails details = 1 / count * (last.details - before.details);
  PathEvents events; // of all these steps; gpu_outages() does the same for outages of GPUs
  for (std::size_t i = from; i < to; ++i) {
    if (!result.iterations.keeps(i)) continue;
    const PathEvents& own = result.iterations[i].events;
    events.costs.insert(events.costs.end(), own.costs.begin(), own.costs.end());
    events.outages.insert(events.outages.end(), own.outages.begin(), own.outages.end());
  }
  mean.bounds =
      bound_by(scenario, result, {mean.path, held, details, events.costs, events.outages}, before.end, last.end);
  return mean;
}

std::optional<double> mean_of_phase(const Scenario& scenario, const RunResult& result) {
  const std::vector<PhaseSteps> phases = phase_steps(scenario, result);
  if (phases.empty()) return std::nullopt;
  StepLengths all;
  for_known_steps(result, phases.back().begin, phases.back().end, 1,
                  [&](std::size_t i) { all.add(RunStep(result, i).length()); });
  return all.differ() ? std::optional(all.mean()) : std::nullopt;
}

std::optional<double> mean_worker_step(const RunResult& result, const UnevenSteps& uneven) {
  if (!result.worker_steps) return std::nullopt;
  const bool events = uneven.differ && uneven.counted_from == 0; // else whole cycles repeat
  return events ? result.worker_steps->whole : result.worker_steps->settled;
}

bool iteration_is_mean(const Scenario& scenario, const RunResult& result) {
  if (scenario.phases.empty()) return false;
  const TrainingSpec& training = scenario.phases.back().training;
  const std::int64_t listed = std::ssize(result.iterations), draining = training.overlap.k; // the last updates
  if (training.overlap.kind != OverlapKind::pipelined || draining < 2 || listed < total_iterations(scenario))
    return false;
  return (scenario.phases.size() == 1 ? listed : training.iterations) < draining + 2;
}

bool iteration_is_of_worker(const RunResult& result) {
  return result.worker_steps && result.iteration_end - result.iteration_begin > 1.5 * result.iteration_time;
}

bool pipeline_is_full(const Scenario& scenario, const RunResult& result) {
  if (scenario.phases.empty()) return true;
  const TrainingSpec& training = scenario.phases.back().training;
  const auto& all = result.iterations;
  if (iteration_is_mean(scenario, result)) return false;
  if (training.overlap.kind != OverlapKind::pipelined || training.overlap.k < 2 ||
      std::ssize(all) < total_iterations(scenario))
    return true;
  if (training.every > 1 || !scenario.traffic.empty() ||
      has_events(scenario, changes_until(scenario.changes, result.time), result))
    return true; // steps may differ
  // While the pipeline fills, compute sets the pace even if exchanges take longer. These remain for the end.
  return all.back().end - all[all.size() - 2].end <= result.iteration_time * (1 + uneven_by);
}

} // namespace gradflight
