// The canonical form of a scenario, and its identity.
#pragma once

#include "scenarios/language/decode/model_version.hpp"

#include <string>

namespace gradflight {

struct PlatformSpec;
struct Scenario;
struct Workload;

/// Returns the whole scenario as a scenario file: sorted keys, all defaults explicit, exact quantities in base units.
/// Loading it gives the same scenario. Ends with a newline.
std::string canonical_json(const Scenario& scenario);

/// Returns a workload as a separate file: keys in the order of the reference page, otherwise the same form.
std::string workload_json(const Workload& workload);
/// Returns a platform in the same form, but for people: exact quantities, in the units with the shortest text.
std::string platform_json(const PlatformSpec& platform);

/// Returns 16 hexadecimal digits: the xxHash64 of the canonical form and of model_version. Keys that cannot change a
/// time (FieldInfo::for_people) do not count. Captured gradients count by their bytes, not by their path.
std::string scenario_id(const Scenario& scenario);
/// The same without model_version: it identifies the content of the scenario, not its results.
std::string scenario_digest(const Scenario& scenario);

} // namespace gradflight
