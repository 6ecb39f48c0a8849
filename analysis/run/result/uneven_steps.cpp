#include "analysis/run/result/uneven_steps.hpp"

#include "analysis/run/result/outages.hpp"
#include "analysis/run/result/outcome.hpp"
#include "analysis/run/result/slowing_change.hpp"
#include "base/human.hpp"
#include "scenarios/language/types/scenario.hpp"
#include "sim/result/result.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <tuple>

namespace gradflight {
namespace {

constexpr double differs = 1e-3; ///< relative: a larger difference makes steps uneven
constexpr double unlike = 0.1;   ///< the same if only other traffic, which may vary, makes them differ
constexpr double small = 0.1;    ///< relative to the largest cause: a smaller cause is not mentioned

/// A cause that takes more time in the slowest step than in the fastest. Empty text: unknown cause.
struct Cause {
  double seconds = 0;
  std::string text;
  bool has_seconds = false; ///< the text contains them
};

/// The part of the critical path that a step adds.
class RunStep {
public:
  RunStep(const RunResult& result, std::size_t number)
      : before_(number > 0 ? result.iterations[number - 1] : IterationResult{}), own_(result.iterations[number]) {}

  [[nodiscard]] StepSpan span() const { return {before_.end, own_.end}; }
  [[nodiscard]] double length() const { return own_.end - before_.end; }
  [[nodiscard]] double part(Part part) const { return at(own_.path, part) - at(before_.path, part); }
  [[nodiscard]] double straggling() const { return details_.straggling; }
  [[nodiscard]] double down() const { return details_.down; }
  /// Returns how many messages took another route.
  [[nodiscard]] std::int64_t rerouted() const { return own_.rerouted - before_.rerouted; }
  /// Returns what changes have cost this part of the path.
  [[nodiscard]] std::vector<ChangeCost> costs() const { return costs_between(before_, own_); }

private:
  IterationResult before_, own_;
  PathDetails details_ = own_.details - before_.details;
};

/// Returns the entries of `traffic` that may have flows before a step ends.
std::string traffic_text(const Scenario& scenario, const StepSpan& step) {
  std::string names;
  for (const TrafficSpec& traffic : scenario.traffic) {
    const bool over = traffic.stop && traffic.stop->value() <= step.begin && !traffic.sized();
    if (traffic.start.value() < step.end && !over && !traffic.name.empty())
      names += (names.empty() ? " " : ", ") + traffic.name;
  }
  return "other traffic" + names;
}

std::string waiting_text(const NamedOutage& outage) {
  return fmt::format("waiting for {}: {}", outage.name, human_seconds(outage.seconds));
}

/// Returns the causes of the slow step's additional time, largest first.
std::vector<Cause> causes_of(const Scenario& scenario, const Platform& platform, const std::vector<ChangeRow>& came,
                             const RunResult& result, const RunStep& slow, const RunStep& fast) {
  using What = PlatformChange::What;
  const ChangeTimes times(scenario, platform, came);
  const std::vector<ChangeCost> slow_costs = slow.costs(), fast_costs = fast.costs();
  std::vector<Cause> causes;
  const auto more = [&](std::initializer_list<Part> parts) {
    double seconds = 0;
    for (const Part part : parts) seconds += slow.part(part) - fast.part(part);
    return seconds;
  };
  const auto add = [&](double seconds, std::string text, bool has_seconds = false) {
    if (seconds > differs * slow.length()) causes.push_back({seconds, std::move(text), has_seconds});
  };
  // Adds the changes that made a part of the path longer by `seconds`. Returns the rest, for which they do not account.
  const auto add_changes = [&](double seconds, const std::vector<What>& whats) {
    const std::vector<SlowingChange> changes =
        times.slowing(whats, {slow.span(), slow_costs}, {fast.span(), fast_costs});
    double sum = 0;
    for (const SlowingChange& change : changes) sum += change.seconds;
    const double explained = sum < (1 - small) * seconds ? sum : seconds;
    for (const SlowingChange& change : changes) add(explained * change.seconds / sum, change.text);
    return seconds - explained;
  };
  if (const double waited = slow.part(Part::outage); waited > differs * slow.length())
    for (const NamedOutage& outage : link_outages(scenario, result, slow.span().begin, slow.span().end, waited))
      add(outage.seconds, waiting_text(outage), true);
  if (const double lost = more({Part::traffic}); lost > 0)
    add(lost, fmt::format("{}: {}", traffic_text(scenario, slow.span()), human_seconds(lost)), true);
  if (const double computed = more({Part::compute, Part::update}); computed > 0) {
    const double by_others = add_changes(computed, {What::compute_speed, What::place_state});
    double rest = by_others;
    if (const double down = std::min(rest, slow.down()); by_others == computed && down > 0)
      for (const NamedOutage& outage :
           gpu_outages(scenario, result, slow.span().begin, slow.span().end, down, slow_costs)) {
        add(outage.seconds, waiting_text(outage), true);
        rest -= outage.seconds;
      }
    const double straggled = slow.straggling() - fast.straggling() - (computed - rest);
    const bool stragglers = straggled > rest / 2;
    add(rest, stragglers ? "the slowest ranks: " + human_seconds(straggled) : "", stragglers);
  }
  const double latencies = add_changes(more({Part::alpha}), {What::latency});
  const double bytes = add_changes(more({Part::beta, Part::contention}), {What::bandwidth});
  if (slow.rerouted() > fast.rerouted()) {
    add(latencies + bytes, "messages by another route");
  } else {
    add(latencies, "");
    add(bytes, "");
  }
  add(more({Part::gamma, Part::merge, Part::codec, Part::host, Part::queue, Part::interference, Part::nic_engine,
            Part::nic_pipeline}),
      "");
  std::ranges::stable_sort(causes, [](const Cause& a, const Cause& b) { return a.seconds > b.seconds; });
  return causes;
}

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
  [[nodiscard]] bool differ() const { return most > least * (1 + differs); }
  [[nodiscard]] double mean() const { return sum / count; }
};

/// Returns "node1.up: bandwidth 2 Gbps from 100 ms to 120 ms"; several causes each have their seconds. `more` is the
/// difference of the two steps. Empty if the largest cause is unknown and those that are known take less than half of
/// the difference.
std::string causes_text(const std::vector<Cause>& causes, double more) {
  double known = 0;
  for (const Cause& cause : causes) known += cause.text.empty() ? 0 : cause.seconds;
  const bool all = !causes.empty() && !causes.front().text.empty();
  if (!all && known < more / 2) return "";
  const double largest = all ? causes.front().seconds : more;
  std::vector<const Cause*> told;
  for (const Cause& cause : causes)
    if (!cause.text.empty() && cause.seconds >= small * largest) told.push_back(&cause);
  std::string text;
  for (const Cause* cause : told) {
    text += text.empty() ? "" : ", and ";
    text += cause->text;
    if ((told.size() > 1 || !all) && !cause->has_seconds) text += ": " + human_seconds(cause->seconds);
  }
  return text;
}

/// Steps of a phase, from `begin` up to `end`, that neither fill a pipeline nor end while it drains.
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
    const std::size_t last = ends ? end - std::min(end, depth) : end;
    all.push_back({first, std::max(first, last), static_cast<std::size_t>(training.every)});
    begin = end;
  }
  return all;
}

/// If only every `every`-th step of the last phase exchanges: returns the lengths of steps, and their mean over the
/// steps from `from` on, in whole cycles. Empty if they are alike.
std::string cycle_text(const Scenario& scenario, const RunResult& result, std::size_t from) {
  const TrainingSpec& training = scenario.phases.back().training;
  const std::size_t count = result.iterations.size();
  const std::size_t before =
      count > static_cast<std::size_t>(training.iterations) ? count - static_cast<std::size_t>(training.iterations) : 0;
  StepLengths all, with, without; // the exchange
  for_known_steps(result, from, count, 1, [&](std::size_t i) {
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
/// between phases, and between the steps of a cycle with one exchange.
UnevenPair most_uneven(const Scenario& scenario, const RunResult& result) {
  const auto length = [&](std::size_t i) { return RunStep(result, i).length(); };
  UnevenPair most;
  for (const auto [begin, end, every] : phase_steps(scenario, result))
    for (std::size_t first = begin; first < std::min(end, begin + every); ++first) {
      std::optional<UnevenPair> own;
      for_known_steps(result, first, end, every, [&](std::size_t i) {
        if (!own) own = {i, i};
        if (length(i) > length(own->slowest) * (1 + differs)) own->slowest = i;
        if (length(i) < length(own->fastest) * (1 - differs)) own->fastest = i;
      });
      if (own && length(own->slowest) * length(most.fastest) > length(most.slowest) * length(own->fastest)) most = *own;
    }
  return most;
}

/// Whether something besides other traffic may make steps of equal work differ.
bool has_events(const Scenario& scenario, const std::vector<ChangeRow>& came, const RunResult& result) {
  return scenario.platform.jitter || !came.empty() || !result.outages.empty() ||
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
  if (apart <= differs * last || std::abs(last - RunStep(result, count - 3).length()) > apart / 4) return "";
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
    // Each cycle is like the last one, unless something makes steps differ.
    std::size_t from = count - (events || !scenario.traffic.empty() ? cycles : 1) * every;
    if (from > 0 && !result.iterations.keeps(from - 1)) { // then the whole cycles at the end
      const std::size_t known = count - result.iterations.left_out().second - 1;
      from = count - known / every * every;
    }
    if (std::string cycle = cycle_text(scenario, result, from); !cycle.empty())
      uneven = {std::move(cycle), true, true, from};
  }
  if (!events && scenario.traffic.empty())
    if (std::string turns = alternation_text(scenario, result); !turns.empty())
      uneven = {std::move(turns), true, true, count - 2};
  const bool in_cycles = uneven.differ;
  if (count > 1 && (events || !scenario.traffic.empty())) {
    const auto [slowest, fastest] = most_uneven(scenario, result);
    const RunStep slow(result, slowest), fast(result, fastest);
    const double more = slow.length() - fast.length();
    uneven.may_differ = true;
    uneven.differ = in_cycles || more > fast.length() * differs;
    std::string among; // others are unknown, but count in the mean
    if (const auto [out, in] = result.iterations.left_out(); out < in) {
      const double mean = result.iterations.back().end / static_cast<double>(count);
      uneven.differ = uneven.differ || std::abs(mean - result.iteration_time) > differs * mean;
      among = fmt::format(" of the first and the last {}", out);
    }
    if (more > fast.length() * (events ? differs : unlike))
      if (const std::string cause = causes_text(causes_of(scenario, platform, came, result, slow, fast), more);
          !cause.empty())
        uneven.text += fmt::format("{} {} of {} is the slowest{}, {} ({}); step {} is the fastest, {}. ",
                                   in_cycles ? "Among steps with equal work, step" : "Step", slowest + 1, count, among,
                                   human_seconds(slow.length()), cause, fastest + 1, human_seconds(fast.length()));
  }
  if (!uneven.text.empty())
    uneven.text += fmt::format("The rest is about the {}. ",
                               iteration_is_mean(scenario, result) ? "mean of all steps" : "last step");
  return uneven;
}

std::optional<MeanStep> mean_step(const Scenario& scenario, const RunResult& result, const UnevenSteps& uneven) {
  if (!uneven.differ) return std::nullopt;
  const std::size_t from = uneven.counted_from;
  const IterationResult before = from > 0 ? result.iterations[from - 1] : IterationResult{};
  const IterationResult& last = result.iterations.back();
  const auto count = static_cast<double>(result.iterations.size() - from);
  MeanStep mean{(last.end - before.end) / count, last.path, {}};
  HeldBy held = last.held;
  for (std::size_t i = 0; i < mean.path.size(); ++i) mean.path[i] = (mean.path[i] - before.path[i]) / count;
  for (std::size_t t = 0; t < held.size(); ++t) held[t] = (held[t] - before.held[t]) / count;
  const PathDetails details = 1 / count * (last.details - before.details);
  const std::vector<ChangeCost> costs = costs_between(before, last);
  mean.bounds = bound_by(scenario, result, {mean.path, held, details, costs}, before.end, last.end);
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
  return all.back().end - all[all.size() - 2].end <= result.iteration_time * (1 + differs);
}

} // namespace gradflight
