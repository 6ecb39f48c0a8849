// `import`: converts a trace to a workload.
#include "analysis/run/files/output_file.hpp"
#include "analysis/run/text/import_summary.hpp"
#include "base/human.hpp"
#include "cli/commands.hpp"
#include "cli/named_file.hpp"
#include "cli/terminal/console.hpp"
#include "cli/terminal/exit_codes.hpp"
#include "cli/terminal/mistakes.hpp"
#include "cli/terminal/standard_input.hpp"
#include "scenarios/language/decode/canonical.hpp"
#include "scenarios/language/decode/load.hpp"
#include "scenarios/language/import/recorded_json.hpp"
#include "scenarios/language/import/topology.hpp"
#include "scenarios/language/import/trace_formats.hpp"
#include "scenarios/language/json/diagnostics.hpp"
#include "workloads/code/trace_ranks.hpp"
#include "workloads/code/trace_workload.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string>

namespace gradflight::cli {
namespace {

int import_machine(const ImportOptions& options) {
  if (options.traces.size() > 1)
    throw InputErrors(
        {{options.traces[1].string(), 0, 0, "", "several topology files are given, but a machine has one: give one"}});
  const ImportedTopology imported = import_topology(options.traces.front().string());
  std::string json = platform_json(imported.platform);
  if (options.out.empty())
    print_result(json);
  else
    write_all({{options.out, json}});
  print_message(
      fmt::format("{}: {}, {}\n", options.traces.front().string(), counted(imported.platform.node->gpus, "GPU"),
                  imported.listed_nics == 0 ? std::string("no NIC listed") : counted(imported.listed_nics, "NIC")));
  for (const std::string& note : imported.notes) print_message(fmt::format("note: {}\n", note));
  return done;
}

/// The trace of one rank, with its steps.
struct RankTrace {
  std::string path;
  RecordedTrace recorded;
  TraceSteps found;
  std::vector<StepTimes> steps;
};

/// Returns the index of the step of --step. Throws InputErrors.
std::size_t choose(const RankTrace& rank, const std::string& wanted) {
  const auto& steps = rank.steps;
  if (wanted == "median") return median_step(steps);
  if (const auto step = step_called(wanted, steps, rank.found)) return *step;
  std::string names = "median";
  const bool profiled = rank.found.found_by.starts_with("ProfilerStep");
  for (std::size_t i = 0; i < steps.size(); ++i)
    names += ", " + (profiled ? steps[i].name.substr(steps[i].name.find('#') + 1) : std::to_string(i + 1));
  throw InputErrors(
      {{rank.path, 0, 0, "", fmt::format("--step {}: the trace has no such step. Allowed: {}", wanted, names)}});
}

RankTrace read_rank(const ImportOptions& options, const std::filesystem::path& path) {
  RankTrace rank{path.string(), trace_format(options.format).read(path.string()), {}, {}};
  try {
    rank.found = find_steps(rank.recorded.trace);
    rank.steps = measure_steps(rank.recorded.trace, rank.found);
  } catch (const TraceError& error) {
    throw InputErrors({Diagnostic{rank.path, 0, 0, "", error.what()}});
  }
  return rank;
}

void refuse_contradictions(const std::vector<RecordedRank>& ranks) {
  std::vector<Diagnostic> errors;
  for (const auto& [index, why] : contradictions(ranks)) errors.push_back({ranks[index].name, 0, 0, "", why});
  if (!errors.empty()) throw InputErrors(std::move(errors));
}

/// Returns the same step of every rank; `chosen` is its index in the first rank.
std::vector<const StepTimes*> same_steps(const std::vector<RankTrace>& ranks, std::size_t chosen) {
  std::vector<const StepTimes*> same;
  for (const RankTrace& rank : ranks) {
    const auto step = std::ranges::find(rank.steps, ranks.front().steps[chosen].name, &StepTimes::name);
    if (step == rank.steps.end())
      throw TraceError(fmt::format("{} lacks {}, which {} has: traces of one job must have the same steps", rank.path,
                                   ranks.front().steps[chosen].name, ranks.front().path));
    same.push_back(&*step);
  }
  return same;
}

/// Rejects outputs that would replace an input, each other, or a file that no import wrote.
void require_outputs(const ImportOptions& options) {
  std::vector<Diagnostic> errors;
  const auto require = [&](const char* option, const std::filesystem::path& file, const auto& own, const char* kind) {
    if (file.empty()) return;
    const auto replaces = [&](const std::filesystem::path& input) {
      std::error_code ignored;
      return std::filesystem::exists(input, ignored) && is_same_file(file, input);
    };
    if (replaces(options.model) || std::ranges::any_of(options.traces, replaces)) {
      errors.push_back({option, 0, 0, "", fmt::format("{} is the input; give another name", file.string())});
      return;
    }
    try {
      require_replaceable(file, own, kind);
    } catch (const OutputError& error) {
      errors.push_back({option, 0, 0, "", error.what()});
    }
  };
  if (options.format == topology_format)
    require("--out", options.out, imported_platform_opening, "a platform of gradflight import");
  else
    require("--out", options.out, is_imported_workload, "a workload of gradflight import");
  require("--recorded", options.recorded, is_recorded_json, "a record of gradflight import");
  if (!options.out.empty() && !options.recorded.empty() && is_same_file(options.out, options.recorded))
    errors.push_back({"--recorded", 0, 0, "",
                      fmt::format("{} is also the file of --out; give two names", options.recorded.string())});
  if (!errors.empty()) throw InputErrors(std::move(errors));
}

} // namespace

int import_trace(const ImportOptions& options) {
  for (const auto& path : options.traces) refuse_standard_input("import", path);
  if (options.format == topology_format) {
    require_outputs(options);
    return import_machine(options);
  }
  Mistakes mistakes;
  mistakes.collect([&] { require_outputs(options); });
  Workload model;
  const bool by_model = !options.model.empty();
  if (by_model) mistakes.collect([&] { model = load_named(options.model.string(), "--model", load_workload); });
  std::vector<RankTrace> ranks;
  std::vector<RecordedRank> said;
  std::size_t chosen = 0;
  for (const auto& path : options.traces)
    mistakes.collect([&] {
      RankTrace rank = read_rank(options, path);
      said.push_back({rank.path, rank.recorded.trace.rank, rank.recorded.trace.world_size});
      if (ranks.empty())
        chosen = choose(rank, options.step);
      else
        rank.recorded.trace = {}; // only the steps are needed after this
      ranks.push_back(std::move(rank));
    });
  mistakes.raise();
  refuse_contradictions(said);
  const RankTrace& first = ranks.front();
  const std::filesystem::path& trace = options.traces.front();
  try {
    const auto same = same_steps(ranks, chosen);
    const TraceTimes times = options.times == "span" ? TraceTimes::span : TraceTimes::busy;
    const RecordedTypes types = recorded_types(*same.front());
    for (std::size_t r = 1; r < same.size(); ++r)
      if (const RecordedTypes others = recorded_types(*same[r]); others.names != types.names)
        throw TraceError(fmt::format("{} has gradients of {}, but {} of {}: traces of one job must have the same type",
                                     first.path, fmt::join(types.names, " and "), ranks[r].path,
                                     fmt::join(others.names, " and ")));
    if (by_model) take_types(model, types);
    std::vector<Workload> workloads;
    std::vector<std::string> names;
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      workloads.push_back(by_model ? workload_of_layers(*same[r], model, times) : workload_of_buckets(*same[r], times));
      names.push_back(ranks[r].path);
    }
    Workload workload = slowest_workload(workloads, names);
    workload.name = trace.filename().string();
    workload.name.resize(std::min(workload.name.find('.'), workload.name.size()));
    workload.batch = options.batch;
    Imported imported{first.recorded, first.found, first.steps, chosen, options.step == "median", workload, by_model};
    imported.waits = collective_waits(same);
    imported.ranks = ranks.size();
    imported.job_ranks = said.front().world_size;
    imported.types = types;
    for (const RankTrace& rank : ranks) imported.not_finite += rank.recorded.not_finite;
    workload.source = import_source(imported, {trace, trace_format(options.format).recorder, options.model, times});
    std::vector<std::pair<std::string, std::string>> files;
    if (!options.recorded.empty())
      files.emplace_back(options.recorded, recorded_json(first.recorded.trace, first.steps));
    if (!options.out.empty()) files.emplace_back(options.out, workload_json(workload));
    write_all(files);
    if (options.out.empty()) print_result(workload_json(workload));
    print_message(import_summary(imported));
  } catch (const TraceError& error) {
    throw InputErrors({Diagnostic{trace.string(), 0, 0, "", error.what()}});
  }
  return done;
}

} // namespace gradflight::cli
