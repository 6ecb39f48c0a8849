// Settings that conflict with the element types of a workload.
#pragma once

#include "scenarios/language/decode/checks.hpp"

namespace gradflight {

struct TrainingSpec;
struct Workload;

/// Adds the mistakes of a phase; `at` is the pointer of its settings.
void check_elements(const Workload& workload, const TrainingSpec& training, const std::string& at,
                    std::vector<Violation>& found);

} // namespace gradflight
