#include "analysis/run/last_digits.hpp"

#include "analysis/run/evaluate.hpp"
#include "models/schedules/parts/collective.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gradflight {
namespace {

constexpr std::int64_t messages_twice = 100'000; ///< more messages would take a noticeable time
constexpr std::size_t links_twice = 10'000;
constexpr double rounding = 1e-9;

/// Whether a rank may be in several steps at once: on several streams, or on the lanes of one schedule, such as those
/// of a double tree. A library's calls have lanes, too, but preparing them twice more would take longer than the run.
bool runs_side_by_side(const TrainingSpec& training) {
  const Collective* caller = caller_of(training.exchange);
  return training.streams > 1 || (caller != nullptr && !by_library(*caller));
}

/// Then messages of ranks that work at different speeds meet on a NIC in ways that depend on the last digits.
bool ranks_share_nics(const PlatformSpec& platform) { return platform.nodes > 1 && platform.gpus_per_node > 1; }

bool worth_knowing(const Scenario& s, const RunResult& result, const Platform& platform) {
  // With a protocol, a link's bandwidth differs from its override.
  return s.engine.kind == EngineKind::hybrid && !s.platform.protocol && !result.data &&
         result.messages <= messages_twice && platform.links().size() <= links_twice &&
         (ranks_share_nics(s.platform) ||
          std::ranges::any_of(s.phases, [](const Phase& p) { return runs_side_by_side(p.training); }));
}

/// Makes every second link's bandwidth an ulp larger and the others an ulp smaller, or the reverse.
Scenario nudged(Scenario s, const Platform& platform, bool other_way) {
  bool larger = other_way;
  for (const DirectedLink& link : platform.links()) {
    larger = !larger;
    LinkOverride nudge;
    nudge.link = link.name;
    nudge.bandwidth = ByteRate(std::nextafter(link.bandwidth, larger ? std::numeric_limits<double>::infinity() : 0));
    s.platform.link_overrides.push_back(nudge);
  }
  return s;
}

} // namespace

double moved_by_last_digits(const Prepared& prepared, const RunResult& result) {
  if (!worth_knowing(prepared.scenario(), result, prepared.platform())) return 0;
  double most = 0;
  for (const bool other_way : {false, true}) {
    const Prepared other(nudged(prepared.scenario(), prepared.platform(), other_way), prepared.id());
    most = std::max(most, std::abs(simulate(other).time / result.time - 1));
  }
  return most > rounding ? most : 0; // also 0 for NaN, which results from a time of 0
}

} // namespace gradflight
