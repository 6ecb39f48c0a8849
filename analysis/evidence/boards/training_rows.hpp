// Reads the rows of training tables that a pack's entries name: jobs, each at several scales.
#pragma once

#include "analysis/evidence/boards/board_case.hpp"
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
  struct Row {
    int line = 0;
    std::vector<std::string> fields;
    std::string taken{}; ///< the entry that uses it
  };
  struct Sheet {
    std::vector<std::string> columns;
    std::vector<Row> rows;
    bool readable = true;
  };
  class Entry;
  Sheet& sheet(const std::string& path, std::vector<Diagnostic>& found);
  std::map<std::string, Sheet> sheets_;
};

} // namespace gradflight
