// `reproduce --measured`: published tables of collectives held against simulated ones.
#include "analysis/boards/board_packs.hpp"
#include "analysis/boards/board_runs.hpp"
#include "analysis/boards/boards_page.hpp"
#include "analysis/boards/boards_text.hpp"
#include "analysis/files/json_text.hpp"
#include "analysis/files/output_file.hpp"
#include "analysis/human/human.hpp"
#include "analysis/pages/page.hpp"
#include "analysis/runs/runner.hpp"
#include "cli/reproduce.hpp"
#include "cli/terminal/console.hpp"
#include "cli/terminal/exit_codes.hpp"
#include "cli/terminal/sweep_progress.hpp"

#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace gradflight::cli {

int reproduce_measured(const ReproduceOptions& options) {
  auto packs = load_boards(options.packs, options.papers);
  require_replaceable(options.report, page_opening, "a page of gradflight");
  const auto page = options.report.empty() ? nullptr : std::make_unique<OutputFile>(options.report);
  try {
    simulate_boards(packs, options.jobs > 0 ? options.jobs : usable_cores(), batch_progress());
  } catch (const BoardsFailed& failed) {
    print_message(fmt::format("{}gradflight reproduce: no boards without these tables\n", failed.what()));
    return simulation_failed;
  }
  print_result(options.json ? json_text(boards_json(packs)) : boards_text(packs));
  flush_result();
  if (page) {
    page->write(boards_page(packs));
    page->commit();
    if (vega_directory().empty())
      print_message("gradflight reproduce: the page has no plots yet: run tools/fetch-vega once, then this again\n");
  }
  std::size_t tables = 0;
  for (const auto& pack : packs) tables += pack.tables.size();
  print_message(fmt::format("{} simulated\n", counted(static_cast<std::int64_t>(tables), "table")));
  return done;
}

} // namespace gradflight::cli
