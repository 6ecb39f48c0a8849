// Finds the changes that slowed one step down in comparison with another.
#pragma once

#include "platforms/code/changes.hpp"

#include "analysis/run/result/change_rows.hpp"

#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace gradflight {

class Platform;
struct ChangeUse;
struct Scenario;

/// Begin and end of a step, in seconds.
struct StepSpan {
  double begin = 0, end = 0;
  [[nodiscard]] double length() const { return end - begin; }
};

/// A change, and the seconds by which it made a step longer.
struct SlowingChange {
  std::string text;
  double seconds = 0;
};

/// The values that changes gave to links and GPUs during a run.
class ChangedValues {
public:
  /// `came`: changes_until() of the run. All arguments must outlive this object.
  ChangedValues(const Scenario& scenario, const Platform& platform, const std::vector<ChangeRow>& came);

  /// Returns the intervals in which the slow step had a worse value than the fast step's mean, on links or GPUs that
  /// held up its path (`uses`), largest first. Examples are "node1.up: bandwidth 2 Gbps from 100 ms to 120 ms", and
  /// "node1.up: bandwidth 9 Gbps only from 200 ms on" for the platform's own value. `whats`: the kinds of values to
  /// compare.
  [[nodiscard]] std::vector<SlowingChange> slowing(const std::vector<PlatformChange::What>& whats,
                                                   std::span<const ChangeUse> uses, const StepSpan& slow,
                                                   const StepSpan& fast) const;

private:
  using What = PlatformChange::What;
  static constexpr std::size_t no_row = std::numeric_limits<std::size_t>::max();
  /// A value from `at` until the next one.
  struct Value {
    double at = 0, value = 0;
    std::size_t row = no_row; ///< row in came_; no_row: the platform's own value
  };
  using History = std::vector<Value>;

  [[nodiscard]] double own_value(What what, std::int32_t target) const;
  [[nodiscard]] std::string text(const std::vector<const History*>& alike, std::size_t at) const;
  static double cost(const ChangeUse& use, const History& history, std::size_t at, const StepSpan& slow, double usual);
  [[nodiscard]] bool same_changes(const History& a, const History& b) const;

  const Platform& platform_;
  const std::vector<ChangeRow>& came_;
  std::map<std::pair<What, std::int32_t>, History> histories_;
};

} // namespace gradflight
