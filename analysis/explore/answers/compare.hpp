// Scenarios side by side: the times of their steps, and the parts of the critical path in which they differ.
#pragma once

#include "analysis/explore/steps/steps.hpp"

#include <string>
#include <vector>

namespace gradflight {

struct CompareColumn {
  std::string name;
  TrainedStep step;
  std::optional<double> samples_per_s{}; ///< absent if the batch is unknown: results do not contain it
};
CompareColumn compare_column(std::string name, const Scenario& scenario, const TrainedStep& step);

/// At least one column, in the given order; names differ.
struct SideBySide {
  std::vector<CompareColumn> columns;

  struct Row {
    std::string quantity, unit;
    std::vector<std::optional<double>> values; ///< of each column
  };
  /// Times, parts of a step (TrainedStep::mean_path) that occur in any column, samples/s, messages and bytes.
  [[nodiscard]] std::vector<Row> rows() const;
  /// Whether the last iteration of some column does not represent its steps (TrainedStep::has_mean).
  [[nodiscard]] bool of_means() const;
  /// Whether something can fail in some column, so that a step has its share of the time that failures cost.
  [[nodiscard]] bool with_failures() const;
  /// Returns "Steps differ, so the differences are of their means.", or what else the differences are of; empty if they
  /// are of the last step.
  [[nodiscard]] std::string basis() const;
  /// Index of the column with the most samples/s, or the least cost of a step if samples are unknown; the first of
  /// equals.
  [[nodiscard]] std::size_t best() const;
  [[nodiscard]] bool knows_samples() const; ///< of all columns
  /// Returns by what best() judges: "the most samples/s" or "the shortest step".
  [[nodiscard]] const char* merit() const { return knows_samples() ? "the most samples/s" : "the shortest step"; }
  [[nodiscard]] std::vector<StepWarning> warnings() const;
  /// For each column but the first, its differences by part, as a line: "x: +3 ms (+1.0 %) against y: beta +3 ms".
  [[nodiscard]] std::vector<std::string> differences() const;
};

/// Returns "12.5 ms"; "-" if the column has no value.
std::string value_text(const SideBySide::Row& row, std::size_t column);

/// Makes names unique: "ring", "ring (2)", ...
std::vector<std::string> distinct_names(std::vector<std::string> names);

std::string compare_json(const SideBySide& table);
std::string compare_text(const SideBySide& table);

} // namespace gradflight
