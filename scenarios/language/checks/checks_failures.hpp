// Checks of `failures` and `recovery` against the rest of a scenario.
#pragma once

#include "scenarios/language/checks/checks.hpp"

#include <vector>

namespace gradflight {

/// Adds what random failures, and the recovery from them or from changes, cannot be combined with.
void check_failures(const Scenario& scenario, std::vector<Violation>& found);

} // namespace gradflight
