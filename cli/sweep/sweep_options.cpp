// The options of the sweep commands. One of the few files that include CLI11.
#include "analysis/run/result/comparison.hpp"
#include "cli/sweep/sweep_commands.hpp"
#include "cli/terminal/validators.hpp"

#include <CLI/CLI.hpp>

namespace gradflight::cli {

void add_sweep_commands(CLI::App& app, SweepCommands& options, std::function<int()>& action) {
  auto* command = app.add_subcommand("sweep", "Simulate every point of a sweep; run again to simulate missing points");
  auto& sweep_options = options.sweep;
  command->add_option("sweep", sweep_options.sweep, "The sweep file (JSON)")->required()->type_name("SWEEP");
  command->add_option("--out", sweep_options.out, "Keep the results in DIR, and resume from there")
      ->required()
      ->type_name("DIR");
  command->add_option("--jobs", sweep_options.jobs, "Points to simulate at a time (default: one for each usable core)")
      ->type_name("N")
      ->check(whole_number(1, 4096));
  command
      ->add_option("--shard", sweep_options.shard,
                   "Simulate only part I of N, from 0 (default: Slurm's array task, else all)")
      ->type_name("I/N");
  command->add_option("--wall", sweep_options.wall, "Give up on a point after this wall-clock time, e.g. 60s")
      ->type_name("TIME");
  command->add_option("--memory", sweep_options.memory, "Give up on a point beyond this memory, e.g. 2GB")
      ->type_name("SIZE");
  command->add_flag("--retry", sweep_options.retry,
                    "Run points again that exceeded time or memory, or were ended by a signal");
  command
      ->add_option("--slurm", sweep_options.slurm_tasks,
                   "Only print the script that submits the sweep as N array tasks")
      ->type_name("N")
      ->check(whole_number(1, 1'000'000));
  command->callback([&] { action = [&] { return sweep(options.sweep); }; });

  command = app.add_subcommand("merge", "Merge the results of a sweep into results.sqlite and results.csv");
  command->add_option("directory", options.merge, "The directory of sweep --out")->required()->type_name("DIR");
  command->callback([&] { action = [&] { return merge(options.merge); }; });

  command =
      app.add_subcommand("analyze", "Analyze a sweep: times, best points, effects of the axes, errors of formulas");
  auto& analyze_options = options.analyze;
  command->add_option("directory", analyze_options.directory, "The directory of sweep --out")
      ->required()
      ->type_name("DIR");
  command->add_option("--pareto", analyze_options.pareto, "Show the Pareto front of two columns, where less is better")
      ->type_name("COLUMN,COLUMN");
  command
      ->add_option("--fix", analyze_options.fixed,
                   "Show a front for each value of these axes (default: axes of the workload; '': none)")
      ->type_name("AXIS,...");
  command
      ->add_option("--column", analyze_options.columns,
                   "Add a column by a formula, e.g. 'mine=2*(nodes-1)*latency'. A formula that gives a time is "
                   "compared with time_s")
      ->type_name("NAME=FORMULA");
  command
      ->add_option("--baseline", analyze_options.baseline, "Show the speedup over the point with this value of an axis")
      ->type_name("AXIS=VALUE");
  command
      ->add_option("--page,--report", analyze_options.page,
                   "Write the page with charts to FILE (default: DIR/analysis.html)")
      ->type_name("FILE");
  analyze_options.tolerance = form_tolerance;
  command->add_option("--tolerance", analyze_options.tolerance, "Relative error up to which form and simulation agree")
      ->type_name("FRACTION")
      ->check(number_from(0))
      ->capture_default_str();
  command->callback([&] { action = [&] { return analyze(options.analyze); }; });
}

} // namespace gradflight::cli
