// The field tables of every object in a scenario (tables_*.cpp), and the intermediate forms that JSON has but the
// decoded types have not.
#pragma once

#include "scenarios/language/fields/table.hpp"
#include "scenarios/language/types/scenario.hpp"

namespace gradflight {

/// `training` as written: the main phase, and the phases before it.
struct TrainingForm {
  TrainingSpec main{};
  std::vector<Phase> warmup{};
};

const Table<PlatformSpec>& platform_table();
const Table<TrainingForm>& training_table();
const Table<Scenario>& scenario_table();

Value<Workload> workload_value();
Value<TrainingForm> training_value();

} // namespace gradflight
