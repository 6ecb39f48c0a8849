// Tables of collectives as nccl-tests prints them, as JSON and as CSV.
#pragma once

#include "analysis/evidence/collective/collective_request.hpp"

#include <nlohmann/json_fwd.hpp>

namespace gradflight {

/// What stands above the rows, with a line for the platform; what a row is (without its end).
std::string collective_header(const CollectiveTable& table, bool against);
std::string collective_line(const CollectiveRow& row, bool against);

/// One object for one table, a list for several.
std::string collective_json(const std::vector<CollectiveTable>& tables);
std::string collective_csv(const std::vector<CollectiveTable>& tables);

} // namespace gradflight
