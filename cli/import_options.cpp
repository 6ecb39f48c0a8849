// The options of `import`.
#include "cli/commands.hpp"
#include "cli/terminal/validators.hpp"
#include "scenarios/language/import/trace_formats.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string>
#include <vector>

namespace gradflight::cli {

namespace {

constexpr const char* of_traces = "Only for traces";

/// Rejects options that apply only to traces.
void refuse_options_of_traces(const CLI::App& command) {
  std::vector<std::string> names;
  for (const auto* option : command.get_options())
    if (option->count() > 0 && option->get_group() == of_traces) names.push_back(option->get_name());
  if (!names.empty())
    throw CLI::ValidationError(fmt::to_string(fmt::join(names, ", ")),
                               "applies only to traces, but a topology file describes a machine: leave it out");
}

} // namespace

void add_import(CLI::App& app, ImportOptions& options, std::function<int()>& action) {
  CLI::App* command =
      app.add_subcommand("import", "Import a workload from a recorded trace, or a machine from its topology");
  std::string formats;
  for (const TraceFormat& format : trace_formats())
    formats += fmt::format("{} ({}) becomes a workload; ", format.name, format.what);
  auto known = trace_format_names();
  known.emplace_back(topology_format);
  command
      ->add_option("format", options.format,
                   "Kind of the file. " + formats +
                       "topology (XML of NCCL_TOPO_DUMP_FILE, or output of `nvidia-smi topo -m`) becomes a platform")
      ->required()
      ->type_name("FORMAT")
      ->check(one_of(std::move(known)));
  command
      ->add_option("trace", options.traces,
                   "The trace or topology file. Several traces are those of the ranks of one job (rank*.json.gz): the "
                   "slowest rank of each stage counts")
      ->required()
      ->type_name("TRACE");
  command->add_option("--out", options.out, "Write the workload or platform to FILE instead of standard output")
      ->type_name("FILE");
  command->option_defaults()->group(of_traces);
  command
      ->add_option("--model", options.model,
                   "Workload file, or model of the catalogue, with the layers and tensors (default: one layer for each "
                   "recorded all-reduce)")
      ->type_name("FILE|MODEL");
  command
      ->add_option("--step", options.step,
                   "Step to import: median, or a number, which is the N of ProfilerStep#N or else counts from 1")
      ->type_name("N")
      ->capture_default_str();
  command
      ->add_option("--times", options.times,
                   "Compute times: span includes the times when the GPU waits for the CPU; busy counts kernels only")
      ->type_name("KIND")
      ->check(one_of({"span", "busy"}))
      ->capture_default_str();
  command
      ->add_option("--batch", options.batch,
                   "Samples per rank and iteration, which a trace does not contain (default: unknown)")
      ->type_name("N")
      ->check(whole_number(1, 1'000'000'000));
  command
      ->add_option("--recorded", options.recorded,
                   "Also write the recorded times and collectives of all steps to FILE (JSON)")
      ->type_name("FILE");
  command->callback([&, command] {
    if (options.format == topology_format) refuse_options_of_traces(*command);
    action = [&] { return import_trace(options); };
  });
}

} // namespace gradflight::cli
