// The options of `calibrate`. One of the few files that include CLI11.
#include "cli/calibrate/calibrate.hpp"
#include "cli/terminal/validators.hpp"

#include <CLI/CLI.hpp>

namespace gradflight::cli {
namespace {

constexpr const char* of_both = "For measurements (*.csv) and logs";
constexpr const char* of_measurements = "For measurements (*.csv)";
constexpr const char* of_logs = "For logs of nccl-tests and OSU (--platform)";
constexpr const char* of_packs = "For packs (*.json)";

void add_shared_options(CLI::App& command, CalibrateOptions& options) {
  command.add_option("--out", options.out, "Write the calibrated platform to FILE")->type_name("FILE");
  command
      .add_option(
          "--fit-to", options.fit_to,
          "Measurements: fit to this experiment; repeatable (default: p2p, reduce). Logs: fit to this operation, on "
          "two nodes if possible (default: the first present of p2p, sendrecv, all_reduce, others)")
      ->type_name("EXPERIMENT|OP")
      ->allow_extra_args(false);
  command
      .add_option("--set", options.sets,
                  "Set a known value in the scenario of every case, or in the platform; VALUE is JSON, or else text; "
                  "repeatable")
      ->type_name("PATH=VALUE")
      ->allow_extra_args(false);
  command.add_flag("--json", options.json, "Print fit and predictions as JSON");
}

void add_measurement_options(CLI::App& command, CalibrateOptions& options) {
  command.add_option("--above", options.above, "Compare only cases that took longer than this (seconds)")
      ->type_name("SECONDS")
      ->check(number_from(0))
      ->capture_default_str();
  command.add_option("--tolerance", options.tolerance, "Relative error up to which a prediction counts as met")
      ->type_name("FRACTION")
      ->check(number_from(0))
      ->capture_default_str();
}

void add_log_options(CLI::App& command, CalibrateOptions& options) {
  command
      .add_option("--platform", options.platform,
                  "The measured platform: a platform file, or a machine of the catalogue")
      ->type_name("FILE|MACHINE");
  command
      .add_option("--predict", options.predict, "Another log of this machine, to predict and not to fit; repeatable")
      ->type_name("LOG")
      ->allow_extra_args(false);
  command.add_option("--where", options.where, "Use only tables with this value in a column of a CSV file; repeatable")
      ->type_name("COLUMN=VALUE")
      ->allow_extra_args(false);
  command.add_option("--algorithm", options.algorithm, "Algorithm of the collectives, as for `collective`")
      ->type_name("NAME");
  command
      .add_option("--type", options.type,
                  "Element type: float, half, bfloat16, fp8, double or int8 (default: that of the log, else float)")
      ->type_name("TYPE");
  command.add_option("--op", options.op, "Operation of tables that do not name it, such as all_gather or alltoall")
      ->type_name("OP");
  const auto count = [&](const char* name, int& into, const char* text) {
    command.add_option(name, into, text)->type_name("N")->check(whole_number(1, 1'000'000));
  };
  count("--ranks", options.ranks, "Ranks of tables that do not give them");
  count("--nodes", options.nodes, "Nodes of tables that do not give them");
}

void add_pack_options(CLI::App& command, CalibrateOptions& options) {
  command.add_flag("--write", options.write, "Write values and uncertainties into the files of the pack");
  command.add_flag("--transfer", options.transfer,
                   "Run the transfers of the pack: fit to some figures and predict others");
  auto* sets = command
                   .add_option("--cross-validate", options.random_sets,
                               "Fit to N random sets of figures, and predict the others")
                   ->type_name("N")
                   ->check(whole_number(1, 10'000));
  command.add_option("--seed", options.seed, "Seed of the random sets")
      ->type_name("S")
      ->check(whole_number(0, 2'000'000'000))
      ->capture_default_str()
      ->needs(sets);
}

/// Rejects options that do not apply to the kind of file.
void refuse_others(const CLI::App& command, const CalibrateOptions& options) {
  const bool logs = !options.platform.empty(), pack = !logs && options.files.front().extension() == ".json";
  for (const auto* option : command.get_options()) {
    if (option->count() == 0) continue;
    const auto group = option->get_group();
    const auto refuse = [&](const char* why) { throw CLI::ValidationError(option->get_name(), why); };
    if (group == of_packs && logs) refuse("applies to packs (*.json), but with --platform the files are logs");
    if (group == of_packs && !pack) refuse("applies only to reproduction packs (*.json)");
    if ((group == of_both || group == of_measurements) && pack)
      refuse("applies to measurements (*.csv), but the file is a pack");
    if (group == of_measurements && logs)
      refuse("applies to measurements (*.csv), but with --platform the files are logs");
    if (group == of_logs && !logs) refuse("applies to logs, which need --platform FILE|MACHINE");
  }
  if (logs && options.fit_to.size() > 1)
    throw CLI::ValidationError("--fit-to", "several are given, but a log is fitted to one operation");
}

} // namespace

void add_calibrate(CLI::App& app, CalibrateOptions& options, std::function<int()>& action) {
  auto* command = app.add_subcommand("calibrate", "Fit parameters to measured times, or to the figures of a pack");
  command
      ->add_option("file", options.files,
                   "Measured times (*.csv), or a pack (*.json); with --platform, logs of nccl-tests or OSU")
      ->required()
      ->type_name("FILE");
  command->add_option("--jobs", options.jobs, "Simulations at a time (default: one for each usable core)")
      ->type_name("N")
      ->check(whole_number(1, 4096));
  command->option_defaults()->group(of_both);
  add_shared_options(*command, options);
  command->option_defaults()->group(of_logs);
  add_log_options(*command, options);
  command->option_defaults()->group(of_measurements);
  add_measurement_options(*command, options);
  command->option_defaults()->group(of_packs);
  add_pack_options(*command, options);
  command->callback([&options, &action, command] {
    refuse_others(*command, options);
    action = [&options] { return calibrate(options); };
  });
}

} // namespace gradflight::cli
