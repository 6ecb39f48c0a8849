// Changes of the platform during a run: `changes` of a scenario.
#pragma once

#include "platforms/code/spec/change_spec.hpp"
#include "scenarios/language/fields/value.hpp"

namespace gradflight {

/// A list in order of time, or the path of a file with one.
Value<std::vector<ChangeSpec>> changes_value();

} // namespace gradflight
