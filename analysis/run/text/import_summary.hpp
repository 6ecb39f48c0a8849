// A summary of the results of `import` for people.
#pragma once

#include "scenarios/language/import/trace_formats.hpp"
#include "workloads/code/trace_ranks.hpp"
#include "workloads/code/trace_times.hpp"
#include "workloads/code/trace_workload.hpp"
#include "workloads/code/workload.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace gradflight {

struct Imported {
  const RecordedTrace& recorded;
  const TraceSteps& found;
  const std::vector<StepTimes>& steps;
  std::size_t chosen;
  bool median;
  const Workload& workload;
  bool by_model;
  std::vector<CollectiveWait> waits{}; ///< from the traces of several ranks; empty: one trace
  std::size_t ranks = 1;               ///< number of traces
  int job_ranks = 0;                   ///< ranks of the recorded job; 0: not recorded
  RecordedTypes types{};               ///< types of the gradients
  std::uint64_t not_finite = 0;        ///< numbers of all traces that are NaN or infinite
};

std::string import_summary(const Imported& in);

/// The text of the workload's `source`: "Measured: ProfilerStep#3 of trace.json.gz, PyTorch profiler, ...".
struct ImportOrigin {
  std::filesystem::path trace;
  std::string recorder;
  std::filesystem::path model; ///< empty: no model
  TraceTimes times;
};
std::string import_source(const Imported& in, const ImportOrigin& origin);

/// Whether a file that begins so is a workload with the source of an import.
bool is_imported_workload(std::string_view begin);

} // namespace gradflight
