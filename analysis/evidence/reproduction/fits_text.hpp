// The results of fits to parts of a pack's figures, as text for people and JSON for scripts.
#pragma once

#include "analysis/evidence/reproduction/scoreboard.hpp"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace gradflight {

/// Returns the errors of the figures that the pack itself predicts. Returns nothing if the fits belong to another state
/// of the pack, because they are then not comparable.
ErrorStatistics comparable_errors(const PaperScore& paper);

/// Returns the number of sets with a larger error.
std::size_t better_than(double own, const std::vector<double>& sets);

/// Returns why the stored fits may be invalid.
std::string stale_text(const Pack& pack);

/// Returns one paragraph: the figures of the fit, the fitted values, and the errors of the predicted figures.
std::string transfer_text(const TransferResult& result);
/// `own`: errors of the figures that the pack itself predicts; the text gives their rank among the sets.
std::string cross_validation_text(const CrossValidation& result, const ErrorStatistics& own);

/// Returns { "stale", "transfer": [...], "cross_validation": {...} }.
nlohmann::ordered_json fits_json(const PackFits& fits, bool stale, const ErrorStatistics& own);

} // namespace gradflight
