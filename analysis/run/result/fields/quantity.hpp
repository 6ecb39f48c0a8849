// The numbers of a result that `expect` and packs name (result_path.hpp), told before a run and read after it.
#pragma once

#include "analysis/run/result/outcome.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace gradflight {

class Platform;
struct PlatformError;

/// Nothing where this run has no such number (a relative error to a form of 0 s, an iteration that was not reached).
using QuantityReader = std::function<std::optional<double>(const Outcome&)>;

struct QuantityLookup {
  QuantityReader read; ///< empty: see `error`
  std::string error;   ///< what is wrong with the name, and the nearest one that exists
};

/// Decides by the scenario alone, before anything runs.
QuantityLookup find_quantity(const std::string& name, const Scenario& scenario, const Platform& platform);

/// Whether a run with SimulateOptions::only_times has it.
bool is_of_times(const std::string& name);

/// Every `expect` entry that names no quantity, or one that an earlier entry has; pointers from the scenario's root.
std::vector<PlatformError> expectation_errors(const Scenario& scenario, const Platform& platform);

} // namespace gradflight
