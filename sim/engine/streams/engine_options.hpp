// Options of an engine that runs plans, and its results. Callers need no other header of the engine.
#pragma once

#include "platforms/code/changes.hpp"
#include "platforms/code/spec/traffic_spec.hpp"
#include "sim/result/result.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace gradflight {

class IterationHistory;
struct Timeline;

/// Called now and then with the simulated time and the messages so far.
using Progress = std::function<void(double time, std::int64_t messages)>;

/// What happens to messages when their links go down (LostMessages).
struct LossPolicy {
  bool reroute = false;
  double detection = 0; ///< seconds
};

struct EngineOptions {
  bool shortcuts = false;             ///< allows computing whole collectives at once
  bool only_times = false;            ///< SimulateOptions::only_times
  std::optional<double> time_limit{}; ///< in simulated seconds; beyond it, SimulationFailure
  std::optional<double> wall_limit{}; ///< in seconds of the computer's clock; beyond it, SimulationFailure
  Timeline* timeline = nullptr;       ///< where to record; null: nothing is recorded
  Progress progress{};                ///< called at most every 2^16 messages
  std::vector<TrafficSpec> traffic{};
  std::vector<PlatformChange> changes{};   ///< sorted by time
  std::vector<std::string> change_names{}; ///< of each PlatformChange::entry: what changes; empty: links are named
  std::optional<LossPolicy> losses{};      ///< for links that go down; absent: messages wait on them
  std::vector<std::int32_t> stand_ins{};   ///< of each link, the link that messages use instead; empty: each itself
  IterationHistory* history = nullptr; ///< records the events of each iteration of one sequence; null: records nothing
};

/// Results of plans on one machine: one result for each sequence, without links, and the links of all together.
struct PlansResult {
  std::vector<RunResult> plans;
  std::vector<LinkResult> links;
  std::vector<TrafficResult> traffic; ///< of each entry
};

} // namespace gradflight
