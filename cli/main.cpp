// The command line: parses the words, calls the command, and converts exceptions to exit codes. CLI11 is a large
// header, so only a few files of cli include it.
#include "analysis/run/failure_text.hpp"
#include "analysis/run/files/output_file.hpp"
#include "analysis/run/result/comparison.hpp"
#include "base/usage_error.hpp"
#include "cli/answers.hpp"
#include "cli/calibrate/calibrate.hpp"
#include "cli/codec/codec.hpp"
#include "cli/collective.hpp"
#include "cli/commands.hpp"
#include "cli/help.hpp"
#include "cli/manual.hpp"
#include "cli/new_scenario.hpp"
#include "cli/reproduce/reproduce.hpp"
#include "cli/sweep/sweep_commands.hpp"
#include "cli/terminal/console.hpp"
#include "cli/terminal/exit_codes.hpp"
#include "cli/terminal/page_file.hpp"
#include "cli/terminal/set_option.hpp"
#include "cli/terminal/usage.hpp"
#include "cli/terminal/validators.hpp"
#include "cli/terminal/version.hpp"
#include "cli/usage_text.hpp"
#include "scenarios/language/json/diagnostics.hpp"
#include "sim/simulate.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <new>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace gradflight::cli {
namespace {

/// The action of the chosen subcommand, called after parsing.
using Action = std::function<int()>;

void add_run(CLI::App& app, RunOptions& options, Action& action) {
  CLI::App* command = app.add_subcommand("run", "Simulate a scenario and explain its time");
  command->add_option("scenario", options.scenarios, "Scenario files (JSON; - is standard input)")
      ->required()
      ->type_name("SCENARIO");
  add_sets(*command, options.sets);
  command
      ->add_option("--out", options.out, "Write the scenario, result, link table, command line and meta data into DIR")
      ->type_name("DIR");
  add_timeline(*command, options.timeline);
  add_report(*command, options.report);
  command->add_flag("--json", options.json, "Print the result as JSON instead of the summary");
  command
      ->add_option(
          "--links", options.links,
          "Links in the JSON result: all of them, or groups of similar links (default: groups above 10,000 links)")
      ->type_name("all|groups")
      ->check(one_of({"all", "groups"}));
  command->add_flag("--alone", options.alone, "Also simulate each job alone, to report its slowdown");
  command->callback([&] { action = [&] { return run(options); }; });
}

void add_check(CLI::App& app, CheckOptions& options, Action& action) {
  CLI::App* command =
      app.add_subcommand("check", "Compare simulations with their closed forms; exit 1 on a difference");
  command->add_option("scenario", options.paths, "Scenario files, or directories of them")
      ->required()
      ->type_name("SCENARIO");
  options.tolerance = form_tolerance;
  command->add_option("--tolerance", options.tolerance, "Relative error allowed where all assumptions hold")
      ->type_name("FRACTION")
      ->check(number_from(0))
      ->capture_default_str();
  command->add_option("--jobs", options.jobs, "Simulations at a time")
      ->type_name("N")
      ->check(whole_number(1))
      ->capture_default_str();
  command->add_flag("--json", options.json, "Print the table as JSON");
  command->callback([&] { action = [&] { return check(options); }; });
}

void add_regress(CLI::App& app, RegressOptions& options, Action& action) {
  CLI::App* command =
      app.add_subcommand("regress", "Compare golden scenarios with their expected values; exit 1 on a change");
  command->add_option("dir", options.paths, "Directories with golden scenarios, or their files")
      ->required()
      ->type_name("DIR");
  command->add_flag("--accept", options.accept,
                    "Accept the simulated values: rewrite the expected values that changed");
  command->add_option("--junit", options.junit, "Write the outcome as JUnit XML to FILE")->type_name("FILE");
  command->add_option("--jobs", options.jobs, "Simulations at a time")
      ->type_name("N")
      ->check(whole_number(1))
      ->capture_default_str();
  command->callback([&] { action = [&] { return regress(options); }; });
}

void add_plan(CLI::App& app, PlanCommand& options, Action& action) {
  CLI::App* command = app.add_subcommand("plan", "Print the operations that a scenario runs");
  command->add_option("scenario", options.scenario, "The scenario file (JSON)")->required()->type_name("SCENARIO");
  add_sets(*command, options.sets);
  command->add_option("--rank", options.rank, "Print only this rank (default: all)")
      ->type_name("N")
      ->check(whole_number(0));
  command->add_option("--limit", options.limit, "Print at most this many operations")
      ->type_name("N")
      ->check(whole_number(0, std::numeric_limits<std::int64_t>::max()))
      ->capture_default_str();
  command->callback([&] { action = [&] { return plan(options); }; });
}

struct Options {
  NewOptions new_scenario;
  RunOptions run;
  CheckOptions check;
  RegressOptions regress;
  PlanCommand plan;
  CodecOptions codec;
  ImportOptions import;
  CalibrateOptions calibrate;
  CollectiveOptions collective;
  SweepCommands sweeps;
  ReproduceOptions reproduce;
  AnswerOptions answers;
  ManualOptions manual;
  std::vector<std::filesystem::path> validate;
  std::string explain, machine;
  int nodes = 0;
  bool schema_of_results = false;
};

void add_others(CLI::App& app, Options& options, Action& action) {
  CLI::App* command = app.add_subcommand("validate", "Check files without a simulation, and report all their mistakes");
  command
      ->add_option("file", options.validate,
                   "Files to check: scenarios, platforms, workloads, sweeps, packs, schedules (JSON)")
      ->required()
      ->type_name("FILE");
  command->callback([&] { action = [&] { return validate(options.validate); }; });

  command = app.add_subcommand("explain", "Show the meaning, unit and default of a key of scenarios or results");
  command->add_option("path", options.explain, "A key, such as training.exchange.algorithm, or a word to search for")
      ->required()
      ->type_name("PATH");
  command
      ->add_option("machine", options.machine, "With \"platform\": draw a machine of the catalogue or a platform file")
      ->type_name("MACHINE");
  command->add_option("nodes", options.nodes, "Number of these machines to draw (default: that of the platform)")
      ->type_name("NODES")
      ->check(whole_number(1));
  command->callback([&] { action = [&] { return explain(options.explain, options.machine, options.nodes); }; });

  command = app.add_subcommand("schema", "Print the JSON Schema of scenarios, or of results");
  command->add_flag("--result", options.schema_of_results, "Print the schema of results (`run --json`, result.json)");
  command->callback([&] { action = [&] { return schema(options.schema_of_results); }; });
}

int usage_error(const CLI::App& app, const std::vector<std::string>& mistakes) {
  std::string command = "gradflight";
  for (auto chosen = app.get_subcommands(); !chosen.empty(); chosen = chosen.front()->get_subcommands())
    command += " " + chosen.front()->get_name();
  return refuse_words(command, mistakes);
}

int parse_and_run(int argc, char** argv) {
  CLI::App app("How long does a training step take on this cluster, and why?", "gradflight");
  use_examples(app);
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string("gradflight ") + version, "Print the version");
  Options options;
  Action action;
  add_new(app, options.new_scenario, action);
  add_run(app, options.run, action);
  add_answers(app, options.answers, action);
  add_check(app, options.check, action);
  add_regress(app, options.regress, action);
  add_others(app, options, action);
  add_plan(app, options.plan, action);
  add_codec(app, options.codec, action);
  add_import(app, options.import, action);
  add_calibrate(app, options.calibrate, action);
  add_collective(app, options.collective, action);
  add_sweep_commands(app, options.sweeps, action);
  add_reproduce(app, options.reproduce, action);
  add_manual(app, options.manual, action);
  for (auto* command : {&options.run.command, &options.answers.compare.command, &options.answers.scale.command,
                        &options.answers.advise.command, &options.collective.command, &options.sweeps.analyze.command,
                        &options.reproduce.command})
    command->assign(argv, argv + argc);

  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (!words.empty() && words.front() == "help") { // `help run` is `run --help`
    words.erase(words.begin());
    words.emplace_back("--help");
  }
  const std::string first = words.empty() ? "" : words.front();
  if (first.empty()) return usage_error(app, {"expected a command: " + any_command(app)});
  if (first.front() != '-' && !is_command(app, first)) {
    const std::string meant = suggestion(app, first);
    return usage_error(app, {fmt::format("unknown command \"{}\"{}", first,
                                         meant.empty() ? ": expected " + any_command(app)
                                                       : fmt::format("; did you mean \"gradflight {}\"?", meant))});
  }
  try {
    std::ranges::reverse(words); // CLI11 takes the words from the end
    app.parse(std::move(words));
  } catch (const CLI::Success& help_or_version) {
    std::ostringstream out, none;
    app.exit(help_or_version, out, none);
    print_result(out.str());
    return done;
  } catch (const CLI::ParseError& error) {
    return usage_error(app, usage_texts(app, error));
  }
  return action();
}

/// Converts exceptions to exit codes; no other function does.
int guarded(const Action& action) {
  try {
    return action();
  } catch (const InputErrors& errors) {
    print_message(errors.format());
    return bad_input;
  } catch (const ResultLost& error) {
    print_message(fmt::format("gradflight: {}\n", error.what()));
    return simulation_failed;
  } catch (const OutputError& error) {
    print_message(fmt::format("gradflight: {}\n", error.what()));
    return bad_input;
  } catch (const UsageError& error) {
    print_message(fmt::format("gradflight: {}\n", error.what()));
    return bad_input;
  } catch (const SimulationFailure& failure) {
    print_message(failure_text(failure));
    return simulation_failed;
  } catch (const std::bad_alloc&) {
    print_message("gradflight: not enough memory for this scenario\n");
    return simulation_failed;
  } catch (const std::exception& error) {
    print_message(fmt::format("gradflight: internal error: {}\nThis is a bug, please report it with the scenario.\n",
                              error.what()));
    return bug;
  } catch (...) {
    print_message(
        "gradflight: internal error of an unknown kind\nThis is a bug, please report it with the scenario.\n");
    return bug;
  }
}

} // namespace
} // namespace gradflight::cli

int main(int argc, char** argv) {
  using namespace gradflight::cli;
  prepare_console();
  return guarded([&] {
    const int code = parse_and_run(argc, argv);
    flush_result();
    return code;
  });
}
