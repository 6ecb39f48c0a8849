// Measured tables as a fit takes them: one for each operation and group of ranks, repeated sizes by their medians.
#pragma once

#include "analysis/evidence/measured/measured_table.hpp"
#include "scenarios/language/json/diagnostics.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gradflight {

struct TimedRow {
  double size_bytes = 0; ///< of the whole vector; of one message where it is point to point
  double seconds = 0;    ///< median of the measurements, out of place; > 0
  int times = 1;
  double rounding = 0; ///< largest relative error of the time as it was written: half of its last digit's step
};

struct TimedTable {
  std::string file; ///< of its first row, as given
  int line = 0;     ///< likewise
  Benchmark benchmark = Benchmark::collective;
  Operation op = Operation::all_reduce;
  int nodes = 0, ranks = 0;
  std::string algorithm, protocol; ///< forced ones, in the log's words
  std::vector<TimedRow> rows{};    ///< sizes grow, at least one
  std::string type{};              ///< of elements, in the log's word; empty: it does not say

  [[nodiscard]] bool point_to_point() const { return benchmark != Benchmark::collective; }
  /// Whether a rank's NIC sends and receives at once throughout.
  [[nodiscard]] bool both_ways() const { return !point_to_point() && !has_root(op); }
  [[nodiscard]] std::string operation() const; ///< "all_reduce", "p2p latency", "p2p bandwidth"
  [[nodiscard]] std::string name() const;      ///< "all_reduce among 16 ranks on 2 nodes"
};

/// What the command line says beside the logs.
struct TimedLogs {
  std::vector<std::string> files;
  int ranks = 0, nodes = 0;                                 ///< of tables that do not say; 0: not said
  std::vector<std::pair<std::string, std::string>> where{}; ///< column, value: only tables that have it
  std::optional<Operation> op{};                            ///< of tables that do not say
  bool are_all = true;    ///< the command line names no other logs: what it says must agree with a table of these
  int platform_nodes = 0; ///< of the platform that they were measured on, where a table and the command line do not say
};

/// Tables of the same operation, ranks, nodes and forced algorithm are one. Throws InputErrors with every mistake of
/// all files: unreadable ones, tables that do not say their ranks or nodes, tables that would be one and differ in a
/// column beside `run`, columns that no table has, nothing left.
/// `notes`: what was left out of the logs.
std::vector<TimedTable> read_timed_tables(const TimedLogs& logs, std::vector<Diagnostic>* notes = nullptr);

} // namespace gradflight
