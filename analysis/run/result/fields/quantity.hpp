// The numbers of a result that `expect` and packs name (result_path.hpp): checked before a run, and read after it.
#pragma once

#include "analysis/run/result/outcome.hpp"
#include "scenarios/language/decode/load.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace gradflight {

class Platform;
struct PlatformError;

/// Returns nothing if this run has no such number (a relative error to a form of 0 s, an iteration that was not
/// reached).
using QuantityReader = std::function<std::optional<double>(const Outcome&)>;

struct QuantityLookup {
  QuantityReader read; ///< empty: see `error`
  std::string error;   ///< the mistake in the name, and the nearest existing one
};

/// Decides from the scenario alone, before any run.
QuantityLookup find_quantity(const std::string& name, const Scenario& scenario, const Platform& platform);

/// Whether a run with SimulateOptions::only_times provides the quantity.
bool is_of_times(const std::string& name);

/// Returns mistakes for every `expect` entry without a known quantity, or with the quantity of an earlier entry.
/// Pointers start at the scenario's root. In a scenario with other mistakes, finds names that no run has, and with
/// Known::cluster names of links that the platform does not have. `platform` may be null with Known::names.
std::vector<PlatformError> expectation_errors(const Scenario& scenario, const Platform* platform,
                                              Known known = Known::all);

} // namespace gradflight
