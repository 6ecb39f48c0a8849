// Changes of a job's recovery from failures. Internal to this directory.
#pragma once

#include "analysis/explore/advice/what_ifs.hpp"

#include <optional>

namespace gradflight {

/// Checkpoints at the best interval, or written while computing; more spares; half the time to restart or to detect,
/// half as many failures; no failures. Empty if nothing fails.
std::vector<WhatIf> recovery_what_ifs(const Scenario& scenario, const nlohmann::ordered_json& canonical,
                                      std::optional<std::int64_t> best_checkpoint);

} // namespace gradflight
