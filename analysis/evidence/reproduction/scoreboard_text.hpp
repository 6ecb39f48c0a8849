// The scoreboard as text for people, and as JSON for scripts.
#pragma once

#include "analysis/evidence/reproduction/scoreboard.hpp"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace gradflight {

/// Returns a table of figures for each paper with its counts, fitted parameters and choices, and the counts of all.
/// `sensitivities`: includes the sensitivities of each figure.
std::string scoreboard_text(const Scoreboard& scoreboard, bool sensitivities = false);

/// Returns { "figures": [...], "papers": [...], "parameters": [...], "summary": {...} }: docs/reproduce.md.
nlohmann::ordered_json scoreboard_json(const Scoreboard& scoreboard);

/// Returns sentences: first the predicted figures' errors, then the same with the failed ones, then comparisons with
/// the forms, and the rest.
std::vector<std::string> counts_text(const ScoreCounts& counts);
/// Returns "175" or "true"; `none` without a simulated value.
std::string simulated_text(const FigureScore& score, const std::string& none);
/// Returns "+1.2 %", "holds" or "fails"; `none` without an error.
std::string error_text(const FigureScore& score, const std::string& none);
/// Returns "1.999 Gbps +- 0.05 Gbps", in the unit of its value.
std::string value_text(const PackParameter& parameter);
/// Returns "bandwidth -0.62, compute -0.35": d ln figure / d ln number, the largest first; empty without sensitivities.
std::string sensitivity_text(const Pack& pack, const FigureScore& score);
/// Returns the choice and its alternative, with the errors without it.
std::string choice_text(const PackChoice& choice, const ChoiceScore& score);
/// Returns the figures to which the pack fits parameter `index`.
std::vector<std::string> fitted_to(const Pack& pack, std::size_t index);

} // namespace gradflight
