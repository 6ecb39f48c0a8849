// What `import` found and used, for people.
#pragma once

#include "scenarios/kineto_trace.hpp"
#include "workloads/trace_times.hpp"
#include "workloads/workload.hpp"

#include <string>
#include <vector>

namespace gradflight::cli {

struct Imported {
  const KinetoTrace& kineto;
  const TraceSteps& found;
  const std::vector<StepTimes>& steps;
  std::size_t chosen;
  bool median;
  const Workload& workload;
  bool by_model;
};

std::string import_summary(const Imported& in);

} // namespace gradflight::cli
