// What `import` found and used, for people.
#pragma once

#include "scenarios/language/import/trace_formats.hpp"
#include "workloads/code/trace_times.hpp"
#include "workloads/code/workload.hpp"

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
};

std::string import_summary(const Imported& in);

} // namespace gradflight
