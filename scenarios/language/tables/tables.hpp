// The field tables of the objects in a scenario (tables_*.cpp), and the JSON forms that differ from the decoded types.
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
/// `network` of a platform: for nodes with one cable each, and for machines with NICs described by `node`.
const Table<NetworkSpec>& network_table();
const Table<NetworkSpec>& node_network_table();
const Table<NodeSpec>& node_table();
const Table<NicSpec>& nic_table();

const Table<JobSpec>& job_table();
const Table<TrainingForm>& training_table();
const Table<Scenario>& scenario_table();
const Table<FailureSpec>& failures_table();
const Table<RecoverySpec>& recovery_table();
/// A list in order of time, or the path of a file with one.
Value<std::vector<ChangeSpec>> changes_value();
/// A list; entries without a name are named "flow0", "flow1", ... in order.
Value<std::vector<TrafficSpec>> traffic_value();

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
