#include "analysis/evidence/boards/boards_output.hpp"

#include "analysis/evidence/boards/signed_errors.hpp"
#include "analysis/run/pages/page.hpp"
#include "base/human.hpp"
#include "base/letters.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace gradflight {

namespace {

PageCell seconds_cell(double seconds) { return PageCell::unbroken(human_seconds(seconds)); }

PageCell percent_cell(const std::optional<double>& fraction) { return PageCell::unbroken(percent_text(fraction)); }

PageCell signed_cell(const std::optional<double>& fraction) {
  return PageCell::unbroken(signed_percent_text(fraction));
}

std::vector<PageCell> statistics_row(const std::string& name, const ErrorStatistics& errors,
                                     const std::vector<PageCell>& more) {
  std::vector<PageCell> cells{PageCell::unbroken(name)};
  std::ranges::transform(statistics_cells(errors), std::back_inserter(cells), PageCell::unbroken);
  cells.insert(cells.end(), more.begin(), more.end());
  return cells;
}

std::vector<std::string> statistics_header(const std::string& what, const std::vector<std::string>& more) {
  std::vector<std::string> header{what, "cases", "median", "80th", "90th", "within 20 %", "within 30 %"};
  header.insert(header.end(), more.begin(), more.end());
  return header;
}

/// Adds statistics by machine or operation, with the medians of predictions without a simulator.
void add_groups(Page& page, const std::string& what, const BoardKind& kind, const std::vector<BoardGroup>& groups) {
  std::vector<std::string> more{"noise floor"};
  for (const Yardstick yardstick : kind.yardsticks) more.emplace_back(yardstick_name(yardstick));
  more.emplace_back("");
  PageTable table{statistics_header(what, more), {}};
  for (const BoardGroup& group : groups) {
    std::vector<PageCell> cells{percent_cell(group.noise)};
    for (const YardstickScore& score : group.against) cells.push_back(percent_cell(score.errors.median));
    cells.emplace_back(group.note());
    table.rows.push_back(statistics_row(group.name, group.errors, cells));
  }
  page.table(table);
}

void add_board(Page& page, const Board& board, bool left_out) {
  const BoardKind& kind = board.kind;
  if (left_out)
    page.heading(fmt::format("Each machine left out: {}", kind.text), fmt::format("left-out-{}", kind.name));
  else
    page.heading(fmt::format("Board: {}", kind.text), fmt::format("board-{}", kind.name));
  PageTable table{statistics_header("|error|", {"noise floor", ""}), {}};
  table.rows.push_back(statistics_row("simulated", board.all.errors, {percent_cell(board.all.noise), ""}));
  for (const YardstickScore& score : board.all.against)
    if (score.errors.count > 0)
      table.rows.push_back(statistics_row(score.name, score.errors,
                                          {"", fmt::format("simulation is closer on {}; over these its median is {}",
                                                           score.closer, percent_text(score.simulation.median))}));
  page.table(table);
  if (board.machine_median)
    page.paragraph(fmt::format("Median of the machines' medians: {}. Each machine has the same weight, however many "
                               "sizes were measured on it.",
                               human_percent(*board.machine_median)));
  add_groups(page, "machine", kind, board.machines);
  add_groups(page, "operation", kind, board.operations);
  if (left_out && !board.fabrics.empty()) add_groups(page, "network", kind, board.fabrics);
}

void add_signed_rows(PageTable& table, const char* kind, const std::vector<SignedGroup>& left_out,
                     const std::vector<SignedGroup>& in_place) {
  for (const SignedPair& pair : signed_pairs(left_out, in_place))
    table.rows.push_back({kind, PageCell::unbroken(pair.left_out.name), std::to_string(pair.left_out.count),
                          signed_cell(pair.left_out.median), std::to_string(pair.in_place.count),
                          signed_cell(pair.in_place.median)});
}

void add_signed_errors(Page& page, const MeasuredBoards& measured) {
  const SignedErrors left_out = signed_errors(measured.left_out), in_place = signed_errors(measured.in_place);
  if (left_out.operations.empty() && in_place.operations.empty()) return;
  page.heading("Signed errors", "signed-errors");
  page.paragraph(
      "Medians of simulated / measured - 1 over collectives of all sizes. A model that is right has no trend "
      "in any of them.");
  PageTable table{{"by", "", "cases, each left out", "median", "cases, fit in place", "median"}, {}};
  add_signed_rows(table, "size", left_out.sizes, in_place.sizes);
  add_signed_rows(table, "operation", left_out.operations, in_place.operations);
  add_signed_rows(table, "simulated choice", left_out.choices, in_place.choices);
  page.table(table);
}

std::vector<PageCell> table_cells(const BoardTable& table) {
  const auto large = group_of(table, board_kinds().front()), all = group_of(table, board_kinds()[1]);
  const auto own = all.against[static_cast<std::size_t>(Yardstick::own_formula)].errors;
  const auto ring = all.against[static_cast<std::size_t>(Yardstick::line_ring)].errors;
  return {
      PageCell::unbroken(table_name(table)),
      measured_role_name(table.role),
      PageCell::unbroken(fmt::format("{}, {} to {}", table.cases.size(), binary_size(table.cases.front().size_bytes),
                                     binary_size(table.cases.back().size_bytes))),
      percent_cell(all.errors.median),
      percent_cell(all.errors.p90),
      percent_cell(large.errors.median),
      percent_cell(large.errors.p90),
      percent_cell(own.median),
      percent_cell(ring.median),
      PageCell::unbroken(
          table.noise ? fmt::format("{} ({})", human_percent(*table.noise), human_percent(*table.noise_p90)) : "-")};
}

/// Returns a row for each table with a switch of algorithm or protocol, simulated or visible in measured times.
PageTable crossover_rows(const BoardPack& pack) {
  PageTable rows{{"table", "simulated", "visible in measured times"}, {}};
  for (const BoardTable& table : pack.tables) {
    if (!table.is_collective()) continue;
    const Crossovers found = crossovers_of(table);
    if (found.simulated.empty() && found.measured.empty()) continue;
    std::string simulated, measured;
    for (const Crossover& one : found.simulated)
      simulated += fmt::format("{}{} to {} up to {}", simulated.empty() ? "" : "; ", one.from, one.to,
                               binary_size(one.to_bytes));
    for (const Crossover& one : found.measured) measured += (measured.empty() ? "" : "; ") + crossover_text(one);
    rows.rows.push_back({PageCell::unbroken(table_name(table)), simulated, measured.empty() ? "-" : measured});
  }
  return rows;
}

/// Returns a row for each larger scale of each job.
PageTable training_cells(const MeasuredBoards& measured, std::size_t index) {
  PageTable rows{{"job", "base", "step there", "compute in it (fitted)", "GPUs", "", "measured", "simulated",
                  "perfect scaling", "error", "workers vary", "error", "noise floor"},
                 {}};
  const BoardPack& pack = measured.in_place[index];
  for (std::size_t t = 0; t < pack.tables.size(); ++t)
    for (std::size_t i = 0; i < pack.tables[t].cases.size(); ++i) {
      const BoardTable& table = pack.tables[t];
      const BoardCase& one = table.cases[i];
      if (!table.is_training() || !one.simulated) continue;
      const BoardCase* varied = left_out_case(measured, index, t, i);
      const bool sharded = table.kind == CaseKind::sharded;
      const auto shown = [&](double value) {
        return PageCell::unbroken(sharded ? human_percent(value) : fmt::format("{:.3g}", value));
      };
      rows.rows.push_back(
          {table_name(table), std::to_string(table.base_ranks), seconds_cell(table.base_step),
           seconds_cell(table.compute), std::to_string(one.ranks), sharded ? "efficiency lost" : "times the throughput",
           shown(one.measured), shown(*one.simulated), shown(*one.yardstick(Yardstick::perfect_scaling)),
           signed_cell(one.error()), varied != nullptr && varied->simulated ? shown(*varied->simulated) : "-",
           varied != nullptr ? signed_cell(varied->error()) : "-", percent_cell(one.noise)});
    }
  return rows;
}

/// Returns a row for each number of jobs on each number of nodes.
PageTable contention_cells(const BoardPack& pack) {
  PageTable rows{{"nodes", "jobs at once", "measured", "simulated", "line rate alone", "error"}, {}};
  for (const BoardTable& table : pack.tables)
    for (const BoardCase& one : table.cases) {
      if (!table.is_contention() || !one.simulated) continue;
      rows.rows.push_back({std::to_string(one.ranks), std::to_string(one.jobs), seconds_cell(one.measured),
                           seconds_cell(*one.simulated), seconds_cell(*one.yardstick(Yardstick::line_ring)),
                           signed_cell(one.error())});
    }
  return rows;
}

void add_training(Page& page, const MeasuredBoards& measured, std::size_t index) {
  page.table(training_cells(measured, index));
  page.figure(
      "Throughput per GPU over GPUs, relative to the smallest scale that was measured, which the compute time is "
      "fitted to. Points: measured; lines: simulated; perfect scaling is 1.",
      training_plots(measured.in_place[index]), "throughput per GPU over GPUs");
}

void add_pack(Page& page, const MeasuredBoards& measured, std::size_t index) {
  const BoardPack& pack = measured.in_place[index];
  page.heading(pack.pack.name.text, "pack-" + pack.pack.name.text);
  page.list(pack_sentences(measured, index));
  if (std::ranges::any_of(pack.tables, &BoardTable::is_training)) add_training(page, measured, index);
  if (std::ranges::any_of(pack.tables, &BoardTable::is_contention)) {
    page.figure(
        "Time of a job over the number of jobs on the same nodes. Points: measured; line: simulated, dashed: the "
        "line's rate alone.",
        contention_plots(pack), "times of concurrent jobs");
    page.folded_table("every number of jobs", contention_cells(pack));
  }
  if (std::ranges::none_of(pack.tables, &BoardTable::is_collective)) return;
  PageTable table{{"table", "role", "sizes", "median |error|", "90th", "from 4 MiB", "90th", "NCCL's own formula",
                   "one ring at line rates", "noise floor (90th)"},
                  {}};
  for (const BoardTable& each : pack.tables)
    if (each.is_collective()) table.rows.push_back(table_cells(each));
  page.table(table);
  page.figure("Bus bandwidth over size. Points are measured; the text at a point gives the least and the greatest "
              "measurement of its size.",
              bandwidth_plots(pack), "bus bandwidth over size");
  page.figure("Simulated over measured time; the band is 20 % to either side.", ratio_plot({&pack, 1}, false),
              "simulated over measured time, over size");
  if (const auto crossovers = crossover_rows(pack); !crossovers.rows.empty())
    page.folded_table("Where other algorithms and protocols are chosen", crossovers);
}

} // namespace

std::string boards_page(const MeasuredBoards& measured, const std::string& command) {
  const std::vector<BoardPack>& packs = measured.in_place;
  Page page("Measured tables of collectives against simulated ones");
  page.paragraph(
      "Errors are those of simulated times relative to measured ones. Where a size was measured several times, the "
      "median counts. With each machine left out, nothing is fitted to it. Typical values come from other machines "
      "with the same fabric and the same route to the NIC. Workers of training jobs vary as in other sources' jobs. "
      "All rows count. With the fits in place, rows that were "
      "fitted to are never counted. The noise floor is the difference between an out-of-place and an in-place "
      "measurement of the same work; a model need not be closer. Two references need no simulator: one ring over all "
      "ranks at the rates of the data sheets, and NCCL's own formula. The reference for ratios of training is "
      "perfect scaling: twice the throughput with twice the GPUs.");
  const auto left_out = boards_of(measured.left_out), boards = boards_of(packs);
  const auto lead = [&](const Board& board, const char* how) {
    if (board.all.errors.median)
      page.lead(fmt::format("{}{}: median error {} over {}.", capitalised(board.kind.text), how,
                            human_percent(*board.all.errors.median),
                            counted(static_cast<std::int64_t>(board.all.errors.count), "case")));
  };
  for (const Board& board : left_out) lead(board, ", each machine left out");
  for (const Board& board : boards) lead(board, board.kind.kind == CaseKind::collective ? ", fits in place" : "");
  for (const Board& board : left_out)
    if (board.all.errors.count > 0) add_board(page, board, true);
  for (const Board& board : boards) add_board(page, board, false);
  add_signed_errors(page, measured);
  if (const auto all = ratio_plot(packs, true); !all.series.empty()) {
    page.heading("Every case", "cases");
    page.figure("Simulated over measured time of every case. Points beyond the axis are at its ends. The band is 20 % "
                "to either side.",
                all, "simulated over measured time, over size");
  }
  for (std::size_t i = 0; i < packs.size(); ++i) add_pack(page, measured, i);
  page.command(command);
  return page.html();
}

} // namespace gradflight
