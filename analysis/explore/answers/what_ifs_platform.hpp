// Changes of a platform's links and latencies, by what they belong to. Internal to answers.
#pragma once

#include "analysis/explore/answers/what_ifs_entries.hpp"

namespace gradflight {

/// Returns the settings that make links of these tiers `factor` times as fast and leave all others as they are; empty
/// where no link is of these tiers, or where they cannot be told from others. Overrides and changes of these links are
/// faster, too. `platform` is the scenario's.
Settings faster_links(const Scenario& scenario, const nlohmann::ordered_json& canonical, const Platform& platform,
                      const std::vector<LinkTier>& tiers, double factor);

/// Returns all latencies and overheads times `factor`, those of overrides and changes, too; empty where all are 0.
Settings shorter_latencies(const nlohmann::ordered_json& canonical, double factor);

} // namespace gradflight
