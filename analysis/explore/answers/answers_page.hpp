// The pages of compare, scale and advise: the answer first, then a drawing, then the numbers.
#pragma once

#include "analysis/explore/advice/advice.hpp"
#include "analysis/explore/answers/compare.hpp"
#include "analysis/explore/answers/scale.hpp"

#include <string>

namespace gradflight {

// `command`: the command line that made the page; empty: not shown. Returns self-contained HTML.
std::string compare_page(const SideBySide& table, const std::string& command);
std::string scale_page(const Scaling& scaling, const std::string& scenario, const std::string& command);
std::string advice_page(const Advice& advice, const std::string& command);

} // namespace gradflight
