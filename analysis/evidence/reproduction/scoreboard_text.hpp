// The scoreboard for people, and for scripts.
#pragma once

#include "analysis/evidence/reproduction/scoreboard.hpp"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace gradflight {

/// A table of figures for each paper with its counts, fitted parameters and choices, and the counts of all;
/// `sensitivities`: with what each figure hangs on.
std::string scoreboard_text(const Scoreboard& scoreboard, bool sensitivities = false);

/// { "figures": [...], "papers": [...], "parameters": [...], "summary": {...} }: docs/reproduce.md.
nlohmann::ordered_json scoreboard_json(const Scoreboard& scoreboard);

/// Sentences: the predicted figures' errors first, then the same with the failed ones, against the forms, and the rest.
std::vector<std::string> counts_text(const ScoreCounts& counts);
/// "175", "true"; `none` where nothing is simulated.
std::string simulated_text(const FigureScore& score, const std::string& none);
/// "+1.2 %", "holds", "fails"; `none` where there is no error.
std::string error_text(const FigureScore& score, const std::string& none);
/// "1.999 Gbps +- 0.05 Gbps", with the unit of its value.
std::string value_text(const PackParameter& parameter);
/// "bandwidth -0.62, compute -0.35": d ln figure / d ln number, the largest first; empty: none has a say.
std::string sensitivity_text(const Pack& pack, const FigureScore& score);
/// What was chosen instead of what, and the errors without it.
std::string choice_text(const PackChoice& choice, const ChoiceScore& score);
/// Wrapped to lines that begin with `indent`.
std::string wrapped_text(const std::string& text, const std::string& indent);
/// The figures that the pack fits parameter `index` to.
std::vector<std::string> fitted_to(const Pack& pack, std::size_t index);

} // namespace gradflight
