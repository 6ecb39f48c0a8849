// The tables of a result's parts, and what their readers read from. Only the tables themselves need this.
#pragma once

#include "analysis/run/result/fields/result_table.hpp"
#include "analysis/run/result/notes.hpp"
#include "analysis/run/result/outcome.hpp"
#include "analysis/run/result/verdict.hpp"

namespace gradflight {

/// A closed form beside the run that it is compared with.
struct RunForm {
  const ClosedForm& form;
  const Outcome& outcome;
};

/// An iteration of a run.
struct RunIteration {
  const Outcome& outcome;
  std::size_t number;
};

/// One of several jobs.
struct RunJob {
  const Outcome* outcome; ///< null: of a list of jobs
  const JobRun& job;
};

/// A list of jobs that waited for GPUs.
struct RunQueue {
  const Outcome& outcome;
  const QueueResult& queue;
};

/// What failures did, with what the scenario says of them.
struct RunFailures {
  const FailuresResult& failures;
  double restart = 0;   ///< seconds from a failure to where a checkpoint is read, without waiting for repairs
  bool as_daly = false; ///< Daly's formula is about such failures
};
std::optional<RunFailures> failures_of(const Outcome& outcome);

const ResultTable<RunIteration>& iteration_table();
const ResultTable<Bottleneck>& bottleneck_table();
const ResultTable<Bound>& bound_table();
const ResultTable<Note>& note_table();
const ResultTable<LinkGroup>& link_group_table();
const ResultTable<ChangeRow>& change_row_table();
const ResultTable<TrafficResult>& traffic_result_table();
const ResultTable<RunJob>& job_result_table();
const ResultTable<RunQueue>& queue_result_table();
const ResultTable<Lifetime>& lost_time_table();
const ResultTable<RunFailures>& failures_result_table();
const ResultTable<Path>& breakdown_table();
const ResultTable<DataResult>& data_table();
const ResultTable<RunForm>& closed_form_table();

} // namespace gradflight
