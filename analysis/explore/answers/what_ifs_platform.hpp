// Changes of a platform's links and latencies, by what they belong to. Internal to answers.
#pragma once

#include "platforms/code/link_role.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace gradflight {

class Platform;
struct Scenario;

using Settings = std::vector<std::pair<std::string, nlohmann::ordered_json>>;

/// Links of these tiers `factor` times as fast, all others as they were; empty where there are none. What overrides and
/// changes say of them is faster, too. `platform`: the scenario's.
Settings faster_links(const Scenario& scenario, const nlohmann::ordered_json& canonical, const Platform& platform,
                      const std::vector<LinkTier>& tiers, double factor);

/// Cables that overrides or changes make slower than the others of their kind, each with what makes it like them.
struct Repair {
  std::string what; ///< "node 2's cable like the others"
  Settings set;
};
std::vector<Repair> repairs(const Scenario& scenario, const nlohmann::ordered_json& canonical,
                            const Platform& platform);

/// `changes` without what these keys say; empty where none says anything.
Settings changes_without(const nlohmann::ordered_json& canonical, const std::vector<const char*>& keys);
/// All latencies and overheads times `factor`; empty where all are 0.
Settings shorter_latencies(const nlohmann::ordered_json& canonical, double factor);
/// An entry more in platform.overrides.
Settings with_override(const nlohmann::ordered_json& canonical, nlohmann::ordered_json entry);

} // namespace gradflight
