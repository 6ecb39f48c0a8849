// Shares of a path's time as JSON, in the format of results.
#pragma once

#include "analysis/run/result/verdict.hpp"

#include <nlohmann/json_fwd.hpp>

namespace gradflight {

/// [{"what": "nic", "share": 0.94, "name": "the NICs"}, ...]
nlohmann::ordered_json bounds_json(const std::vector<Bound>& bounds);

} // namespace gradflight
