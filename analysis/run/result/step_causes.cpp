#include "analysis/run/result/step_causes.hpp"

#include "analysis/run/result/outages.hpp"
#include "base/human.hpp"
#include "scenarios/language/types/scenario.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <initializer_list>
#include <span>
#include <utility>

namespace gradflight {
namespace {

constexpr double small = 0.1;        ///< relative to the largest cause: a smaller cause is not mentioned
constexpr double least_known = 0.25; ///< of the difference of two steps: causes that explain less are not mentioned

/// A cause that takes more time in the slowest step than in the fastest. Empty text: unknown cause.
struct Cause {
  double seconds = 0;
  std::string text;
  bool has_seconds = false; ///< the text contains them
};

/// Returns the entries of `traffic` that shared links with a step's critical path, or that may have flows before the
/// step ends if they are among too many to know.
std::string traffic_text(const Scenario& scenario, const RunStep& step) {
  constexpr std::size_t known = 64; // PathEvents::traffic
  std::string names;
  for (std::size_t i = 0; i < scenario.traffic.size(); ++i) {
    const TrafficSpec& traffic = scenario.traffic[i];
    const bool shared = i < known ? (step.events().traffic >> i & 1) != 0 : traffic.start.value() < step.span().end;
    if (shared && !traffic.name.empty()) names += (names.empty() ? " " : ", ") + traffic.name;
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
  const std::span<const ChangeCost> slow_costs = slow.events().costs;
  std::span<const ChangeCost> fast_costs = fast.events().costs;
  if (fast.apart()) fast_costs = {};
  std::vector<Cause> causes;
  double left = slow.length() - fast.length(); // causes add up to at most that: waits may hide what would take time
  const auto more = [&](std::initializer_list<Part> parts) {
    double seconds = 0;
    for (const Part part : parts) seconds += slow.part(part) - fast.part(part);
    return seconds;
  };
  const auto add = [&](double seconds, std::string text, bool has_seconds = false) {
    seconds = std::min(seconds, left);
    if (seconds <= uneven_by * slow.length()) return;
    left -= seconds;
    const auto known =
        std::ranges::find(causes, text, &Cause::text); // a change of several values has one cost for each
    if (known != causes.end() && !text.empty() && !has_seconds)
      known->seconds += seconds;
    else
      causes.push_back({seconds, std::move(text), has_seconds});
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
  if (slow.apart() || fast.apart()) { // then only what happened on the slow step's own path
    double rest = slow.length() - fast.length(), waited = 0;
    for (const LinkOutage& outage : slow.events().outages) waited += std::max(0.0, outage.seconds);
    waited = std::min(waited, rest);
    if (waited > uneven_by * slow.length())
      for (const NamedOutage& outage : link_outages(scenario, result, slow.events().outages, waited))
        add(outage.seconds, waiting_text(outage), true);
    rest = add_changes(rest - waited, {What::compute_speed, What::place_state, What::latency, What::bandwidth});
    add(rest, "");
    std::ranges::stable_sort(causes, std::greater{}, &Cause::seconds);
    return causes;
  }
  if (const double waited = std::min(slow.part(Part::outage), left); waited > uneven_by * slow.length())
    for (const NamedOutage& outage : link_outages(scenario, result, slow.events().outages, waited))
      add(outage.seconds, waiting_text(outage), true);
  if (const double lost = std::min(more({Part::traffic}), left); lost > 0)
    add(lost, fmt::format("{}: {}", traffic_text(scenario, slow), human_seconds(lost)), true);
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
  std::ranges::stable_sort(causes, std::greater{}, &Cause::seconds);
  return causes;
}

/// `more` is the difference of the two steps.
std::string causes_text(const std::vector<Cause>& causes, double more) {
  double known = 0;
  for (const Cause& cause : causes) known += cause.text.empty() ? 0 : cause.seconds;
  const bool all = !causes.empty() && !causes.front().text.empty();
  if (!all && known < least_known * more) return "";
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
  if (all || text.empty() || known >= (1 - small) * more) return text;
  return text + ", and unknown causes";
}

} // namespace

const IterationResult& RunStep::run_start() {
  static const IterationResult start;
  return start;
}

std::string cause_of_slow_step(const Scenario& scenario, const Platform& platform, const std::vector<ChangeRow>& came,
                               const RunResult& result, const RunStep& slow, const RunStep& fast) {
  return causes_text(causes_of(scenario, platform, came, result, slow, fast), slow.length() - fast.length());
}

} // namespace gradflight
