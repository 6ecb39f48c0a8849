// Other users of the network: `traffic` of a scenario.
#pragma once

#include "platforms/code/spec/traffic_spec.hpp"
#include "scenarios/language/fields/value.hpp"

namespace gradflight {

/// A list; entries without a name are named "flow0", "flow1", ... in order.
Value<std::vector<TrafficSpec>> traffic_value();

} // namespace gradflight
