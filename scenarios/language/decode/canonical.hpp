// A scenario written in one way only, and the identity that follows from it.
#pragma once

#include "scenarios/language/decode/model_version.hpp"

#include <string>

namespace gradflight {

struct PlatformSpec;
struct Scenario;
struct Workload;

/// The whole scenario as a scenario file: keys sorted, every default explicit, quantities exact and in base units.
/// Loading it yields the same scenario. Ends with a newline.
std::string canonical_json(const Scenario& scenario);

/// A workload as a file of its own: keys in the reference page's order, otherwise the same.
std::string workload_json(const Workload& workload);
/// A platform likewise, but for people: quantities as exact, in the units that make them short.
std::string platform_json(const PlatformSpec& platform);

/// 16 hexadecimal digits: xxHash64 of the canonical form without what cannot change a timing (FieldInfo::for_people),
/// and of model_version. Captured gradients count by their bytes, not by where they lie.
std::string scenario_id(const Scenario& scenario);
/// The same without model_version: of what the scenario says, whatever comes of it.
std::string scenario_digest(const Scenario& scenario);

} // namespace gradflight
