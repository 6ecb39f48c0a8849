// `import`: a workload from somebody's trace.
#include "analysis/files/output_file.hpp"
#include "analysis/text/import_summary.hpp"
#include "cli/commands.hpp"
#include "cli/terminal/console.hpp"
#include "cli/terminal/exit_codes.hpp"
#include "scenarios/language/decode/canonical.hpp"
#include "scenarios/language/decode/load.hpp"
#include "scenarios/language/import/recorded_json.hpp"
#include "scenarios/language/import/trace_formats.hpp"
#include "scenarios/language/json/diagnostics.hpp"
#include "workloads/code/trace_workload.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace gradflight::cli {
namespace {

std::size_t choose(const std::vector<StepTimes>& steps, const TraceSteps& found, const std::string& wanted) {
  if (wanted == "median") return median_step(steps);
  if (const auto step = step_called(wanted, steps, found)) return *step;
  std::string names;
  for (const StepTimes& step : steps) names += (names.empty() ? "" : ", ") + step.name;
  throw TraceError(fmt::format("--step {}: not one of its steps ({})", wanted, names));
}

} // namespace

int import_trace(const ImportOptions& options) {
  Workload model;
  if (!options.model.empty()) model = load_workload(options.model.string());
  const RecordedTrace recorded = trace_format(options.format).read(options.trace.string());
  try {
    const TraceSteps found = find_steps(recorded.trace);
    const std::vector<StepTimes> steps = measure_steps(recorded.trace, found);
    const std::size_t chosen = choose(steps, found, options.step);
    const TraceTimes times = options.times == "span" ? TraceTimes::span : TraceTimes::busy;
    const bool by_model = !options.model.empty();
    Workload workload =
        by_model ? workload_of_layers(steps[chosen], model, times) : workload_of_buckets(steps[chosen], times);
    workload.name = options.trace.filename().string();
    workload.name.resize(std::min(workload.name.find('.'), workload.name.size()));
    workload.batch = options.batch;
    const Imported imported{recorded, found, steps, chosen, options.step == "median", workload, by_model};
    workload.source =
        import_source(imported, {options.trace, trace_format(options.format).recorder, options.model, times});
    std::vector<std::pair<std::string, std::string>> files;
    if (!options.recorded.empty()) files.emplace_back(options.recorded, recorded_json(recorded.trace, steps));
    if (!options.out.empty()) files.emplace_back(options.out, workload_json(workload));
    write_all(files);
    if (options.out.empty()) print_result(workload_json(workload));
    print_message(import_summary(imported));
  } catch (const TraceError& error) {
    throw InputErrors({Diagnostic{options.trace.string(), 0, 0, "", error.what()}});
  }
  return done;
}

} // namespace gradflight::cli
