#include "analysis/explore/advice/what_ifs_recovery.hpp"

#include "models/units/unit_text.hpp"
#include "platforms/code/detours.hpp"
#include "scenarios/language/types/scenario.hpp"

#include <fmt/format.h>

namespace gradflight {
namespace {

using Json = nlohmann::ordered_json;

/// Multiplies a canonical quantity of time.
Json longer(const Json& text, double factor) {
  return format_quantity(parse_quantity(text.get<std::string>(), Dimension::time) * factor, Dimension::time);
}

/// Halves the rate of all failures.
std::vector<std::pair<std::string, Json>> rarer(const Json& failures) {
  std::vector<std::pair<std::string, Json>> set;
  for (const auto& [kind, rate] : failures.items())
    if (rate.is_object() && rate.contains("mtbf"))
      set.emplace_back(fmt::format("failures.{}.mtbf", kind), longer(rate["mtbf"], 2));
  return set;
}

void add_checkpoints(const CheckpointSpec& checkpoint, const Json& written, std::optional<std::int64_t> best,
                     std::vector<WhatIf>& all) {
  if (best && checkpoint.every_iterations != *best)
    all.push_back({WhatIfKind::setting,
                   fmt::format("a checkpoint every {} iterations, the best of those tried", *best),
                   "checkpoint",
                   {{"recovery.checkpoint.every", *best}}});
  if (!checkpoint.asynchronous)
    all.push_back({WhatIfKind::setting,
                   "asynchronous checkpoints",
                   "asynchronous",
                   {{"recovery.checkpoint.asynchronous", true}}});
  if (written.contains("write") && checkpoint.write->value() > 0)
    all.push_back({WhatIfKind::hardware,
                   "storage x 2",
                   "storage",
                   {{"recovery.checkpoint.write", longer(written["write"], 0.5)}}});
}

} // namespace

std::vector<WhatIf> recovery_what_ifs(const Scenario& scenario, const Json& canonical,
                                      std::optional<std::int64_t> best_checkpoint) {
  std::vector<WhatIf> all;
  if (!scenario.failures) return all;
  if (auto set = rarer(canonical.at("failures")); !set.empty())
    all.push_back({WhatIfKind::hardware, "failures half as often", "failures", std::move(set)});
  const bool checkpoints = scenario.recovery && scenario.recovery->checkpoint;
  all.push_back({WhatIfKind::unlimited,
                 checkpoints ? "no failures and no checkpoints" : "no failures",
                 "unlimited",
                 {{"failures", Json()}, {"recovery", Json()}}});
  constexpr std::int64_t enough = 20; // timing an undisturbed step does not need a job's whole life
  if (canonical.at("training").at("iterations").get<std::int64_t>() > enough)
    all.back().set.emplace_back("training.iterations", enough);
  const RecoveryPolicy policy = scenario.recovery ? scenario.recovery->policy : RecoveryPolicy::wait;
  if (policy != RecoveryPolicy::restart) {
    if (policy != RecoveryPolicy::reroute && has_detours(scenario.platform.network) && !scenario.platform.protocol)
      all.push_back({WhatIfKind::setting,
                     "messages avoid components that are down",
                     "reroute",
                     {{"recovery", {{"policy", "reroute"}}}}});
    return all;
  }
  const RecoverySpec& recovery = *scenario.recovery;
  const Json& written = canonical.at("recovery");
  if (recovery.checkpoint) add_checkpoints(*recovery.checkpoint, written.at("checkpoint"), best_checkpoint, all);
  all.push_back({WhatIfKind::hardware, "one more spare node", "spares", {{"recovery.spares", recovery.spares + 1}}});
  if (recovery.restart.value() > 0)
    all.push_back({WhatIfKind::setting,
                   "restart in half the time",
                   "restart",
                   {{"recovery.restart", longer(written["restart"], 0.5)}}});
  if (recovery.detection.value() > 0)
    all.push_back({WhatIfKind::setting,
                   "detection of failures in half the time",
                   "detection",
                   {{"recovery.detection", longer(written["detection"], 0.5)}}});
  return all;
}

} // namespace gradflight
