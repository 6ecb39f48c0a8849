// The result object as JSON: the format for scripts outside the repository. result_fields.hpp defines its keys, units
// and meanings (docs/result-reference.md).
#pragma once

#include "analysis/run/result/fields/result_fields.hpp"
#include "analysis/run/result/outcome.hpp"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace gradflight {

/// Returns the object with keys in order.
nlohmann::ordered_json result_object(const Outcome& outcome);

/// Returns the whole object as text with a newline at the end.
std::string result_json(const Outcome& outcome);

/// Returns the list entry of a run without a result; ends with a newline.
std::string failed_run_json(const FailedRun& run);

/// Returns the output of `run --json` for several scenarios: a list of the objects in `entries`. Each entry is text
/// with a newline at the end.
std::string json_list(const std::vector<std::string>& entries);

} // namespace gradflight
