// Scenarios side by side: their steps' times, and by which parts of the critical path they differ.
#pragma once

#include "analysis/explore/answers/steps.hpp"

#include <string>
#include <vector>

namespace gradflight {

struct CompareColumn {
  std::string name;
  TrainedStep step;
  std::optional<double> samples_per_s{}; ///< nothing where the batch is not known: results do not say it
};

/// Columns of different names, in the order given; at least one.
struct SideBySide {
  std::vector<CompareColumn> columns;

  struct Row {
    std::string quantity, unit;
    std::vector<std::optional<double>> values; ///< of each column
  };
  /// Times, parts of the last iteration that any column has, samples/s, messages and bytes.
  [[nodiscard]] std::vector<Row> rows() const;
  /// The column of the least iteration time; the first of several.
  [[nodiscard]] std::size_t best() const;
  /// Of each column but the first against it, part by part, as a line: "x: +3 ms (+1.0 %) against y: beta +3 ms".
  [[nodiscard]] std::vector<std::string> differences() const;
};

/// Names that several columns have become "ring", "ring (2)", ...
std::vector<std::string> distinct_names(std::vector<std::string> names);

std::string compare_json(const SideBySide& table);
std::string compare_text(const SideBySide& table);

} // namespace gradflight
