// The options of `calibrate`. One of the few files that see CLI11.
#include "cli/calibrate.hpp"
#include "cli/terminal/at_least.hpp"

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
      .add_option("--fit-to", options.fit_to,
                  "Measurements: fit to this experiment; repeatable (default: p2p, reduce). Logs: to this operation, "
                  "on two nodes where there are such tables (default: p2p, sendrecv, all_reduce, what there is)")
      ->type_name("EXPERIMENT|OP")
      ->allow_extra_args(false);
  command
      .add_option("--set", options.sets,
                  "Set what is known of every case's scenario, or of the platform (a JSON "
                  "literal, else text)")
      ->type_name("PATH=VALUE")
      ->allow_extra_args(false);
  command.add_flag("--json", options.json, "Print fit and predictions as JSON");
}

void add_measurement_options(CLI::App& command, CalibrateOptions& options) {
  command.add_option("--above", options.above, "Compare cases that took longer than this (seconds)")
      ->type_name("SECONDS")
      ->check(at_least(0))
      ->capture_default_str();
  command.add_option("--tolerance", options.tolerance, "Relative error that counts as met")
      ->type_name("FRACTION")
      ->check(at_least(0))
      ->capture_default_str();
}

void add_log_options(CLI::App& command, CalibrateOptions& options) {
  command.add_option("--platform", options.platform, "What was measured: a platform's file, or a machine")
      ->type_name("FILE|MACHINE");
  command.add_option("--predict", options.predict, "Another log of this machine, not fitted to; repeatable")
      ->type_name("LOG")
      ->allow_extra_args(false);
  command.add_option("--where", options.where, "Only tables with this in a column of a CSV file; repeatable")
      ->type_name("COLUMN=VALUE")
      ->allow_extra_args(false);
  command.add_option("--algorithm", options.algorithm, "Of collectives, as `collective` takes it")->type_name("NAME");
  command
      .add_option("--type", options.type,
                  "Of elements: float, half, bfloat16, fp8, double or int8 (default: the log's, else float)")
      ->type_name("TYPE");
  command.add_option("--op", options.op, "The operation of tables that do not say: all_gather, alltoall and so on")
      ->type_name("OP");
  const auto count = [&](const char* name, int& into, const char* text) {
    command.add_option(name, into, text)->type_name("N")->check(CLI::Range(1, 1'000'000));
  };
  count("--ranks", options.ranks, "Of tables that do not say");
  count("--nodes", options.nodes, "Likewise");
}

void add_pack_options(CLI::App& command, CalibrateOptions& options) {
  command.add_flag("--write", options.write, "Write values and uncertainties where they stand");
  command.add_flag("--transfer", options.transfer, "Run the pack's transfers: fit on some figures, predict others");
  auto* sets =
      command
          .add_option("--cross-validate", options.random_sets, "Fit on N random sets of figures, predict the others")
          ->type_name("N")
          ->check(CLI::Range(1, 10'000));
  command.add_option("--seed", options.seed, "Of the random sets")
      ->type_name("S")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{2'000'000'000}))
      ->capture_default_str()
      ->needs(sets);
}

/// An option that the file's kind does not read is a mistake.
void refuse_others(const CLI::App& command, const CalibrateOptions& options) {
  const bool logs = !options.platform.empty(), pack = !logs && options.files.front().extension() == ".json";
  for (const auto* option : command.get_options()) {
    if (option->count() == 0) continue;
    const auto group = option->get_group();
    const auto refuse = [&](const char* why) { throw CLI::ValidationError(option->get_name(), why); };
    if (group == of_packs && logs) refuse("is for packs (*.json), and with --platform these are logs");
    if (group == of_packs && !pack) refuse("is for reproduction packs (*.json), and this is none");
    if ((group == of_both || group == of_measurements) && pack)
      refuse("is for measurements (*.csv), and this is a pack");
    if (group == of_measurements && logs) refuse("is for measurements (*.csv), and with --platform these are logs");
    if (group == of_logs && !logs) refuse("is for logs, which need --platform FILE|MACHINE");
  }
  if (logs && options.fit_to.size() > 1)
    throw CLI::ValidationError("--fit-to", "one operation of a log is fitted to; several are given");
}

} // namespace

void add_calibrate(CLI::App& app, CalibrateOptions& options, std::function<int()>& action) {
  auto* command = app.add_subcommand("calibrate", "Fit parameters by simulation: to measured times, or for a pack");
  command
      ->add_option("file", options.files,
                   "Measured times (*.csv), or a pack (*.json); with --platform logs of nccl-tests or OSU")
      ->required()
      ->type_name("FILE");
  command->add_option("--jobs", options.jobs, "Simulations at a time (default: the cores)")
      ->type_name("N")
      ->check(CLI::Range(1, 4096));
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
