// Bars of a step's parts and of its bounds, the same on every page.
#pragma once

#include "analysis/run/pages/page.hpp"
#include "analysis/run/pages/part_inks.hpp"
#include "analysis/run/pages/plot.hpp"

#include <string>
#include <vector>

namespace gradflight {

/// Returns a row with the parts of a critical path; `note` is the text after the bar.
PartBars::Row path_bar(std::string name, const Path& path, std::string note);

/// Returns a bar in which each bound has its share.
PageBar bounds_bar(const std::vector<Bound>& bounds);

/// Returns one entry for each bound that occurs in any of the bars.
std::vector<PageBar::Part> bounds_legend(const std::vector<std::vector<Bound>>& all);

} // namespace gradflight
