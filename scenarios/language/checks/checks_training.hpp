// Checks of a phase's settings against its calls and its workload. `at` is the JSON pointer of these settings.
#pragma once

#include "scenarios/language/checks/checks.hpp"

#include <string>
#include <vector>

namespace gradflight {

struct TrainingSpec;
struct Workload;

/// Adds settings that conflict with exchanges by library calls.
void check_calls(const Scenario& scenario, const TrainingSpec& training, const std::string& at,
                 std::vector<Violation>& found);
/// Adds settings that conflict with the workload's element types.
void check_elements(const Workload& workload, const TrainingSpec& training, const std::string& at,
                    std::vector<Violation>& found);

} // namespace gradflight
