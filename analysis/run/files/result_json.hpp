// The result object as JSON: the shape that scripts outside the repository read. Its keys, units and meaning are the
// rows of result_fields.hpp (docs/result-reference.md).
#pragma once

#include "analysis/run/result/outcome.hpp"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace gradflight {

/// The object as a value, keys in their order.
nlohmann::ordered_json result_object(const Outcome& outcome);

/// The whole object as text, ending in a newline.
std::string result_json(const Outcome& outcome);

} // namespace gradflight
