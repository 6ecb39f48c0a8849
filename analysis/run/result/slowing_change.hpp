// Finds the changes that slowed one step down in comparison with another.
#pragma once

#include "platforms/code/changes.hpp"

#include "analysis/run/result/change_rows.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace gradflight {

class Platform;
struct ChangeCost;
struct Scenario;

/// Begin and end of a step, in seconds.
struct StepSpan {
  double begin = 0, end = 0;
  [[nodiscard]] double length() const { return end - begin; }
};

/// A step, and what changes have cost its critical path.
struct StepCosts {
  StepSpan span{};
  std::span<const ChangeCost> costs{};
};

/// A change, and the seconds by which it made a step longer.
struct SlowingChange {
  std::string text;
  double seconds = 0;
};

/// The changes of links and GPUs during a run.
class ChangeTimes {
public:
  /// `came`: changes_until() of the run. `came` must outlive this object.
  ChangeTimes(const Scenario& scenario, const Platform& platform, const std::vector<ChangeRow>& came);

  /// Returns the changes that cost the slow step more than the fast one, largest first. Examples are "node1.up:
  /// bandwidth 2 Gbps from 100 ms to 120 ms", and "node1.up: bandwidth 9 Gbps only from 200 ms on" for a change that
  /// made the fast step faster. `whats`: the kinds of changes to compare.
  [[nodiscard]] std::vector<SlowingChange> slowing(const std::vector<PlatformChange::What>& whats,
                                                   const StepCosts& slow, const StepCosts& fast) const;

private:
  using What = PlatformChange::What;
  using Target = std::pair<What, std::int32_t>;
  /// A change of one target, in force until the next one.
  struct Change {
    double at = 0;
    std::size_t row = 0; ///< in came_
  };
  /// What an entry of the scenario's list costs the two steps.
  struct EntryCost {
    double slow = 0, fast = 0;
    std::set<Target> slow_targets{}, fast_targets{};
    [[nodiscard]] double more() const { return slow - fast; }
    [[nodiscard]] bool only_in_fast() const { return !(slow > 0); } ///< it made the fast step faster
  };
  using EntryCosts = std::map<std::pair<What, std::int32_t>, EntryCost>;
  /// When an entry was in force during a step.
  struct Window {
    double from = 0, until = 0;
    std::set<double> times{}; ///< at which it came into force
    std::size_t row = 0;      ///< in came_
  };

  static EntryCosts entry_costs(const std::vector<What>& whats, const StepCosts& slow, const StepCosts& fast);
  [[nodiscard]] std::optional<Window> window(const std::set<Target>& targets, std::int32_t entry,
                                             const StepSpan& span) const;

  const std::vector<ChangeRow>& came_;
  std::map<Target, std::vector<Change>> histories_;
};

} // namespace gradflight
