// Simulates an operation of a process group alone on a platform, with the executor's own loop.
#pragma once

#include "sim/engine/streams/engine_options.hpp"
#include "sim/group/group_plan.hpp"

namespace gradflight {

/// Throws SimulationFailure. Shortcuts do not apply.
RunResult simulate_group(const PlatformSpec& spec, const Platform& platform, const GroupWork& work,
                         const EngineOptions& options = {});

/// A run without most of the periods that take as long as those before.
struct ShortenedRun {
  RunResult result;
  /// Of each repeat of the work; null or nothing: it was run whole.
  std::vector<std::unique_ptr<GroupSchedule>> schedules;
  std::vector<std::optional<LeftOut>> left_out;
};
ShortenedRun simulate_shortened(const PlatformSpec& spec, const Platform& platform, const GroupWork& work);

} // namespace gradflight
