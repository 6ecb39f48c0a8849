// The tables of a result's parts, and the input types of their readers. Internal to the tables.
#pragma once

#include "analysis/run/result/fields/result_table.hpp"
#include "analysis/run/result/notes.hpp"
#include "analysis/run/result/outcome.hpp"
#include "analysis/run/result/verdict.hpp"

namespace gradflight {

/// A closed form, and the run to compare with it.
struct RunForm {
  const ClosedForm& form;
  const Outcome& outcome;
};

/// One iteration of a run.
struct RunIteration {
  const Outcome& outcome;
  std::size_t number;
};

/// The parts of a critical path.
struct RunParts {
  const Path& path;
  std::optional<double> before_start{}; ///< seconds before the path begins, of a run of jobs
};

/// One of several jobs.
struct RunJob {
  const Outcome* outcome; ///< null: a job of a list
  const JobRun& job;
};

/// A list of jobs that waited for GPUs.
struct RunQueue {
  const Outcome& outcome;
  const QueueResult& queue;
};

/// The effects of failures, with the scenario's parameters.
struct RunFailures {
  const FailuresResult& failures;
  double restart = 0;   ///< seconds from a failure until a checkpoint is read, without waiting for repairs
  bool as_daly = false; ///< whether Daly's formula applies to these failures
};
std::optional<RunFailures> failures_of(const Outcome& outcome);

const ResultTable<RunIteration>& iteration_table();
const ResultTable<Bottleneck>& bottleneck_table();
const ResultTable<Bound>& bound_table();
const ResultTable<MeanStep>& mean_step_table();
const ResultTable<Note>& note_table();
const ResultTable<LinkGroup>& link_group_table();
const ResultTable<ChangeRow>& change_row_table();
const ResultTable<TrafficResult>& traffic_result_table();
const ResultTable<RunJob>& job_result_table();
const ResultTable<RunQueue>& queue_result_table();
const ResultTable<Lifetime>& lost_time_table();
const ResultTable<RunFailures>& failures_result_table();
const ResultTable<RunParts>& breakdown_table();
const ResultTable<DataResult>& data_table();
const ResultTable<RunForm>& closed_form_table();

} // namespace gradflight
