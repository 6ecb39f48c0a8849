// Reads the rows of logs that a pack's entries name.
#pragma once

#include "analysis/evidence/boards/board_case.hpp"
#include "analysis/evidence/measured/measured_table.hpp"

#include <map>
#include <utility>

namespace gradflight {

/// Reads each log once, and tracks which rows belong to an entry.
class RowReader {
public:
  /// Fills `entry_rows` and `tables`. Throws InputErrors with every mistake of the pack.
  void read(BoardPack& board);

private:
  struct Log {
    std::vector<MeasuredTable> tables;
    bool readable = true;
  };
  Log& log(const std::string& path, int nodes, std::vector<Diagnostic>& found);
  std::map<std::pair<std::string, int>, Log> logs_;
  /// For each table of a log: the entry that uses it; empty: none.
  std::map<std::string, std::vector<std::string>> taken_;
};

} // namespace gradflight
