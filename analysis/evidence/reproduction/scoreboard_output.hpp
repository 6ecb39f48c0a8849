// The scoreboard as text and as a page for people, and as JSON for scripts.
#pragma once

#include "analysis/evidence/reproduction/scoreboard.hpp"
#include "analysis/run/pages/page.hpp"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace gradflight {

/// Returns a table of figures for each paper with its counts, fitted parameters and choices, and the counts of all.
/// `sensitivities`: includes the sensitivities of each figure.
std::string scoreboard_text(const Scoreboard& scoreboard, bool sensitivities = false);

/// Returns { "figures": [...], "papers": [...], "parameters": [...], "summary": {...} }: docs/reproduce.md.
nlohmann::ordered_json scoreboard_json(const Scoreboard& scoreboard);

/// Returns a self-contained page (page.hpp): for each paper a plot of simulated against reported values, its figures,
/// parameters and exclusions.
std::string scoreboard_page(const Scoreboard& scoreboard, const std::string& command);

// Sentences and cells of both text and page:

/// Returns sentences: first the predicted figures' errors, then the same with the failed ones, then comparisons with
/// the forms, and the rest.
std::vector<std::string> counts_text(const ScoreCounts& counts);
/// Returns "175" or "true"; `none` without a simulated value.
std::string simulated_text(const FigureScore& score, const std::string& none);
/// Returns "+1.2 %", "holds" or "fails"; `none` without an error.
std::string error_text(const FigureScore& score, const std::string& none);
/// Returns "1.999 Gbps +- 0.05 Gbps", in the unit of its value.
std::string value_text(const PackParameter& parameter);
/// Returns the figures to which the pack fits parameter `index`.
std::vector<std::string> fitted_to(const Pack& pack, std::size_t index);
/// Returns a sentence for each choice: its alternative, and the errors without it.
std::vector<std::string> choices_text(const PaperScore& paper);

// Parts of the page:

/// Returns a row for each simulated figure.
PageTable figure_table(const PaperScore& paper);
/// Returns a row for each of the other figures.
PageTable other_table(const PaperScore& paper);
/// Returns the meanings of the colours in the figures' bars.
std::vector<PageBar::Part> bar_legend(const Pack& pack);
/// Plots simulated against reported values, and the errors separately, because decades hide them. The axes fit the
/// predicted and fitted figures; other figures beyond them are drawn at their ends.
void add_plots(Page& page, const PaperScore& paper);

// The results of fits to parts of a pack's figures:

/// Returns the errors of the figures that the pack itself predicts. Returns nothing if the fits belong to another state
/// of the pack, because they are then not comparable.
ErrorStatistics comparable_errors(const PaperScore& paper);
/// Returns the number of sets with a larger error.
std::size_t better_than(double own, const std::vector<double>& sets);
/// Returns a paragraph for each result, first why they may be invalid; nothing without stored fits.
std::vector<std::string> fits_text(const PaperScore& paper);
/// Returns one paragraph: the figures of the fit, the fitted values, and the errors of the predicted figures.
std::string transfer_text(const TransferResult& result);
/// `own`: errors of the figures that the pack itself predicts; the text gives their rank among the sets.
std::string cross_validation_text(const CrossValidation& result, const ErrorStatistics& own);
/// Returns { "stale", "transfer": [...], "cross_validation": {...} }.
nlohmann::ordered_json fits_json(const PackFits& fits, bool stale, const ErrorStatistics& own);

} // namespace gradflight
