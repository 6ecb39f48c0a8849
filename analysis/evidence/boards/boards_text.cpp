#include "analysis/evidence/boards/boards_output.hpp"

#include "analysis/evidence/boards/signed_errors.hpp"
#include "analysis/run/text/report_text.hpp"
#include "base/human.hpp"
#include "scenarios/language/fields/shape.hpp"

#include <cmath>
#include <fmt/format.h>

namespace gradflight {

namespace {

/// `cells`: those of statistics_cells().
std::string statistics_line(const std::string& name, const std::vector<std::string>& cells, const std::string& noise,
                            const std::string& note) {
  return table_line(fmt::format("  {:<36} {:>6} {:>8} {:>8} {:>8} {:>9} {:>9} {:>8}  {}", name, cells[0], cells[1],
                                cells[2], cells[3], cells[4], cells[5], noise, note));
}

std::string group_line(const BoardGroup& group) {
  return statistics_line("  " + group.name, statistics_cells(group.errors), percent_text(group.noise), group.note());
}

std::string board_text(const Board& board, bool left_out) {
  std::string text =
      fmt::format("{}{}: {}\n", board.kind.name, left_out ? ", each machine left out" : "", board.kind.text);
  text += statistics_line("|error|", {"cases", "median", "80th", "90th", "within 20", "within 30"}, "floor", "");
  text += statistics_line("simulated", statistics_cells(board.all.errors), percent_text(board.all.noise), "");
  for (const YardstickScore& score : board.all.against) {
    if (score.errors.count == 0) continue;
    const auto there = score.errors.count == board.all.errors.count
                           ? std::string()
                           : fmt::format(" and has a median of {} there", percent_text(score.simulation.median));
    text += statistics_line(score.name, statistics_cells(score.errors), "",
                            fmt::format("simulation is closer on {}{}", score.closer, there));
  }
  if (board.machine_median)
    text += fmt::format("  median of the machines' medians: {}\n", percent_text(board.machine_median));
  for (const auto* groups : {&board.machines, &board.operations})
    for (const BoardGroup& group : *groups) text += group_line(group);
  if (left_out)
    for (const BoardGroup& group : board.fabrics) text += group_line(group);
  return text + '\n';
}

std::string signed_lines(const std::vector<SignedGroup>& left_out, const std::vector<SignedGroup>& in_place) {
  std::string text;
  const auto shown = [](const SignedGroup& group) {
    return fmt::format("{:>8} {:>9}", group.count, signed_percent_text(group.median));
  };
  for (const SignedPair& pair : signed_pairs(left_out, in_place)) {
    const std::string& name = pair.left_out.name;
    text += table_line(fmt::format("    {:<34} {}  {}", name, shown(pair.left_out), shown(pair.in_place)));
  }
  return text;
}

std::string signed_text(const MeasuredBoards& measured) {
  const SignedErrors left_out = signed_errors(measured.left_out), in_place = signed_errors(measured.in_place);
  if (left_out.operations.empty() && in_place.operations.empty()) return "";
  std::string text = "signed errors: median of simulated / measured - 1, collectives of all sizes\n";
  text += table_line(fmt::format("    {:<34} {:>18}  {:>18}", "", "each left out", "fit in place"));
  text += table_line(fmt::format("    {:<34} {:>8} {:>9}  {:>8} {:>9}", "", "cases", "median", "cases", "median"));
  text += signed_lines(left_out.sizes, in_place.sizes);
  text += signed_lines(left_out.operations, in_place.operations);
  return text + signed_lines(left_out.choices, in_place.choices) + '\n';
}

std::string typical_source(const TypicalNumber& typical) {
  return fmt::format("typical of {} (from {})", typical.shared_property, fmt::join(typical.from, ", "));
}

/// Returns the typical values for a pack that is left out, and the packs of their origin.
std::string left_out_sentence(const BoardPack& left_out) {
  std::vector<std::string> parts;
  if (left_out.spread)
    parts.push_back(fmt::format("compute times vary by {}, {}", human_percent(left_out.spread->value),
                                typical_source(*left_out.spread)));
  const auto& [latency, share] = left_out.typical;
  if (latency)
    parts.push_back(
        fmt::format("latency of a NIC's cable {}, {}", human_seconds(latency->value), typical_source(*latency)));
  if (share)
    parts.push_back(fmt::format("rate of a NIC, both directions together, {} of twice the line rate, {}",
                                human_percent(share->value), typical_source(*share)));
  if (parts.empty())
    parts.push_back(left_out.pack.fabric ? "no other machine has a fit of its network, and the catalogue's values stay"
                                         : "the pack states no fabric, and the catalogue's values stay");
  return fmt::format("left out: {}", fmt::join(parts, "; "));
}

/// Returns "30 rows scored, 12 used by the fit, 5 noted".
std::string row_counts_text(const BoardPack& pack) {
  std::string text;
  for (const auto role : {MeasuredRole::scored, MeasuredRole::fitted, MeasuredRole::noted})
    if (const int rows = pack.rows(role); rows > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", counted(rows, "row"),
                          role == MeasuredRole::fitted ? "used by the fit" : measured_role_name(role));
  return text;
}

std::string job_text(const MeasuredBoards& measured, std::size_t pack, std::size_t index) {
  const BoardTable& table = measured.in_place[pack].tables[index];
  std::string text =
      fmt::format("    {}: {} on {}, {} of it compute\n", table_name(table), human_seconds(table.base_step),
                  counted(table.base_ranks, "GPU"), human_seconds(table.compute));
  for (std::size_t i = 0; i < table.cases.size(); ++i) {
    const BoardCase& one = table.cases[i];
    if (!one.simulated) continue;
    const auto shown = [&](double value) {
      return table.kind == CaseKind::sharded ? human_percent(value) : fmt::format("{:.2f}", value);
    };
    if (table.is_contention()) {
      text += table_line(fmt::format("      {:>2} at once on {:>2} nodes: measured {:>9}, simulated {:>9}: {}",
                                     one.jobs, one.ranks, human_seconds(one.measured), human_seconds(*one.simulated),
                                     signed_percent_text(one.error())));
      continue;
    }
    std::string line = fmt::format("      on {:>4} GPUs {} measured {:>7}, simulated {:>7}: {}", one.ranks,
                                   table.kind == CaseKind::sharded ? "lost" : "times", shown(one.measured),
                                   shown(*one.simulated), signed_percent_text(one.error()));
    if (const BoardCase* same = left_out_case(measured, pack, index, i); same != nullptr && same->simulated)
      line += fmt::format("; workers vary {:>7}: {}", shown(*same->simulated), signed_percent_text(same->error()));
    text += table_line(line);
  }
  return text;
}

std::string tables_text(const MeasuredBoards& measured, std::size_t index) {
  const BoardPack& pack = measured.in_place[index];
  std::string text;
  for (std::size_t i = 0; i < pack.tables.size(); ++i) {
    const BoardTable& table = pack.tables[i];
    if (!table.is_collective()) {
      text += job_text(measured, index, i);
      continue;
    }
    const auto large = group_of(table, board_kinds().front()), all = group_of(table, board_kinds()[1]);
    std::string errors = fmt::format("median |error| {}", percent_text(all.errors.median));
    if (large.errors.count > 0) errors += fmt::format(", from 4 MiB {}", percent_text(large.errors.median));
    text += table_line(fmt::format("    {:<30} {:>8}, {} to {}: {}; floor {}{}", table_name(table),
                                   counted(static_cast<std::int64_t>(table.cases.size()), "size"),
                                   binary_size(table.cases.front().size_bytes),
                                   binary_size(table.cases.back().size_bytes), errors, percent_text(table.noise),
                                   table.role == MeasuredRole::fitted ? "; used by the fit" : ""));
    for (const Crossover& one : crossovers_of(table).measured) text += wrapped_text(crossover_text(one), "      ");
  }
  return text;
}

} // namespace

std::string binary_size(double bytes) {
  static constexpr const char* units[] = {"B", "KiB", "MiB", "GiB"};
  std::size_t unit = 0;
  while (unit + 1 < std::size(units) && bytes >= 1024) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{:.4g} {}", bytes, units[unit]);
}

std::string table_name(const BoardTable& table) {
  if (!table.is_collective()) return table.what + (table.job.empty() ? "" : ", " + table.job);
  return fmt::format("{}, {} x {} ranks", table.what, table.nodes, table.ranks / table.nodes);
}

std::string crossover_text(const Crossover& measured) {
  const auto where = fmt::format("measured: time falls by {} from {} to {}", human_percent(1 - measured.factor),
                                 binary_size(measured.from_bytes), binary_size(measured.to_bytes));
  if (!measured.off_by) return where + "; simulated: no other algorithm or protocol at any size";
  return where +
         fmt::format("; the nearest simulated switch is at a size {:.3g} times as large or small", *measured.off_by);
}

std::vector<std::string> pack_sentences(const MeasuredBoards& measured, std::size_t index) {
  const BoardPack& board = measured.in_place[index];
  const MeasuredPack& pack = board.pack;
  std::vector<std::string> said{pack.source + "; licence: " + pack.licence};
  if (pack.tables.empty())
    said.push_back(row_counts_text(board));
  else
    said.push_back(fmt::format("{}, {}{}{}: {}", pack.machine ? pack.machine->text : "no machine of the catalogue",
                               pack.library.text, pack.library_version.empty() ? "" : " ", pack.library_version,
                               row_counts_text(board)));
  for (const MeasuredFact& fact : pack.set)
    said.push_back(fmt::format("{} is {}: {}", fact.path.text, fact.value.text, fact.reason));
  if (pack.fitted) {
    std::vector<std::string> set;
    for (const auto& member : pack.fitted->set) set.push_back(member.key + " " + member.value.text);
    said.push_back(fmt::format("fitted to {}: {}", pack.fitted->to, joined(set)));
  }
  const auto say = [&](const auto& entries) {
    for (const auto& entry : entries)
      if (!entry.reason.empty()) {
        std::vector<std::string> where;
        for (const auto& column : entry.where) where.push_back(column.column + " " + joined(column.values));
        said.push_back(fmt::format("{}{}{}: {}: {}", entry.file.text, where.empty() ? "" : ", ", joined(where),
                                   measured_role_name(entry.role), entry.reason));
      }
  };
  say(pack.tables);
  say(pack.training);
  if (index < measured.left_out.size() && is_left_out(measured.left_out[index]))
    said.push_back(left_out_sentence(measured.left_out[index]));
  return said;
}

std::string boards_text(const MeasuredBoards& measured) {
  std::string text;
  for (const Board& board : boards_of(measured.left_out))
    if (board.all.errors.count > 0) text += board_text(board, true);
  for (const Board& board : boards_of(measured.in_place)) text += board_text(board, false);
  text += signed_text(measured);
  for (std::size_t i = 0; i < measured.in_place.size(); ++i) {
    const BoardPack& pack = measured.in_place[i];
    text += fmt::format("{}  {}\n{}{}\n", pack.pack.name.text, pack.pack.file,
                        wrapped_text(pack_sentences(measured, i), "  "), tables_text(measured, i));
  }
  return text;
}

} // namespace gradflight
