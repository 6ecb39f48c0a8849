// The field tables of every object in a scenario (tables_*.cpp), and the JSON forms that differ from the decoded types.
#pragma once

#include "scenarios/language/fields/table.hpp"
#include "scenarios/language/types/scenario.hpp"

namespace gradflight {

/// `training` as in the file: the main phase, and the phases before it.
struct TrainingForm {
  TrainingSpec main{};
  std::vector<Phase> warmup{};
};

/// Convert between the form and phases: named warm-up phases, followed by the main phase.
std::vector<Phase> phases_of(TrainingForm form);
std::optional<TrainingForm> training_form(std::vector<Phase> phases);

const Table<PlatformSpec>& platform_table();
const Table<JobSpec>& job_table();
const Table<TrainingForm>& training_table();
const Table<Scenario>& scenario_table();

Value<Workload> workload_value();
Value<TrainingForm> training_value();
/// `jobs` as in the file: single jobs, or a list of jobs that wait for GPUs.
struct JobsForm {
  std::vector<JobSpec> jobs{};
  std::optional<JobQueue> queue{};
};
Value<JobsForm> jobs_value();
Value<JobQueue> queue_value();
Value<JobPlacement> job_placement();

} // namespace gradflight
