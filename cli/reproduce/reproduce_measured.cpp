// `reproduce --measured`: compares published tables of collectives with simulated ones.
#include "analysis/evidence/boards/board_packs.hpp"
#include "analysis/evidence/boards/boards_output.hpp"
#include "analysis/evidence/boards/leave_one_out.hpp"
#include "analysis/run/files/json_text.hpp"
#include "analysis/run/runner.hpp"
#include "base/human.hpp"
#include "base/visible.hpp"
#include "cli/reproduce/reproduce.hpp"
#include "cli/terminal/console.hpp"
#include "cli/terminal/exit_codes.hpp"
#include "cli/terminal/page_file.hpp"
#include "cli/terminal/sweep_progress.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

namespace gradflight::cli {

int reproduce_measured(const ReproduceOptions& options) {
  auto packs = load_boards(options.packs, options.papers);
  auto typical = typical_sources(options.packs, packs);
  PageFile page(options.report);
  MeasuredBoards measured;
  try {
    const int jobs = options.jobs > 0 ? options.jobs : usable_cores();
    measured = simulate_measured(std::move(packs), std::move(typical), jobs, batch_progress());
  } catch (const BoardsFailed& failed) {
    print_message(
        fmt::format("{}gradflight reproduce: the scoreboard needs these tables, which failed\n", failed.what()));
    return simulation_failed;
  }
  print_result(options.json ? json_text(boards_json(measured)) : boards_text(measured));
  flush_result();
  page.write([&] { return boards_page(measured, shell_line(options.command)); });
  std::size_t tables = 0;
  for (const auto& pack : measured.in_place) tables += pack.tables.size();
  print_message(fmt::format("{} simulated\n", counted(static_cast<std::int64_t>(tables), "table")));
  return done;
}

} // namespace gradflight::cli
