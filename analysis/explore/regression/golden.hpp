// A run held against what its golden scenario expects: the numbers that moved, and what a golden file should hold.
#pragma once

#include "analysis/run/result/outcome.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gradflight {

class Platform;

struct ExpectationCheck {
  Expectation expected;
  std::optional<double> got; ///< nothing: this run has no such number

  /// Bit for bit (or 0 and -0) where the tolerance is 0, else |got - value| <= tolerance |value|.
  [[nodiscard]] bool holds() const;
  [[nodiscard]] double difference() const { return got ? *got - expected.value : 0; }
  /// (got - value) / value; nothing where the value is 0 or nothing was got.
  [[nodiscard]] std::optional<double> change() const;
};

struct GoldenCheck {
  std::vector<ExpectationCheck> quantities; ///< in the file's order
  [[nodiscard]] std::size_t moved() const;
  [[nodiscard]] const ExpectationCheck* find(const std::string& quantity) const;
};

/// `expect` must have passed expectation_errors.
GoldenCheck check_expectations(const std::vector<Expectation>& expect, const Outcome& outcome,
                               const Platform& platform);

/// What `--accept` writes for a scenario that expects nothing yet: the times, the parts of the critical path that are
/// not zero, the traffic, the end of each warm-up phase, and the busiest link with its bandwidth: enough to explain
/// a later change. All exact. The time's `why` says whether a closed form stands behind it.
std::vector<Expectation> standard_expectations(const Outcome& outcome, const Platform& platform);

/// The link that was busy longest (differences in the last digits aside: the slowest of those, then the first); null
/// where none carried anything.
const LinkResult* busiest_link(const RunResult& result);

/// The last iteration of each phase, counted over all phases.
std::vector<std::int64_t> phase_ends(const Scenario& scenario);

} // namespace gradflight
