// Options of `compare`, `scale` and `advise`.
#include "analysis/run/runner.hpp"
#include "cli/answers.hpp"
#include "cli/terminal/page_file.hpp"
#include "cli/terminal/set_option.hpp"
#include "cli/terminal/validators.hpp"

#include <CLI/CLI.hpp>

namespace gradflight::cli {
namespace {

void add_jobs(CLI::App& command, int& jobs, bool& json) {
  jobs = usable_cores();
  command.add_option("--jobs", jobs, "Simulations at a time (default: one for each usable core)")
      ->type_name("N")
      ->check(whole_number(1));
  command.add_flag("--json", json, "Print JSON");
}

} // namespace

void add_answers(CLI::App& app, AnswerOptions& options, std::function<int()>& action) {
  CLI::App* command =
      app.add_subcommand("compare", "Compare scenarios, or variants of one scenario: what differs, and why");
  command
      ->add_option("scenario", options.compare.scenarios, "Scenarios, or results of `run --json` (- is standard input)")
      ->required()
      ->type_name("SCENARIO");
  command
      ->add_option("--variant", options.compare.variants,
                   "Add a column: the first scenario with these changes; repeatable")
      ->type_name("NAME:PATH=VALUE[,...]")
      ->allow_extra_args(false);
  add_sets(*command, options.compare.sets, "Change a value of the scenario in every column");
  add_jobs(*command, options.compare.jobs, options.compare.json);
  add_report(*command, options.compare.report);
  command->callback([&] { action = [&] { return compare(options.compare); }; });

  command = app.add_subcommand("scale", "Show throughput and efficiency for growing clusters, and where scaling stops");
  command->add_option("scenario", options.scale.scenario, "The scenario file (- is standard input)")
      ->required()
      ->type_name("SCENARIO");
  command->add_option("--over", options.scale.over, "Path of the value that changes, and its values")
      ->required()
      ->type_name("PATH=V1,V2,...");
  command
      ->add_option("--threshold", options.scale.threshold,
                   "Efficiency below which scaling stops, above 0 and at most 1")
      ->type_name("FRACTION")
      ->check(positive_fraction())
      ->capture_default_str();
  command->add_flag("--strong", options.scale.strong,
                    "Strong scaling: keep the global batch of the first point; batch and compute time of a rank shrink "
                    "in proportion");
  add_sets(*command, options.scale.sets);
  add_jobs(*command, options.scale.jobs, options.scale.json);
  add_report(*command, options.scale.report);
  command->callback([&] { action = [&] { return scale(options.scale); }; });

  command =
      app.add_subcommand("advise", "Simulate changes that could help, and print each with the --set that repeats it");
  command->add_option("scenario", options.advise.scenario, "The scenario file (- is standard input)")
      ->required()
      ->type_name("SCENARIO");
  command
      ->add_option("--budget", options.advise.budget,
                   "Time limit for the simulations of changes; the answer counts the changes that were not tried")
      ->type_name("TIME")
      ->capture_default_str();
  add_sets(*command, options.advise.sets);
  add_jobs(*command, options.advise.jobs, options.advise.json);
  add_report(*command, options.advise.report);
  command->callback([&] { action = [&] { return advise(options.advise); }; });
}

} // namespace gradflight::cli
