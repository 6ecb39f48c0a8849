// Tables of collectives in nccl-tests' format, as JSON and as CSV.
#pragma once

#include "analysis/evidence/collective/collective_request.hpp"

#include <nlohmann/json_fwd.hpp>

namespace gradflight {

/// Returns the table. The platform and the bounds are above the rows; differences to measured times are below.
std::string collective_text(const CollectiveTable& table, bool against);

/// Returns one object for one table, or a list for several.
std::string collective_json(const std::vector<CollectiveTable>& tables);
std::string collective_csv(const std::vector<CollectiveTable>& tables);

} // namespace gradflight
