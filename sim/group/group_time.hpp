// Time of an operation of a process group that runs alone, without simulating what repeats.
#pragma once

#include "sim/group/simulate_group.hpp"

#include <memory>
#include <optional>
#include <vector>

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

/// Times operations on one platform. Operations that differ only in the number of their periods share what was
/// simulated.
class GroupTimes {
public:
  /// Both must outlive this.
  GroupTimes(const PlatformSpec& spec, const Platform& platform) : spec_(spec), platform_(platform) {}

  /// Uses the steady state if one exists, else simulate_group; simulates a ring through equal nodes on three
  /// (ring_fold). Throws SimulationFailure.
  [[nodiscard]] GroupTime time(const GroupWork& work);

  /// Extrapolates from shorter schedules by how much longer each is than the one before. Returns nothing if two such
  /// stretches never take equally long within most_uneven, or if to simulate all periods costs less.
  [[nodiscard]] std::optional<GroupTime> steady_time(const GroupWork& work);

private:
  struct Simulated {
    std::unique_ptr<GroupSchedule> schedule;
    GroupTime time{};
  };
  [[nodiscard]] GroupTime simulate(const GroupWork& work) const;
  [[nodiscard]] const GroupTime& time_shortened(const GroupWork& work, std::int64_t fewer_periods);

  const PlatformSpec& spec_;
  const Platform& platform_;
  GroupWork last_{};                 ///< the work whose shorter schedules have been simulated; its schedule may be gone
  std::vector<Simulated> simulated_; ///< these
};

} // namespace gradflight
