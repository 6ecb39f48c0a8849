// What a result holds, of every run (docs/result-reference.md is made from it).
//
// Every number carries its unit in its name; times are seconds. Nothing in a result depends on the machine, the clock
// or the day (those live in meta.json), so two runs of one scenario have the same.
//
// "iterations" is written with an entry for each iteration up to 10,000 of them; beyond that the first and the last
// 5,000, with their number left out in "iterations_omitted" (0 otherwise).
#pragma once

#include "analysis/run/result/fields/result_table.hpp"
#include "analysis/run/result/outcome.hpp"

#include <cstddef>
#include <string>

namespace gradflight {

inline constexpr std::size_t iterations_kept = 10'000;

/// The whole result.
const ResultTable<Outcome>& result_table();

/// What stands for the result of a scenario that is wrong or whose simulation failed, among several.
struct FailedRun {
  std::string scenario, error;
};
const ResultTable<FailedRun>& failed_run_table();

/// An item of "links"; links.csv has these columns.
struct RunLink {
  const LinkResult& link;
  double run_time; ///< s
};
const ResultTable<RunLink>& link_table();

} // namespace gradflight
