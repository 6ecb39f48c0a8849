#include "analysis/evidence/boards/board_rows.hpp"

#include "analysis/evidence/collective/collective_request.hpp"
#include "analysis/evidence/error_statistics.hpp"
#include "analysis/evidence/measured/read_measured.hpp"
#include "base/nearest_name.hpp"
#include "base/percentile.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>
#include <tuple>

namespace gradflight {

namespace {

using Tables = std::vector<MeasuredTable>;

std::vector<std::string> columns_of(const Tables& tables) {
  std::vector<std::string> names{"run", "collective", "nodes", "ranks"};
  for (const auto& table : tables)
    for (const auto& [name, value] : table.labels)
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  return names;
}

/// Returns at most a few of the values in a column.
std::string example_values(const Tables& tables, const std::string& column) {
  constexpr std::size_t most = 12;
  std::set<std::string> values;
  for (const auto& table : tables)
    if (auto value = table.value(column)) values.insert('"' + *value + '"');
  const auto count = values.size();
  while (values.size() > most) values.erase(std::prev(values.end()));
  return fmt::format("{}{}", fmt::join(values, ", "), count > most ? ", ..." : "");
}

/// Collects mistakes of one entry.
class EntryReport {
public:
  EntryReport(const MeasuredPack& pack, std::size_t entry, std::vector<Diagnostic>& found)
      : pack_(pack), pointer_(fmt::format("/tables/{}", entry)), found_(found) {}
  void operator()(Position at, const std::string& key, std::string message) {
    for (auto& each : pack_.sources.diagnostics({{at, pointer_ + key, std::move(message)}}))
      found_.push_back(std::move(each));
  }

private:
  const MeasuredPack& pack_;
  std::string pointer_;
  std::vector<Diagnostic>& found_;
};

/// Returns the indices of the tables that an entry names; reports a mistake if there are none.
std::vector<std::size_t> named_tables(const MeasuredEntry& entry, const Tables& tables, EntryReport& report) {
  bool known = true;
  const auto columns = columns_of(tables);
  for (const auto& where : entry.where) {
    if (std::ranges::find(columns, where.column) == columns.end()) {
      report(
          where.position, "/where/" + where.column,
          fmt::format("{} has no column \"{}\"{}", entry.file.text, where.column, did_you_mean(where.column, columns)));
      known = false;
      continue;
    }
    for (const auto& value : where.values)
      if (std::ranges::none_of(tables, [&](const auto& table) { return table.has(where.column, value); })) {
        report(where.position, "/where/" + where.column,
               fmt::format("no row of {} has \"{}\" in this column. Allowed: {}", entry.file.text, value,
                           example_values(tables, where.column)));
        known = false;
      }
  }
  std::vector<std::size_t> named;
  for (std::size_t i = 0; i < tables.size(); ++i)
    if (std::ranges::all_of(entry.where, [&](const MeasuredWhere& where) {
          return std::ranges::any_of(where.values,
                                     [&](const auto& value) { return tables[i].has(where.column, value); });
        }))
      named.push_back(i);
  if (named.empty() && known)
    report(entry.file.position, "/where", fmt::format("no row of {} meets all of these conditions", entry.file.text));
  return named;
}

/// Whether a table contains all data for its simulation.
bool is_simulable(const MeasuredTable& table, const MeasuredEntry& entry, EntryReport& report) {
  const auto refuse_table = [&](const std::string& key, const std::string& why) {
    report(entry.file.position, key, fmt::format("{}:{}: {}", entry.file.text, table.line, why));
    return false;
  };
  if (table.benchmark != Benchmark::collective) {
    if (entry.role == MeasuredRole::fitted) return false;
    return refuse_table("/role", "a point-to-point table can be \"fitted\" or \"noted\", not \"scored\"");
  }
  if (table.ranks < 2) return refuse_table("/file", "the table must give a number of ranks of at least 2");
  if (table.nodes < 1) return refuse_table("/nodes", "the table does not give the number of nodes: set \"nodes\"");
  if (table.ranks % table.nodes != 0)
    return refuse_table("/file", fmt::format("{} ranks on {} nodes: every node must have the same number of ranks",
                                             table.ranks, table.nodes));
  return true;
}

/// All measurements of one size.
struct Cell {
  std::vector<double> out, all, apart;
};

BoardTable board_table(const std::vector<const MeasuredTable*>& same, const MeasuredEntry& entry, std::size_t index) {
  const MeasuredTable& first = *same.front();
  BoardTable table;
  table.what = operation_name(first.op);
  table.entry = index;
  table.role = entry.role;
  table.op = first.op;
  table.nodes = first.nodes;
  table.ranks = first.ranks;
  table.element_size = entry.element_size;
  table.algorithm = first.algorithm;
  table.protocol = first.protocol;
  std::map<double, Cell> cells;
  std::vector<double> apart;
  for (const auto* each : same)
    for (const auto& row : each->rows) {
      ++table.rows;
      if (row.inplace_time_us) apart.push_back(std::abs(row.time_us / *row.inplace_time_us - 1));
      const double bytes = each->vector_bytes(row);
      if (counted_elements(table.op, bytes, table.element_size, table.ranks) == 0) {
        ++table.empty_rows;
        continue;
      }
      auto& cell = cells[bytes];
      cell.out.push_back(row.time_us);
      cell.all.push_back(row.time_us);
      if (!row.inplace_time_us) continue;
      cell.all.push_back(*row.inplace_time_us);
      cell.apart.push_back(apart.back());
    }
  const auto noise = statistics_of(apart);
  table.noise = noise.median;
  table.noise_p90 = noise.p90;
  for (const auto& [bytes, cell] : cells) {
    BoardCase& made = table.cases.emplace_back();
    made.size_bytes = bytes;
    made.measured = percentile(cell.out, 0.5);
    made.times = static_cast<int>(cell.out.size());
    made.least = std::ranges::min(cell.all);
    made.most = std::ranges::max(cell.all);
    if (!cell.apart.empty()) made.noise = percentile(cell.apart, 0.5);
  }
  return table;
}

} // namespace

RowReader::Log& RowReader::log(const std::string& path, int nodes, std::vector<Diagnostic>& found) {
  const auto [at, added] = logs_.try_emplace({path, nodes});
  Log& log = at->second;
  if (!added) return log;
  try {
    log.tables = read_measured(path, {{}, 0, nodes});
  } catch (const InputErrors& errors) {
    log.readable = false;
    found.insert(found.end(), errors.diagnostics().begin(), errors.diagnostics().end());
  }
  taken_[path].resize(log.tables.size());
  return log;
}

void RowReader::read(BoardPack& board) {
  std::vector<Diagnostic> found;
  const MeasuredPack& pack = board.pack;
  board.entry_rows.assign(pack.tables.size(), 0);
  for (std::size_t i = 0; i < pack.tables.size(); ++i) {
    const MeasuredEntry& entry = pack.tables[i];
    EntryReport report(pack, i, found);
    const std::string path = pack.beside(entry.file.text);
    const Log& log = this->log(path, entry.nodes.value_or(0), found);
    if (!log.readable) continue;
    using Key = std::tuple<Operation, int, int, std::string, std::string>;
    std::map<Key, std::vector<const MeasuredTable*>> same;
    for (const auto index : named_tables(entry, log.tables, report)) {
      const MeasuredTable& table = log.tables[index];
      if (auto& taken = taken_[path][index]; taken.empty())
        taken = fmt::format("entry {} of {}", i, pack.name.text);
      else
        report(entry.file.position, "/where",
               fmt::format("{}:{}: {} already has these rows", entry.file.text, table.line, taken));
      board.entry_rows[i] += static_cast<int>(table.rows.size());
      if (entry.role == MeasuredRole::noted || !is_simulable(table, entry, report)) continue;
      same[{table.op, table.nodes, table.ranks, table.algorithm, table.protocol}].push_back(&table);
    }
    for (const auto& [key, tables] : same) {
      board.tables.push_back(board_table(tables, entry, i));
      if (board.tables.back().cases.empty())
        report(entry.file.position, "/file",
               fmt::format("{}:{}: no row of {} among {} ranks has a whole element for each rank", entry.file.text,
                           tables.front()->line, board.tables.back().what, tables.front()->ranks));
    }
  }
  if (!found.empty()) throw InputErrors(std::move(found));
}

} // namespace gradflight
