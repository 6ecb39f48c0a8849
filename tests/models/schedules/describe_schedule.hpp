// Converts steps to text for the tests of schedules; `gradflight plan` prints operations (sim/training/plan_text.hpp).
#pragma once

#include "models/schedules/parts/collective.hpp"

#include <string>

namespace gradflight {

/// Returns one line, such as "step 3: send [250,500) to 2, receive [0,250) from 0, reduce". Ranges are half open. Lists
/// are "lists [6,9)"; they may exceed the number of workers, and count modulo that number.
std::string describe(const Schedule& schedule, std::int64_t n, int participant, int step, Unit unit = Unit::elements);

} // namespace gradflight
