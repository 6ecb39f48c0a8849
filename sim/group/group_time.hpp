// Time of an operation of a process group that runs alone, without simulating what repeats.
#pragma once

#include "sim/group/simulate_group.hpp"

#include <optional>

namespace gradflight {

struct GroupTime {
  double seconds = 0;
  Path path{};           ///< the critical path of the whole operation, extrapolated parts included; sums to `seconds`
  HeldBy held{};         ///< of this path
  PathDetails details{}; ///< of this path
  /// Share by which one stretch of periods took longer than the one before: 0 if all was simulated, at most 1e-9 if the
  /// steady state is exact, at most most_uneven if the mean of both stretches stands for the other periods (contending
  /// messages may take turns in ways that do not repeat).
  double uneven = 0;
  static constexpr double exact = 1e-9, most_uneven = 0.01;
};

/// Extrapolates from three shorter schedules by how much longer each is than the one before. Returns nothing if the
/// schedule has few periods, or if they grow more unevenly than that.
std::optional<GroupTime> steady_group_time(const PlatformSpec& spec, const Platform& platform, const GroupWork& work);

/// Uses the steady state if one exists, else simulate_group; simulates a ring through equal nodes on three (ring_fold).
GroupTime group_time(const PlatformSpec& spec, const Platform& platform, const GroupWork& work);

} // namespace gradflight
