// The numbers of a result by name: what `expect` may name, told before a run and read after it.
//
// A name is the path of the number in the result object (result_json.hpp), joined by dots:
//   time_s, iteration_time_s, compute_time_s, ..., messages, wire_bytes
//   breakdown.PART_s, iteration_breakdown.PART_s    PART: compute, update, alpha, ... (result.hpp)
//   closed_form.TERM                                TERM: time_s, alpha_s, ..., relative_error
//   iterations.N.FIELD                              N from 0 over all phases; FIELD: end_s, time_s
//   links.LINK.FIELD                                LINK may hold dots (node0.up); FIELD: bytes, busy_s, ...
#pragma once

#include "analysis/result/outcome.hpp"
#include "platforms/code/platform.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace gradflight {

/// Nothing where this run has no such number (a relative error to a form of 0 s, an iteration that was not reached).
using QuantityReader = std::function<std::optional<double>(const Outcome&)>;

struct QuantityLookup {
  QuantityReader read; ///< empty: see `error`
  std::string error;   ///< what is wrong with the name, and the nearest one that exists
};

/// Decides by the scenario alone, before anything runs.
QuantityLookup find_quantity(const std::string& name, const Scenario& scenario, const Platform& platform);

/// Every `expect` entry that names no quantity, or one that an earlier entry has; pointers from the scenario's root.
std::vector<PlatformError> expectation_errors(const Scenario& scenario, const Platform& platform);

} // namespace gradflight
