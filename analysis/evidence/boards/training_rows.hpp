// Reads the rows of training tables that a pack's entries name: jobs, each at several scales.
#pragma once

#include "analysis/evidence/boards/board_case.hpp"
#include "base/sheet.hpp"
#include "scenarios/language/json/diagnostics.hpp"

#include <map>
#include <string>
#include <vector>

namespace gradflight {

/// Reads each table once, and tracks which rows belong to an entry.
class TrainingRows {
public:
  /// Fills `training_rows`, and adds a table for each job to `tables`. Throws InputErrors with every mistake of the
  /// pack.
  void read(BoardPack& board);

private:
  struct Table {
    Sheet sheet;                      ///< its mistakes include an unreadable file, and a file without rows
    std::map<int, std::string> taken; ///< lines of rows, and the entry that uses each
  };
  class Entry;
  Table& table(const std::string& path, std::vector<Diagnostic>& found);
  std::map<std::string, Table> tables_;
};

} // namespace gradflight
