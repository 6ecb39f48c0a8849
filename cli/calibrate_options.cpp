// The options of `calibrate`. One of the few files that see CLI11.
#include "cli/calibrate.hpp"
#include "cli/terminal/at_least.hpp"

#include <CLI/CLI.hpp>

namespace gradflight::cli {
namespace {

constexpr const char* of_measurements = "For measurements (*.csv)";
constexpr const char* of_packs = "For reproduction packs (*.json)";

void add_measurement_options(CLI::App& command, CalibrateOptions& options) {
  command.add_option("--out", options.out, "Write the calibrated platform to FILE")->type_name("FILE");
  command.add_option("--fit-to", options.fit_to, "Fit to this experiment; repeatable (default: p2p, reduce)")
      ->type_name("EXPERIMENT")
      ->allow_extra_args(false);
  command.add_option("--set", options.sets, "Set what is known of every case's scenario (a JSON literal, else text)")
      ->type_name("PATH=VALUE")
      ->allow_extra_args(false);
  command.add_option("--above", options.above, "Compare cases that took longer than this (seconds)")
      ->type_name("SECONDS")
      ->check(at_least(0))
      ->capture_default_str();
  command.add_option("--tolerance", options.tolerance, "Relative error that counts as met")
      ->type_name("FRACTION")
      ->check(at_least(0))
      ->capture_default_str();
  command.add_flag("--json", options.json, "Print fit and predictions as JSON");
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
void refuse_others(const CLI::App& command, const std::filesystem::path& file) {
  const bool pack = file.extension() == ".json";
  for (const auto* option : command.get_options()) {
    const auto group = option->get_group();
    if (option->count() > 0 && group == (pack ? of_measurements : of_packs))
      throw CLI::ValidationError(option->get_name(), pack ? "is for measurements (*.csv), and this is a pack"
                                                          : "is for reproduction packs (*.json), and this is none");
  }
}

} // namespace

void add_calibrate(CLI::App& app, CalibrateOptions& options, std::function<int()>& action) {
  auto* command = app.add_subcommand("calibrate", "Fit parameters by simulation: to measured times, or for a pack");
  command->add_option("file", options.file, "Measured times (*.csv), or a reproduction pack (*.json)")
      ->required()
      ->type_name("FILE");
  command->add_option("--jobs", options.jobs, "Simulations at a time (default: the cores)")
      ->type_name("N")
      ->check(CLI::Range(1, 4096));
  command->option_defaults()->group(of_measurements);
  add_measurement_options(*command, options);
  command->option_defaults()->group(of_packs);
  add_pack_options(*command, options);
  command->callback([&options, &action, command] {
    refuse_others(*command, options.file);
    action = [&options] { return calibrate(options); };
  });
}

} // namespace gradflight::cli
