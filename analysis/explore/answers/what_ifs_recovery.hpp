// Changes of how a job lives with failures. Internal to answers.
#pragma once

#include "analysis/explore/answers/what_ifs.hpp"

#include <optional>

namespace gradflight {

/// Checkpoints as often as was found best, or written beside computing; more spares; starting again, noticing and
/// failing half as much; nothing failing at all. Empty where nothing fails.
std::vector<WhatIf> recovery_what_ifs(const Scenario& scenario, const nlohmann::ordered_json& canonical,
                                      std::optional<std::int64_t> best_checkpoint);

} // namespace gradflight
