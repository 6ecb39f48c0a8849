// What element types of a workload do not go with.
#pragma once

#include "scenarios/language/decode/checks.hpp"

namespace gradflight {

struct TrainingSpec;
struct Workload;

/// Adds what is wrong with a phase whose settings stand at `at`.
void check_elements(const Workload& workload, const TrainingSpec& training, const std::string& at,
                    std::vector<Violation>& found);

} // namespace gradflight
