// What-ifs about entries of platform.overrides and changes. Internal to this directory.
#pragma once

#include "models/units/unit_text.hpp"
#include "platforms/code/link_role.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gradflight {

class Platform;
struct LinkSpec;
struct PlatformChange;
struct PlatformSpec;
struct Scenario;

using Settings = std::vector<std::pair<std::string, nlohmann::ordered_json>>;

/// Return the lists platform.overrides and changes; empty ones if the scenario has none.
nlohmann::ordered_json overrides_of(const nlohmann::ordered_json& canonical);
nlohmann::ordered_json changes_of(const nlohmann::ordered_json& canonical);

/// Returns an entry of one of these lists without some keys.
nlohmann::ordered_json without_keys(nlohmann::ordered_json entry, const std::vector<std::string>& keys);
/// Whether an entry of one of these lists gives any value.
bool has_effect(const nlohmann::ordered_json& entry);

/// Returns the cable of the nodes' NICs without overrides.
LinkSpec nodes_cable(const PlatformSpec& platform);
/// Returns each entry's changes of links on the built platform. Rates are payload rates, as in the platform.
std::vector<PlatformChange> link_changes(const Scenario& scenario, const Platform& platform);

/// Returns the text of a quantity multiplied by `factor`.
std::string scaled_quantity(const std::string& text, Dimension dimension, double factor);

/// Returns whether nodes' cables are of these tiers and those of servers or storage are not, or the other way round.
/// Both come from one description, so only overrides can distinguish them.
bool separates_servers(const Scenario& scenario, const Platform& platform, const std::vector<LinkTier>& tiers);

/// Adds entries of overrides and changes that give links of these tiers `factor` times their rates, and leave all other
/// links unchanged. An entry about nodes of both kinds becomes two. `platform` is the scenario's.
///
/// If separates_servers(), the first override contains the cables of one kind. With `usual_is_faster` the platform's
/// own description of a cable is already `factor` times as fast, and the override keeps the other kind's rates.
void scale_entries(const Scenario& scenario, const nlohmann::ordered_json& canonical, const Platform& platform,
                   const std::vector<LinkTier>& tiers, double factor, bool usual_is_faster, Settings& settings);

/// Adds the changes with `factor` times their latencies.
void scale_latencies_of_changes(const nlohmann::ordered_json& canonical, double factor, Settings& settings);

/// Returns the settings that make all reductions `factor` times as fast, also in overrides; empty if none takes time.
Settings faster_reductions(const nlohmann::ordered_json& canonical, double factor);

/// Adds to `settings` an override of the nodes from `first` up to `last`, which other overrides do not change. The
/// settings may already have overrides.
void override_nodes(const nlohmann::ordered_json& canonical, int first, int last, const nlohmann::ordered_json& values,
                    Settings& settings);

/// Returns the median speed, as the verdict has it (MedianSpeed): the faster one of two in the middle.
double median(std::vector<double> speeds);
/// Returns the median compute speed of the nodes, without `changes`.
double median_speed(const Scenario& scenario);

/// Returns the edges of a graph, overrides, changes and traffic without nodes from `nodes` on, each if it names some.
/// `nodes` is at least the platform's number of nodes, without servers.
Settings leave_out_nodes(const Scenario& scenario, const nlohmann::ordered_json& canonical, int nodes);

/// Links that overrides or changes make slower than the platform's others, or of higher latency, and nodes that reduce
/// or compute more slowly by overrides. If there are several, the last repair is of all of them together.
struct Repair {
  std::string what; ///< "node 2's cable like the others", "node 2's GPUs like the others"
  Settings set;
};
std::vector<Repair> repairs(const Scenario& scenario, const nlohmann::ordered_json& canonical,
                            const Platform& platform);

/// Returns `changes` without the compute speeds of the platform's nodes, those of servers excepted; empty if no entry
/// gives any.
Settings changes_without_speeds(const Scenario& scenario, const nlohmann::ordered_json& canonical);
/// Returns the overrides and changes that raise each GPU's speed to the median speed at that time where it is lower,
/// and no jitter; empty if no GPU is slower and computations have no jitter. The median is that of the verdict: of two
/// middle GPUs the faster one counts. Null if changes of speeds have different periods.
std::optional<Settings> no_stragglers(const Scenario& scenario, const nlohmann::ordered_json& canonical,
                                      const Platform& platform);
/// Returns platform.overrides with one more entry, the last.
Settings with_override(const nlohmann::ordered_json& canonical, nlohmann::ordered_json entry);

} // namespace gradflight
