// The content of every run's result; docs/result-reference.md is generated from it.
//
// The name of every number contains its unit; times are in seconds. A result does not depend on the machine, the clock
// or the date (those are in meta.json). So two runs of one scenario give the same result.
//
// "iterations" has an entry for each of up to 10,000 iterations. With more, it has the first and the last 5,000;
// "iterations_omitted" is the number of omitted entries (0 otherwise).
#pragma once

#include "analysis/run/result/fields/result_table.hpp"
#include "analysis/run/result/outcome.hpp"

#include <cstddef>
#include <string>

namespace gradflight {

inline constexpr std::size_t iterations_kept = 10'000;

/// The whole result.
const ResultTable<Outcome>& result_table();

/// Replaces the result of a scenario that is wrong, or whose simulation failed, in a list of several.
struct FailedRun {
  std::string scenario, error;
};
const ResultTable<FailedRun>& failed_run_table();

/// An item of "links"; links.csv has the same columns.
struct RunLink {
  const LinkResult& link;
  double run_time; ///< s
};
const ResultTable<RunLink>& link_table();

} // namespace gradflight
