// Tables of collectives in nccl-tests' format, as JSON, as CSV and as a page.
#pragma once

#include "analysis/evidence/collective/collective_request.hpp"

#include <string>
#include <vector>

namespace gradflight {

/// Returns the table. The platform and the bounds are above the rows; differences to measured times are below.
std::string collective_text(const CollectiveTable& table, bool against);

/// Returns one object for one table, or a list for several.
std::string collective_json(const std::vector<CollectiveTable>& tables);
std::string collective_csv(const std::vector<CollectiveTable>& tables);

/// Returns a self-contained page: the bounds of a call, its times and bandwidths by size, and the library's choices.
/// `tables` belong to one group. `platform` describes it in words; `command` is the command line of the page.
std::string collective_page(const std::vector<CollectiveTable>& tables, const std::string& platform,
                            const std::string& command);

} // namespace gradflight
