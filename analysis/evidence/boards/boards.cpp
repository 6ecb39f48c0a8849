#include "analysis/evidence/boards/boards.hpp"

#include "base/percentile.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>

namespace gradflight {

namespace {

/// A case with its table.
using TableCase = std::pair<const BoardTable*, const BoardCase*>;

YardstickScore score_against(Yardstick yardstick, const std::vector<TableCase>& cases) {
  YardstickScore score{yardstick_name(yardstick), {}, {}, 0};
  std::vector<double> theirs, ours;
  for (const auto& [table, one] : cases) {
    const auto error = one->error(yardstick), simulated = one->error();
    if (!error || !simulated) continue;
    theirs.push_back(std::abs(*error));
    ours.push_back(std::abs(*simulated));
    score.closer += ours.back() < theirs.back() ? 1U : 0U;
  }
  score.errors = statistics_of(theirs);
  score.simulation = statistics_of(ours);
  return score;
}

BoardGroup group_of_cases(std::string name, const BoardKind& kind, const std::vector<TableCase>& cases,
                          bool counted = true) {
  BoardGroup group{std::move(name), counted, {}, {}, {}};
  std::vector<double> errors, noise;
  for (const auto& [table, one] : cases) {
    if (const auto error = one->error()) errors.push_back(std::abs(*error));
    if (one->noise) noise.push_back(*one->noise);
  }
  group.errors = statistics_of(errors);
  if (!noise.empty()) group.noise = percentile(noise, 0.5);
  for (const Yardstick yardstick : kind.yardsticks) group.against.push_back(score_against(yardstick, cases));
  return group;
}

/// Returns the cases of a pack in a board with one role.
std::vector<TableCase> cases_of(const BoardPack& pack, const BoardKind& kind, MeasuredRole role) {
  std::vector<TableCase> cases;
  for (const BoardTable& table : pack.tables)
    if (table.role == role)
      for (const BoardCase& one : table.cases)
        if (one.simulated && kind.takes(table, one)) cases.emplace_back(&table, &one);
  return cases;
}

/// Returns the name of the network between a table's ranks.
std::string network_name(const BoardPack& pack, const BoardTable& table) {
  if (table.nodes == 1) return "inside a node";
  return pack.pack.fabric ? network_fabric_name(*pack.pack.fabric) : "no fabric stated";
}

Board board_of(const BoardKind& kind, const std::vector<BoardPack>& packs) {
  Board board{kind, {}, {}, {}, {}, {}};
  std::vector<TableCase> all;
  std::vector<double> medians;
  std::map<std::string, std::vector<TableCase>> networks;
  for (const BoardPack& pack : packs) {
    auto cases = cases_of(pack, kind, MeasuredRole::scored);
    const bool counted = !cases.empty();
    if (!counted) cases = cases_of(pack, kind, MeasuredRole::fitted);
    if (!cases.empty()) board.machines.push_back(group_of_cases(pack.pack.name.text, kind, cases, counted));
    if (!counted) continue;
    all.insert(all.end(), cases.begin(), cases.end());
    if (kind.kind == CaseKind::collective)
      for (const TableCase& one : cases) networks[network_name(pack, *one.first)].push_back(one);
    medians.push_back(*board.machines.back().errors.median);
  }
  std::vector<std::string> measured; // in the order of their first occurrence
  for (const auto& [table, one] : all)
    if (std::ranges::find(measured, table->what) == measured.end()) measured.push_back(table->what);
  for (const std::string& what : measured) {
    std::vector<TableCase> alike;
    std::ranges::copy_if(all, std::back_inserter(alike), [&](const TableCase& one) { return one.first->what == what; });
    board.operations.push_back(group_of_cases(what, kind, alike));
  }
  for (const auto& [name, cases] : networks) board.fabrics.push_back(group_of_cases(name, kind, cases));
  board.all = group_of_cases("all", kind, all);
  if (!medians.empty()) board.machine_median = percentile(medians, 0.5);
  return board;
}

} // namespace

const std::vector<BoardKind>& board_kinds() {
  constexpr double link_bound_bytes = 4 * 1024 * 1024.0;
  const std::vector<Yardstick> of_collectives{Yardstick::line_ring, Yardstick::own_formula};
  static const std::vector<BoardKind> kinds = {
      {"collectives", "collectives from 4 MiB, where links are the bound", of_collectives, CaseKind::collective,
       link_bound_bytes},
      {"sizes", "collectives of all sizes", of_collectives, CaseKind::collective},
      {"training",
       "ratios of throughput between scales: DDP, Horovod, parameter servers",
       {Yardstick::perfect_scaling},
       CaseKind::training},
      {"sharded", "losses of efficiency between scales: FSDP", {Yardstick::perfect_scaling}, CaseKind::sharded},
      {"contention", "times of concurrent jobs on the same nodes", {Yardstick::line_ring}, CaseKind::contention}};
  return kinds;
}

std::vector<Board> boards_of(const std::vector<BoardPack>& packs) {
  std::vector<Board> boards;
  const auto measured = [&](CaseKind kind) {
    return std::ranges::any_of(packs, [&](const BoardPack& pack) {
      return std::ranges::any_of(pack.tables, [&](const BoardTable& table) { return table.kind == kind; });
    });
  };
  const bool nothing = std::ranges::all_of(packs, [](const BoardPack& pack) { return pack.tables.empty(); });
  for (const BoardKind& kind : board_kinds())
    if (measured(kind.kind) || (nothing && kind.kind == CaseKind::collective)) boards.push_back(board_of(kind, packs));
  return boards;
}

BoardGroup group_of(const BoardTable& table, const BoardKind& kind) {
  std::vector<TableCase> cases;
  for (const BoardCase& one : table.cases)
    if (one.simulated && kind.takes(table, one)) cases.emplace_back(&table, &one);
  return group_of_cases(table.what, kind, cases, table.role == MeasuredRole::scored);
}

} // namespace gradflight
