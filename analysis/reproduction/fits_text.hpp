// What fits on parts of a pack's figures say of the rest, for people and for scripts.
#pragma once

#include "scenarios/language/packs/pack_fits.hpp"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace gradflight {

/// Why the fits kept beside the pack may not hold any more.
std::string stale_text(const Pack& pack);

/// One paragraph for each: what was fitted to, what was found, how far the predicted figures lie off.
std::string transfer_text(const TransferResult& result);
std::string cross_validation_text(const CrossValidation& result);

/// { "stale", "transfer": [...], "cross_validation": {...} }
nlohmann::ordered_json fits_json(const PackFits& fits, bool stale);

} // namespace gradflight
