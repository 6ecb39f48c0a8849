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
  double uneven = 0;     ///< EvenStretch::uneven, the largest of all stretches that stand for others

  /// Adds the seconds of another time, with their path, `times` times (< 0: subtracts them).
  void add(const GroupTime& more, double times);
};

/// Times operations on one platform. Operations that differ only in the number of their periods share what was
/// simulated.
class GroupTimes {
public:
  /// Both must outlive this.
  GroupTimes(const PlatformSpec& spec, const Platform& platform) : spec_(spec), platform_(platform) {}

  /// Leaves out periods that take as long as those before (GroupCourse), simulates a ring through equal nodes on
  /// three, and one of lanes that do the same (fold.hpp). Throws SimulationFailure.
  [[nodiscard]] GroupTime time(const GroupWork& work);
  /// Number of simulations so far.
  [[nodiscard]] std::size_t simulations() const { return simulations_; }

private:
  /// Periods of a repeat that were simulated, and how long others take.
  struct Repeat {
    std::int64_t simulated = 0;
    std::int64_t apart = 1; ///< the number of others must be a multiple of this
    GroupTime each{};       ///< of one other period
  };
  struct Simulated {
    GroupWork work;                          ///< its schedule is the next one
    std::unique_ptr<GroupSchedule> schedule; ///< of the first repeat
    GroupTime time{};
    std::vector<Repeat> repeats;
  };
  [[nodiscard]] static bool stands_for(const Simulated& simulated, const GroupWork& work);
  [[nodiscard]] static GroupTime with_all_periods(const Simulated& simulated, std::int64_t periods);
  [[nodiscard]] GroupTime simulate(const GroupWork& work);

  const PlatformSpec& spec_;
  const Platform& platform_;
  std::vector<Simulated> simulated_; ///< with fewer periods
  std::size_t simulations_ = 0;
};

} // namespace gradflight
