// Which change has slowed one step down compared with another.
#pragma once

#include "platforms/code/changes.hpp"

#include "analysis/run/result/change_rows.hpp"

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gradflight {

class Platform;
struct RunResult;
struct Scenario;

/// Begin and end of a step, in seconds.
struct StepSpan {
  double begin = 0, end = 0;
  [[nodiscard]] double length() const { return end - begin; }
};

/// The values that changes have given to links and GPUs during a run.
class ChangedValues {
public:
  /// `came`: changes_until() of the run; all arguments must outlive this.
  ChangedValues(const Scenario& scenario, const Platform& platform, const std::vector<ChangeRow>& came,
                const RunResult& result);

  /// The time with a worse value in the slow step than the fast step had on average: "node1.up: bandwidth 2 Gbps from
  /// 100 ms to 120 ms", or "before node1.up: bandwidth 9 Gbps from 200 ms on" where the value is the platform's own.
  /// Of several the one that costs most, by how much worse it was and for how long. Empty: no value was worse.
  /// `whats`: the kinds of values to look at. `tiers`: of links, a bit for each tier (LinkTier) to look at.
  [[nodiscard]] std::string slowing(const std::vector<PlatformChange::What>& whats, const StepSpan& slow,
                                    const StepSpan& fast, std::uint32_t tiers = ~std::uint32_t{0}) const;

private:
  using What = PlatformChange::What;
  static constexpr std::size_t no_row = std::numeric_limits<std::size_t>::max();
  /// From `at` until the next one.
  struct Value {
    double at = 0, value = 0;
    std::size_t row = no_row; ///< of came_; no_row: the platform's own value
  };
  using History = std::vector<Value>;

  [[nodiscard]] double own_value(What what, std::int32_t target) const;
  [[nodiscard]] bool counts(What what, std::int32_t target, std::uint32_t tiers) const;
  [[nodiscard]] std::string text(const History& history, std::size_t at) const;

  const Platform& platform_;
  const std::vector<ChangeRow>& came_;
  const RunResult& result_;
  std::map<std::pair<What, std::int32_t>, History> histories_;
};

} // namespace gradflight
