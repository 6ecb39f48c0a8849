// `reproduce --measured`: published tables of collectives held against simulated ones.
#include "analysis/evidence/boards/board_packs.hpp"
#include "analysis/evidence/boards/board_runs.hpp"
#include "analysis/evidence/boards/boards_page.hpp"
#include "analysis/evidence/boards/boards_text.hpp"
#include "analysis/run/files/json_text.hpp"
#include "analysis/run/files/run_directory.hpp"
#include "analysis/run/runner.hpp"
#include "base/human.hpp"
#include "cli/reproduce.hpp"
#include "cli/terminal/console.hpp"
#include "cli/terminal/exit_codes.hpp"
#include "cli/terminal/page_file.hpp"
#include "cli/terminal/sweep_progress.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace gradflight::cli {

int reproduce_measured(const ReproduceOptions& options) {
  auto packs = load_boards(options.packs, options.papers);
  PageFile page(options.report);
  try {
    simulate_boards(packs, options.jobs > 0 ? options.jobs : usable_cores(), batch_progress());
  } catch (const BoardsFailed& failed) {
    print_message(fmt::format("{}gradflight reproduce: no boards without these tables\n", failed.what()));
    return simulation_failed;
  }
  print_result(options.json ? json_text(boards_json(packs)) : boards_text(packs));
  flush_result();
  page.write([&] { return boards_page(packs, shell_line(options.command)); });
  std::size_t tables = 0;
  for (const auto& pack : packs) tables += pack.tables.size();
  print_message(fmt::format("{} simulated\n", counted(static_cast<std::int64_t>(tables), "table")));
  return done;
}

} // namespace gradflight::cli
