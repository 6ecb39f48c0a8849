// The options of `reproduce`. One of the few files that include CLI11.
#include "cli/reproduce/reproduce.hpp"

#include "cli/terminal/page_file.hpp"
#include "cli/terminal/validators.hpp"
#include "scenarios/language/decode/machines.hpp"

#include <CLI/CLI.hpp>

namespace gradflight::cli {
namespace {

/// Returns the packs below the working directory, else those installed with the program.
std::filesystem::path packs_of(bool measured) {
  const std::string folder = measured ? "analysis/measurements/modern/packs" : "scenarios";
  std::error_code error;
  if (std::filesystem::is_directory(folder, error)) return folder;
  const auto shipped = catalogue_folder(folder);
  return shipped.empty() ? std::filesystem::path(folder) : shipped;
}

} // namespace

void add_reproduce(CLI::App& app, ReproduceOptions& options, std::function<int()>& action) {
  auto* command = app.add_subcommand("reproduce", "Compare published figures with simulated ones");
  command->add_option("paper", options.papers, "Papers by name or directory (default: all)")->type_name("PAPER");
  auto* measured = command->add_flag("--measured", options.measured,
                                     "Compare measured tables of collectives instead (PAPER: the name of a pack)");
  auto* packs = command
                    ->add_option("--packs", options.packs,
                                 "Directory of the packs: DIR/*/reproduce.json, or DIR/*.json with --measured")
                    ->type_name("DIR")
                    ->capture_default_str();
  command->add_flag("--sensitivity", options.sensitivity, "Print the inputs that each figure depends on")
      ->excludes(measured);
  command->add_flag("--json", options.json, "Print the scoreboard as JSON");
  add_report(*command, options.report);
  command->add_option("--jobs", options.jobs, "Simulations at a time (default: one for each usable core)")
      ->type_name("N")
      ->check(whole_number(1, 4096));
  command->callback([&options, &action, packs] {
    if (packs->count() == 0) options.packs = packs_of(options.measured);
    action = [&options] { return options.measured ? reproduce_measured(options) : reproduce(options); };
  });
}

} // namespace gradflight::cli
