// The result object as JSON: the shape that scripts outside the repository read. Its keys, units and meaning are the
// rows of result_fields.hpp (docs/result-reference.md).
#pragma once

#include "analysis/run/result/fields/result_fields.hpp"
#include "analysis/run/result/outcome.hpp"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace gradflight {

/// The object as a value, keys in their order.
nlohmann::ordered_json result_object(const Outcome& outcome);

/// The whole object as text, ending in a newline.
std::string result_json(const Outcome& outcome);

/// The entry of a run that has no result, in a list of several; ends in a newline.
std::string failed_run_json(const FailedRun& run);

/// What `run --json` prints of several scenarios: a list of the objects that `entries` are, each as text that ends in a
/// newline.
std::string json_list(const std::vector<std::string>& entries);

} // namespace gradflight
