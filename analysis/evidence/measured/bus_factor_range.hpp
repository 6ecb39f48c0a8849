// What the ratio of bus bandwidth to algorithm bandwidth says of a table: its operation, or how many ranks it has.
#pragma once

#include "analysis/evidence/measured/measured_table.hpp"

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gradflight::measured {

/// A number as printed, and the half of its last digit's unit.
struct Printed {
  double value = 0, half_unit = 0;
};
/// None: it is no finite number.
std::optional<Printed> printed_number(std::string_view text);

/// What one half of a row says.
struct Rate {
  double size = 0;
  Printed time_us, algbw, busbw; ///< GB/s
  int line = 0;

  /// Whether algbw is size / time, within the printed digits and 1 %.
  [[nodiscard]] bool consistent() const;
};

/// The factors of bus bandwidth (bus_factor) that all rows allow, within their printed digits.
class FactorRange {
public:
  /// A row that contradicts the others is not taken; gives whether it was.
  bool narrow(const Rate& rate);
  [[nodiscard]] bool known() const { return most_ < std::numeric_limits<double>::infinity(); }
  [[nodiscard]] bool holds(Operation op, int ranks) const;
  /// The numbers of ranks that fit, from the least to the most; {0, 0}: they tell nothing, or none fits.
  [[nodiscard]] std::pair<int, int> ranks(Operation op) const;
  /// Of these operations those that fit: among `ranks`, or among any number where that is 0.
  [[nodiscard]] std::vector<Operation> operations(const std::vector<Operation>& possible, int ranks) const;
  /// "busbw / algbw = 1.75"
  [[nodiscard]] std::string text() const;

private:
  double least_ = 0, most_ = std::numeric_limits<double>::infinity();
};

} // namespace gradflight::measured
