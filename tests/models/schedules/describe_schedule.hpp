// Steps as text, for the tests of schedules; `gradflight plan` prints operations (sim/training/plan_text.hpp).
#pragma once

#include "models/schedules/parts/collective.hpp"

#include <string>

namespace gradflight {

/// One line, such as "step 3: send [250,500) to 2, receive [0,250) from 0, reduce". Ranges are half open; lists are
/// "lists [6,9)" and may run past the last worker, to be taken modulo their number.
std::string describe(const Schedule& schedule, std::int64_t n, int participant, int step, Unit unit = Unit::elements);

} // namespace gradflight
