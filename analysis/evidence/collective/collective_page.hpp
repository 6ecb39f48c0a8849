// The page of `collective`: the bounds of a call, its times and bandwidths by size, and the library's choices.
#pragma once

#include "analysis/evidence/collective/collective_request.hpp"

#include <string>
#include <vector>

namespace gradflight {

/// `tables` belong to one group. `platform` describes it in words; `command` is the command line of the page. Returns
/// self-contained HTML.
std::string collective_page(const std::vector<CollectiveTable>& tables, const std::string& platform,
                            const std::string& command);

} // namespace gradflight
