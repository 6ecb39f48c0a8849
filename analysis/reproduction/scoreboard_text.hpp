// The scoreboard for people, and for scripts.
#pragma once

#include "analysis/reproduction/scoreboard.hpp"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace gradflight {

/// A table of figures for each paper with its counts and fitted parameters, and the counts of all.
std::string scoreboard_text(const Scoreboard& scoreboard);

/// { "figures": [...], "papers": [...], "parameters": [...], "summary": {...} }: docs/reproduce.md.
nlohmann::ordered_json scoreboard_json(const Scoreboard& scoreboard);

/// "36 figures predicted (24 from the text): median |error| 3.2 %, 90th percentile 11 %"
std::string counts_text(const ScoreCounts& counts);
/// "175", "true"; `none` where nothing is simulated.
std::string simulated_text(const FigureScore& score, const std::string& none);
/// "+1.2 %", "holds", "fails"; `none` where there is no error.
std::string error_text(const FigureScore& score, const std::string& none);
/// "1.999 Gbps +- 0.05 Gbps", with the unit of its value.
std::string value_text(const PackParameter& parameter);
/// Wrapped to lines that begin with `indent`.
std::string hung_text(const std::string& text, const std::string& indent);
/// The figures that the pack fits parameter `index` to.
std::vector<std::string> fitted_to(const Pack& pack, std::size_t index);

} // namespace gradflight
