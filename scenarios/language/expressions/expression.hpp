// The value of a figure, computed from results: arithmetic over plain numbers and readings of experiments.
//
//  64 / iteration_time_s(AlexNet.P4)        min(time_s(a), time_s(b)) * 100
//  iteration_time_s(INC.8) < iteration_time_s(WA.8)
//
// The grammar is that of a sweep's condition (where.hpp), except for the names:
//  name = quantity "(" experiment ")"
// The quantity is as in analysis/run/result/fields/quantity.hpp. The experiment is the text up to the ")".
//
// Readings are plain numbers in the result's units (seconds, bytes). The expression converts them to the unit that the
// paper prints. The value is a number, or true or false.
#pragma once

#include "scenarios/language/expressions/where.hpp"

#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace gradflight {

struct Reading {
  std::string quantity, experiment;
  std::size_t quantity_offset = 0, experiment_offset = 0; ///< their offsets in the text
  friend bool operator==(const Reading& a, const Reading& b) {
    return a.quantity == b.quantity && a.experiment == b.experiment;
  }
};

class Expression {
public:
  /// Throws WhereError; also if kinds or dimensions do not match, or if the text divides by a constant zero.
  explicit Expression(const std::string& text);

  [[nodiscard]] const std::vector<Reading>& readings() const { return readings_; }
  /// Whether the value is true or false instead of a number.
  [[nodiscard]] bool is_statement() const { return statement_; }

  /// `values` are the values of the readings, in order. Throws WhereError if an intermediate number is not finite, so
  /// that a condition never depends on 1 / 0 unnoticed.
  [[nodiscard]] std::variant<bool, double> value(const std::vector<double>& values) const;

private:
  std::vector<Reading> readings_;
  std::shared_ptr<const Condition::Term> root_;
  bool statement_ = false;
};

} // namespace gradflight
