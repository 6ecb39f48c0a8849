// The rows of tables of training that a pack's entries name: jobs, each at several scales.
#pragma once

#include "analysis/evidence/boards/board_case.hpp"
#include "scenarios/language/json/diagnostics.hpp"

#include <map>
#include <string>
#include <vector>

namespace gradflight {

/// Reads each table once, and knows which rows have been taken.
class TrainingRows {
public:
  /// Fills `training_rows`, and adds to `tables` one for each job. Throws InputErrors with every mistake of the pack.
  void read(BoardPack& board);

private:
  struct Row {
    int line = 0;
    std::vector<std::string> fields;
    std::string taken{}; ///< by which entry
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
