// Measured tables for a fit: one for each operation and group of ranks; repeated sizes become their medians.
#pragma once

#include "analysis/evidence/measured/measured_table.hpp"
#include "scenarios/language/json/diagnostics.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gradflight {

struct TimedRow {
  double size_bytes = 0; ///< of the whole vector; for point to point, of one message
  double seconds = 0;    ///< median of the measurements, out of place; > 0
  int times = 1;
  double rounding = 0; ///< largest relative error of the written time: half of the step of its last digit
};

struct TimedTable {
  std::string file; ///< file of its first row, as given
  int line = 0;     ///< line of its first row
  Benchmark benchmark = Benchmark::collective;
  Operation op = Operation::all_reduce;
  int nodes = 0, ranks = 0;
  std::string algorithm, protocol; ///< forced by the user, in the log's words
  std::vector<TimedRow> rows{};    ///< sorted by size; at least one
  std::string type{};              ///< type of elements in the log's word; empty: not in the log

  [[nodiscard]] bool point_to_point() const { return benchmark != Benchmark::collective; }
  /// Whether a rank's NIC always sends and receives at the same time.
  [[nodiscard]] bool both_ways() const { return !point_to_point() && !has_root(op); }
  [[nodiscard]] std::string operation() const; ///< returns "all_reduce", "p2p latency", "p2p bandwidth"
  [[nodiscard]] std::string name() const;      ///< returns "all_reduce among 16 ranks on 2 nodes"
};

/// Data from the command line besides the logs.
struct TimedLogs {
  std::vector<std::string> files;
  int ranks = 0, nodes = 0;                                 ///< for tables without this data; 0: not given
  std::vector<std::pair<std::string, std::string>> where{}; ///< column, value: selects tables with this value
  std::optional<Operation> op{};                            ///< for tables without an operation
  std::string type{};  ///< selects the collectives' tables of this element type, and those that name none; empty: all
  bool are_all = true; ///< the command line names no other logs, so a table of these must agree with its data
  int platform_nodes = 0; ///< nodes of the measured platform, if neither a table nor the command line gives them
};

/// Merges tables of the same operation, ranks, nodes and forced algorithm. Throws InputErrors with every mistake of all
/// files. Mistakes are unreadable files, tables without ranks or nodes, and tables that would be merged but differ in a
/// column other than `run`. Unknown columns in `where`, and an empty selection, are also mistakes. `notes` receives
/// notes about left-out parts of the logs.
std::vector<TimedTable> read_timed_tables(const TimedLogs& logs, std::vector<Diagnostic>* notes = nullptr);

} // namespace gradflight
