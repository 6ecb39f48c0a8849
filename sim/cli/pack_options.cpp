// The options of the pack commands. One of the few files that see CLI11.
#include "sim/cli/pack_commands.hpp"

#include <CLI/CLI.hpp>

namespace gradflight::cli {
namespace {

void add_jobs(CLI::App& command, int& jobs) {
  command.add_option("--jobs", jobs, "Simulations at a time (default: the cores)")
      ->type_name("N")
      ->check(CLI::Range(1, 4096));
}

void add_reproduce(CLI::App& app, ReproduceOptions& options, std::function<int()>& action) {
  auto* command = app.add_subcommand("reproduce", "Hold published figures against simulated ones");
  command->add_option("paper", options.papers, "Papers by name or directory (default: all)")->type_name("PAPER");
  command->add_option("--packs", options.packs, "Where the packs are: DIR/*/reproduce.json")
      ->type_name("DIR")
      ->capture_default_str();
  command->add_flag("--json", options.json, "Print the scoreboard as JSON");
  command->add_option("--report", options.report, "Write a page with plots to FILE")->type_name("FILE");
  add_jobs(*command, options.jobs);
  command->callback([&] { action = [&] { return reproduce(options); }; });
}

void add_calibrate(CLI::App& app, CalibrateOptions& options, std::function<int()>& action) {
  auto* command = app.add_subcommand("calibrate", "Fit parameters by simulation");
  command->add_option("pack", options.pack, "A reproduction pack (JSON)")->required()->type_name("PACK");
  command->add_flag("--write", options.write, "Write values and uncertainties where they stand");
  command->add_flag("--transfer", options.transfer, "Run the pack's transfers: fit on some figures, predict others");
  auto* sets =
      command->add_option("--cross-validate", options.sets, "Fit on N random sets of figures, predict the others")
          ->type_name("N")
          ->check(CLI::Range(1, 10'000));
  command->add_option("--seed", options.seed, "Of the random sets")
      ->type_name("S")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{2'000'000'000}))
      ->capture_default_str()
      ->needs(sets);
  add_jobs(*command, options.jobs);
  command->callback([&] { action = [&] { return calibrate(options); }; });
}

} // namespace

void add_pack_commands(CLI::App& app, PackCommands& options, std::function<int()>& action) {
  add_reproduce(app, options.reproduce, action);
  add_calibrate(app, options.calibrate, action);
}

} // namespace gradflight::cli
