// `reproduce`: runs every experiment of the packs once, and prints every published figure with its error and role.
#include "cli/reproduce/reproduce.hpp"
#include "analysis/evidence/reproduction/pack_choice.hpp"
#include "analysis/evidence/reproduction/pack_sensitivity.hpp"
#include "analysis/evidence/reproduction/scoreboard_output.hpp"
#include "analysis/run/files/json_text.hpp"
#include "analysis/run/runner.hpp"
#include "base/human.hpp"
#include "base/visible.hpp"
#include "cli/terminal/console.hpp"
#include "cli/terminal/exit_codes.hpp"
#include "cli/terminal/page_file.hpp"
#include "cli/terminal/sweep_progress.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace gradflight::cli {
int reproduce(const ReproduceOptions& options) {
  const auto packs = load_packs(chosen_packs(options.packs, options.papers));
  PageFile page(options.report);
  Simulations simulations(options.jobs > 0 ? options.jobs : usable_cores(), batch_progress());
  std::vector<const WantedRun*> wanted, moved;
  std::vector<PackSensitivity> sensitivities;
  for (const auto& pack : packs) {
    for (const auto& experiment : pack.experiments) wanted.push_back(&experiment);
    sensitivities.emplace_back(pack);
  }
  for (const auto& sensitivity : sensitivities) sensitivity.add_runs(moved);
  try {
    simulations.run(wanted);
    simulations.run(moved);
  } catch (const ExperimentsFailed& failed) {
    print_message(
        fmt::format("{}gradflight reproduce: the scoreboard needs these experiments, which failed\n", failed.what()));
    return simulation_failed;
  }
  auto scoreboard = score_all(packs, simulations);
  for (std::size_t i = 0; i < packs.size(); ++i) sensitivities[i].judge(scoreboard[i], simulations);
  print_result(options.json ? json_text(scoreboard_json(scoreboard))
                            : scoreboard_text(scoreboard, options.sensitivity));
  flush_result();
  page.write([&] { return scoreboard_page(scoreboard, shell_line(options.command)); });
  print_message(fmt::format("{} simulated\n", counted(static_cast<std::int64_t>(simulations.count()), "scenario")));
  return done;
}

} // namespace gradflight::cli
