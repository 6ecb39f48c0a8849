// What fits on parts of a pack's figures say of the rest, for people and for scripts.
#pragma once

#include "analysis/evidence/reproduction/scoreboard.hpp"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace gradflight {

/// Of the figures that the pack itself predicts; nothing where its fits are of another state, beside which they say
/// nothing.
ErrorSummary errors_beside_fits(const PaperScore& paper);

/// How many of the sets have a larger error.
std::size_t better_than(double own, const std::vector<double>& sets);

/// Why the fits kept beside the pack may not hold any more.
std::string stale_text(const Pack& pack);

/// One paragraph for each: what was fitted to, what was found, how far the predicted figures lie off.
std::string transfer_text(const TransferResult& result);
/// `own`: of the figures that the pack itself predicts; it is said where it stands among the sets.
std::string cross_validation_text(const CrossValidation& result, const ErrorSummary& own);

/// { "stale", "transfer": [...], "cross_validation": {...} }
nlohmann::ordered_json fits_json(const PackFits& fits, bool stale, const ErrorSummary& own);

} // namespace gradflight
