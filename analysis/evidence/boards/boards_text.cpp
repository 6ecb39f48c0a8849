#include "analysis/evidence/boards/boards_text.hpp"

#include "analysis/evidence/reproduction/scoreboard_text.hpp"
#include "base/human.hpp"
#include "scenarios/language/fields/shape.hpp"

#include <cmath>
#include <fmt/format.h>

namespace gradflight {

namespace {

std::string percent(const std::optional<double>& fraction) { return fraction ? human_percent(*fraction) : "-"; }

std::string line_text(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  return text + '\n';
}

std::string statistics_line(const std::string& name, const ErrorStatistics& errors, const std::string& noise,
                            const std::string& more) {
  const auto share = [&](double part) { return errors.count > 0 ? human_percent(part) : std::string("-"); };
  return line_text(fmt::format("  {:<36} {:>6} {:>8} {:>8} {:>8} {:>9} {:>9} {:>8}  {}", name, errors.count,
                               percent(errors.median), percent(errors.p80), percent(errors.p90),
                               share(errors.within_20), share(errors.within_30), noise, more));
}

std::string board_header() {
  return line_text(fmt::format("  {:<36} {:>6} {:>8} {:>8} {:>8} {:>9} {:>9} {:>8}", "|error|", "cases", "median",
                               "80th", "90th", "within 20", "within 30", "floor"));
}

std::string group_line(const BoardGroup& group) {
  return statistics_line("  " + group.name, group.errors, percent(group.noise),
                         group.counted ? "" : "fitted to: not counted");
}

std::string board_text(const Board& board) {
  std::string text = fmt::format("{}: {}\n{}", board.kind.name, board.kind.text, board_header());
  text += statistics_line("simulated", board.all.errors, percent(board.all.noise), "");
  for (const YardstickScore& score : board.all.against) {
    if (score.errors.count == 0) continue;
    const auto there = score.errors.count == board.all.errors.count
                           ? std::string()
                           : fmt::format(" and has a median of {} there", percent(score.simulation.median));
    text +=
        statistics_line(score.name, score.errors, "", fmt::format("simulation is closer on {}{}", score.closer, there));
  }
  if (board.machine_median)
    text += fmt::format("  median of the machines' medians: {}\n", percent(board.machine_median));
  for (const auto* groups : {&board.machines, &board.operations})
    for (const BoardGroup& group : *groups) text += group_line(group);
  return text + '\n';
}

std::string job_text(const BoardTable& table) {
  std::string text =
      fmt::format("    {}: {} on {} GPU{}, {} of it compute\n", table_name(table), human_seconds(table.base_step),
                  table.base_ranks, table.base_ranks == 1 ? "" : "s", human_seconds(table.compute));
  for (const BoardCase& one : table.cases) {
    if (!one.simulated) continue;
    const auto shown = [&](double value) {
      return table.kind == CaseKind::sharded ? human_percent(value) : fmt::format("{:.2f}", value);
    };
    if (table.kind == CaseKind::contention) {
      text += line_text(fmt::format("      {:>2} at once on {:>2} nodes: measured {:>9}, simulated {:>9}: {:+.1f} %",
                                    one.jobs, one.ranks, human_seconds(one.measured), human_seconds(*one.simulated),
                                    100 * *one.error()));
      continue;
    }
    text += line_text(fmt::format("      on {:>4} GPUs {} measured {:>7}, simulated {:>7}: {:+.1f} %", one.ranks,
                                  table.kind == CaseKind::sharded ? "lost" : "times", shown(one.measured),
                                  shown(*one.simulated), 100 * *one.error()));
  }
  return text;
}

std::string tables_text(const BoardPack& pack) {
  std::string text;
  for (const BoardTable& table : pack.tables) {
    if (table.kind != CaseKind::collective) {
      text += job_text(table);
      continue;
    }
    const auto large = group_of(table, board_kinds().front()), all = group_of(table, board_kinds()[1]);
    std::string errors = fmt::format("median |error| {}", percent(all.errors.median));
    if (large.errors.count > 0) errors += fmt::format(", from 4 MiB {}", percent(large.errors.median));
    text +=
        line_text(fmt::format("    {:<30} {:>8}, {} to {}: {}; floor {}{}", table_name(table),
                              counted(static_cast<std::int64_t>(table.cases.size()), "size"),
                              binary_size(table.cases.front().size_bytes), binary_size(table.cases.back().size_bytes),
                              errors, percent(table.noise), table.role == MeasuredRole::fitted ? "; fitted to" : ""));
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
  if (table.kind != CaseKind::collective) return table.what + (table.job.empty() ? "" : ", " + table.job);
  return fmt::format("{}, {} x {} ranks", table.what, table.nodes, table.ranks / table.nodes);
}

std::string crossover_text(const Crossover& measured) {
  const auto where = fmt::format("measured: time falls by {} from {} to {}", human_percent(1 - measured.factor),
                                 binary_size(measured.from_bytes), binary_size(measured.to_bytes));
  if (!measured.off_by) return where + "; simulated: no other algorithm or protocol at any size";
  return where +
         fmt::format("; the nearest simulated switch is at a size {:.3g} times as large or small", *measured.off_by);
}

std::string row_counts_text(const BoardPack& pack) {
  std::string text;
  for (const auto role : {MeasuredRole::scored, MeasuredRole::fitted, MeasuredRole::noted})
    if (const int rows = pack.rows(role); rows > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", counted(rows, "row"),
                          role == MeasuredRole::fitted ? "fitted to" : measured_role_name(role));
  return text;
}

std::vector<std::string> pack_sentences(const BoardPack& board) {
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
  return said;
}

std::string boards_text(const std::vector<BoardPack>& packs) {
  std::string text;
  for (const Board& board : boards_of(packs)) text += board_text(board);
  for (const BoardPack& pack : packs) {
    text += fmt::format("{}  {}\n", pack.pack.name.text, pack.pack.file);
    for (const auto& sentence : pack_sentences(pack)) text += wrapped_text(sentence, "  ");
    text += tables_text(pack) + '\n';
  }
  return text;
}

} // namespace gradflight
