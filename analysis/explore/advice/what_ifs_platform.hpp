// Changes of a platform's links and latencies, by tier. Internal to this directory.
#pragma once

#include "analysis/explore/advice/what_ifs_entries.hpp"

namespace gradflight {

struct NetworkSpec;

/// Returns the settings that make links of these tiers `factor` times as fast and leave all others unchanged. Empty if
/// no link is of these tiers, or if they cannot be distinguished. Includes overrides and changes of these links.
/// `platform` is the scenario's.
Settings faster_links(const Scenario& scenario, const nlohmann::ordered_json& canonical, const Platform& platform,
                      const std::vector<LinkTier>& tiers, double factor);

/// Returns all latencies and overheads times `factor`, including overrides and changes; empty if all are 0.
Settings shorter_latencies(const nlohmann::ordered_json& canonical, double factor);

/// Returns the setting that lets packets choose among parallel cables; empty if there are none, or if they do so
/// already.
Settings adaptive_routing(const NetworkSpec& network);

} // namespace gradflight
