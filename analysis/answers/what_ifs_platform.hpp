// Changes of a platform's links and latencies, by what they belong to. Internal to answers.
#pragma once

#include "analysis/result/verdict.hpp"
#include "scenarios/language/types/scenario.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace gradflight {

using Settings = std::vector<std::pair<std::string, nlohmann::ordered_json>>;

/// All links of that part (nic, uplink, intra_node, server) `factor` times as fast, all others as they were; empty
/// where there are none.
Settings faster_links(const Scenario& scenario, const nlohmann::ordered_json& canonical, Bounding part, double factor);
/// NICs and uplinks alike.
Settings faster_network(const Scenario& scenario, const nlohmann::ordered_json& canonical, double factor);
/// All latencies and overheads times `factor`; empty where all are 0.
Settings shorter_latencies(const nlohmann::ordered_json& canonical, double factor);
/// An entry more in platform.overrides.
Settings with_override(const nlohmann::ordered_json& canonical, nlohmann::ordered_json entry);

} // namespace gradflight
