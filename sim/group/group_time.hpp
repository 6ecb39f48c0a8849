// How long an operation of a process group takes alone, without simulating what repeats.
#pragma once

#include "sim/group/simulate_group.hpp"

#include <optional>

namespace gradflight {

struct GroupTime {
  double seconds = 0;
  Path path{};   ///< the critical path of all that was simulated or stands for it; sums to `seconds`
  HeldBy held{}; ///< of this path
  /// By how much one stretch of periods took longer than the one before it, as a share: 0 where all was simulated, at
  /// most 1e-9 where the steady state is exact, at most most_uneven where the mean of both stretches stands for the
  /// periods that were not simulated (messages that contend take turns in ways that do not repeat).
  double uneven = 0;
  static constexpr double exact = 1e-9, most_uneven = 0.01;
};

/// By three shorter schedules, from how much longer each is than the one before. None where periods are few, or grow
/// more unevenly than that.
std::optional<GroupTime> steady_group_time(const PlatformSpec& spec, const Platform& platform, const GroupWork& work);

/// By steady state where there is one, else as simulate_group; a ring through equal nodes on three of them (ring_fold).
GroupTime group_time(const PlatformSpec& spec, const Platform& platform, const GroupWork& work);

} // namespace gradflight
