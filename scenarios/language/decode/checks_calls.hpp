// Settings that conflict with exchanges by library calls.
#pragma once

#include "scenarios/language/decode/checks.hpp"

#include <string>
#include <vector>

namespace gradflight {

struct TrainingSpec;

/// `at`: the pointer of `training`.
void check_calls(const Scenario& scenario, const TrainingSpec& training, const std::string& at,
                 std::vector<Violation>& found);

} // namespace gradflight
