#include "analysis/evidence/network_fit/timed_table.hpp"

#include "analysis/evidence/measured/read_measured.hpp"
#include "base/human.hpp"
#include "base/percentile.hpp"
#include "models/collectives/element_type.hpp"
#include "scenarios/language/json/diagnostics.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace gradflight {

namespace {

/// If hosts post messages one by one, smaller messages depend on more than the network (LogGP's gap).
constexpr double least_streamed_bytes = 65536;

using LogTables = std::vector<MeasuredTable>;

/// Returns the step of the last written digit of each time, by time. Zeros at the end of a number look like missing
/// digits, so the longest number counts. Benchmarks write long times with fewer decimals.
std::map<double, double> written_steps(const std::map<double, std::vector<double>>& times_of_sizes) {
  std::map<double, double> steps;
  for (const auto& [bytes, times] : times_of_sizes)
    for (const double us : times) {
      const std::string text = fmt::format("{}", us);
      const std::size_t point = text.find('.');
      const bool exact = text.find('e') != std::string::npos; // benchmarks do not write this format
      steps[us] =
          exact ? 0 : std::pow(10, point == std::string::npos ? 0 : -static_cast<double>(text.size() - point - 1));
    }
  double finest = std::numeric_limits<double>::infinity();
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) step->second = finest = std::min(finest, step->second);
  return steps;
}

class TimedTables {
public:
  TimedTables(const TimedLogs& logs, std::vector<Diagnostic>* notes) : logs_(logs), notes_(notes) {}

  std::vector<TimedTable> read() {
    LogTables all;
    std::set<std::string> seen;
    for (const std::string& file : logs_.files) {
      if (!seen.insert(file).second) {
        fail(file, 0, "this log is given twice");
        continue;
      }
      try {
        AboutLog about;
        about.otherwise = logs_.op;
        for (MeasuredTable& table : read_measured(file, about, notes_)) all.push_back(std::move(table));
      } catch (const InputErrors& errors) {
        found_.insert(found_.end(), errors.diagnostics().begin(), errors.diagnostics().end());
      }
    }
    if (found_.empty()) refuse_contradictions(all);
    if (found_.empty()) choose(all);
    if (found_.empty()) choose_type(all);
    for (MeasuredTable& table : all) complete(table);
    std::vector<TimedTable> tables;
    if (found_.empty()) tables = merged(all);
    if (!found_.empty()) throw InputErrors(std::move(found_));
    return tables;
  }

private:
  void fail(const std::string& file, int line, std::string message) {
    found_.push_back({file, line, line > 0 ? 1 : 0, "", std::move(message)});
  }

  /// Rejects data in the command line that no table agrees with.
  void refuse_contradictions(const LogTables& all) {
    const auto others = [&](const auto& agrees) { return !all.empty() && std::ranges::none_of(all, agrees); };
    const MeasuredTable* first = all.empty() ? nullptr : &all.front();
    if (!logs_.are_all) return; // the data may belong to the other logs
    if (logs_.op && others([&](const MeasuredTable& table) { return table.op == *logs_.op; }))
      fail(first->file, first->line,
           fmt::format("--op {}: the log measures {}", operation_name(*logs_.op), operation_name(first->op)));
    if (logs_.nodes > 0 && others([&](const MeasuredTable& table) {
          return table.nodes == 0 || table.nodes == logs_.nodes || table.benchmark != Benchmark::collective;
        }))
      fail(first->file, first->line,
           fmt::format("--nodes {}: the log has {}", logs_.nodes, counted(first->nodes, "node")));
    const auto fits = [&](const MeasuredTable& table) {
      return table.ranks == logs_.ranks ||
             (table.ranks == 0 &&
              (table.most_ranks == 0 || (logs_.ranks >= table.least_ranks && logs_.ranks <= table.most_ranks)));
    };
    const auto collective = [](const MeasuredTable& table) { return table.benchmark == Benchmark::collective; };
    if (logs_.ranks > 0 && std::ranges::all_of(all, collective) && others(fits))
      fail(first->file, first->line,
           first->ranks > 0 ? fmt::format("--ranks {}: the log has {} ranks{}", logs_.ranks, first->ranks,
                                          first->ranks_from.empty() ? "" : fmt::format(" ({})", first->ranks_from))
                            : fmt::format("--ranks {}: the ratio busbw / algbw of the log means {} to {} ranks",
                                          logs_.ranks, first->least_ranks, first->most_ranks));
  }

  void choose(LogTables& all) {
    for (const auto& [column, value] : logs_.where) {
      std::set<std::string> there;
      for (const MeasuredTable& table : all)
        if (const auto has = table.value(column)) there.insert('"' + *has + '"');
      std::erase_if(
          all, [&, &name = column, &wanted = value](const MeasuredTable& table) { return !table.has(name, wanted); });
      if (!all.empty()) continue;
      fail(logs_.files.front(), 0,
           there.empty() ? fmt::format("--where {}={}: the column does not exist", column, value)
                         : fmt::format("--where {}={}: no table has this value. Allowed: {}", column, value,
                                       fmt::join(there, ", ")));
      return;
    }
  }

  void choose_type(LogTables& all) {
    if (logs_.type.empty()) return;
    const auto other = [&](const MeasuredTable& table) {
      return table.benchmark == Benchmark::collective && !table.type.empty() &&
             !same_element_type(table.type, logs_.type);
    };
    if (!all.empty() && std::ranges::all_of(all, other))
      fail(all.front().file, all.front().line,
           fmt::format("--type {}: the log has elements of {}", logs_.type, all.front().type));
    else
      std::erase_if(all, other);
  }

  /// Adds data from the command line that the log lacks.
  void complete(MeasuredTable& table) {
    if (table.ranks == 0) table.ranks = logs_.ranks;
    if (table.nodes == 0) table.nodes = logs_.nodes;
    const bool pairs = table.benchmark != Benchmark::collective;
    if (pairs && table.ranks == 0) table.ranks = 2;
    if (pairs && table.nodes == 0) table.nodes = 2; // the usual case for these benchmarks
    if (table.nodes == 0 && logs_.platform_nodes > 0 && table.ranks >= logs_.platform_nodes)
      table.nodes = logs_.platform_nodes;
    if (table.ranks == 0)
      fail(table.file, table.line, "the log does not give the number of ranks: set --ranks");
    else if (table.nodes == 0)
      fail(table.file, table.line, "the log does not give the number of nodes: set --nodes");
    else if (table.ranks < 2)
      fail(table.file, table.line, "a collective needs at least two ranks");
    else if (table.ranks % table.nodes != 0)
      fail(
          table.file, table.line,
          fmt::format("{} ranks on {} nodes: every node must have the same number of ranks", table.ranks, table.nodes));
  }

  /// Reports columns that differ between tables which would be merged.
  void require_alike(const std::vector<const MeasuredTable*>& same, const TimedTable& first) {
    std::map<std::string, std::set<std::string>> values;
    for (const MeasuredTable* table : same) {
      if (!table->type.empty()) values["type"].insert('"' + table->type + '"');
      for (const auto& [name, value] : table->labels) values[name].insert('"' + value + '"');
    }
    std::vector<std::string> differ;
    for (const auto& [name, there] : values)
      if (there.size() > 1) differ.push_back(fmt::format("{} ({})", name, fmt::join(there, ", ")));
    if (!differ.empty())
      fail(first.file, first.line,
           fmt::format("{} tables of {} differ in {}: choose one with --where COLUMN=VALUE", same.size(), first.name(),
                       fmt::join(differ, ", ")));
  }

  std::vector<TimedTable> merged(const LogTables& all) {
    using Key = std::tuple<Benchmark, Operation, int, int, std::string, std::string>;
    std::vector<Key> order;
    std::map<Key, std::vector<const MeasuredTable*>> groups;
    for (const MeasuredTable& table : all) {
      const Key key{table.benchmark, table.op, table.nodes, table.ranks, table.algorithm, table.protocol};
      if (!groups.contains(key)) order.push_back(key);
      groups[key].push_back(&table);
    }
    std::vector<TimedTable> tables;
    for (const Key& key : order) {
      const auto& same = groups[key];
      const MeasuredTable& first = *same.front();
      TimedTable table{first.file,  first.line,  first.benchmark, first.op,
                       first.nodes, first.ranks, first.algorithm, first.protocol};
      require_alike(same, table);
      table.type = first.type;
      std::map<double, std::vector<double>> times;
      for (const MeasuredTable* each : same)
        for (const MeasuredRow& row : each->rows)
          if (const double bytes = each->vector_bytes(row);
              bytes >= (table.benchmark == Benchmark::bandwidth ? least_streamed_bytes : 1))
            times[bytes].push_back(row.time_us);
      const auto steps = written_steps(times);
      for (const auto& [bytes, us] : times) {
        const double median = percentile(us, 0.5);
        const double rounding = steps.lower_bound(median)->second / 2 / median;
        table.rows.push_back({bytes, median * 1e-6, static_cast<int>(us.size()), rounding});
      }
      if (!table.rows.empty()) tables.push_back(std::move(table));
    }
    if (tables.empty() && found_.empty())
      fail(logs_.files.front(), 0, "no row can be compared: of bandwidths, only messages of at least 64 KiB count");
    return tables;
  }

  const TimedLogs& logs_;
  std::vector<Diagnostic>* notes_;
  std::vector<Diagnostic> found_;
};

} // namespace

std::string TimedTable::operation() const {
  switch (benchmark) {
  case Benchmark::latency: return "p2p latency";
  case Benchmark::bandwidth: return "p2p bandwidth";
  case Benchmark::collective: break;
  }
  return std::string(operation_name(op));
}

std::string TimedTable::name() const {
  return fmt::format("{} among {} ranks on {}", operation(), ranks, counted(nodes, "node"));
}

std::vector<TimedTable> read_timed_tables(const TimedLogs& logs, std::vector<Diagnostic>* notes) {
  return TimedTables(logs, notes).read();
}

} // namespace gradflight
