// Compares a run with its golden scenario's expectations: the numbers that moved, and a golden file's content.
#pragma once

#include "analysis/run/result/outcome.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gradflight {

class Platform;

struct ExpectationCheck {
  Expectation expected;
  std::optional<double> got; ///< absent: this run has no such number

  /// Equal bits (or 0 and -0) if the tolerance is 0, else |got - value| <= tolerance |value|.
  [[nodiscard]] bool holds() const;
  [[nodiscard]] double difference() const { return got ? *got - expected.value : 0; }
  /// (got - value) / value; nothing if the value is 0 or the run has no number.
  [[nodiscard]] std::optional<double> change() const;
};

struct GoldenCheck {
  std::vector<ExpectationCheck> quantities; ///< in the order of the file
  [[nodiscard]] std::size_t moved() const;
  [[nodiscard]] const ExpectationCheck* find(const std::string& quantity) const;
};

/// `expect` must have passed expectation_errors.
GoldenCheck check_expectations(const std::vector<Expectation>& expect, const Outcome& outcome,
                               const Platform& platform);

/// Returns what `--accept` writes for a scenario without expectations: the times, the parts of the critical path that
/// are not zero, the traffic, the end of each warm-up phase, and the busiest link with its bandwidth. This is enough to
/// explain a later change. All values are exact. The time's `why` says whether a closed form confirms it.
std::vector<Expectation> standard_expectations(const Outcome& outcome, const Platform& platform);

/// Returns the link with the longest busy time (equal up to the last digits: the slowest of these, then the first);
/// null if no link carried anything.
const LinkResult* busiest_link(const RunResult& result);

/// The last iteration of each phase, counted over all phases.
std::vector<std::int64_t> phase_ends(const Scenario& scenario);

} // namespace gradflight
