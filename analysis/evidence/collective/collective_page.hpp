// The page of `collective`: what binds the call, its times and bandwidths by size, and what was chosen.
#pragma once

#include "analysis/evidence/collective/collective_request.hpp"

#include <string>
#include <vector>

namespace gradflight {

/// Tables of one group. `platform`: what it is, in words; `command`: the line that made it. HTML that opens without
/// anything else.
std::string collective_page(const std::vector<CollectiveTable>& tables, const std::string& platform,
                            const std::string& command);

} // namespace gradflight
