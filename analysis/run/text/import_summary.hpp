// What `import` found and used, for people.
#pragma once

#include "scenarios/language/import/trace_formats.hpp"
#include "workloads/code/trace_ranks.hpp"
#include "workloads/code/trace_times.hpp"
#include "workloads/code/trace_workload.hpp"
#include "workloads/code/workload.hpp"

#include <filesystem>
#include <string>
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
  std::vector<CollectiveWait> waits{}; ///< of several ranks' traces; empty: one trace
  std::size_t ranks = 1;               ///< traces
  int job_ranks = 0;                   ///< ranks of the recorded job; 0: the traces do not say
  RecordedTypes types{};               ///< of the gradients
};

std::string import_summary(const Imported& in);

/// What the workload's `source` says: "Measured: ProfilerStep#3 of trace.json.gz, PyTorch profiler, ...".
struct ImportOrigin {
  std::filesystem::path trace;
  std::string recorder;
  std::filesystem::path model; ///< empty: none
  TraceTimes times;
};
std::string import_source(const Imported& in, const ImportOrigin& origin);

} // namespace gradflight
