// Tables of collectives as nccl-tests prints them, as JSON and as CSV.
#pragma once

#include "analysis/evidence/collective/collective_request.hpp"

#include <nlohmann/json_fwd.hpp>

namespace gradflight {

/// The table with its platform and what binds it above the rows; with measured times, where they part below them.
std::string collective_text(const CollectiveTable& table, bool against);

/// One object for one table, a list for several.
std::string collective_json(const std::vector<CollectiveTable>& tables);
std::string collective_csv(const std::vector<CollectiveTable>& tables);

} // namespace gradflight
