// What `analyze` prints of a sweep's table, and how its options choose from it.
#pragma once

#include "analysis/exploration/sweep_page.hpp"

#include <string>

namespace gradflight {

/// Where the closed form breaks: the verdict, by failed assumption, over the axes.
std::string analysis_text(const SweepTable& table, const SweepAnalysis& analysis);

/// "COLUMN,COLUMN"; throws std::invalid_argument.
ParetoChoice pareto_of(const SweepTable& table, const std::string& names);
std::string pareto_text(const SweepTable& table, const ParetoChoice& choice);

/// "AXIS=VALUE"; throws std::invalid_argument.
BaselineChoice baseline_of(const SweepTable& table, const std::string& text);
/// For each value of the axis: how much faster its points are than their baselines.
std::string speedup_text(const SweepTable& table, const BaselineChoice& choice);

} // namespace gradflight
