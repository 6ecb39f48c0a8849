// Uses the ratio of bus bandwidth to algorithm bandwidth to find a table's operation or number of ranks.
#pragma once

#include "analysis/evidence/measured/measured_table.hpp"

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gradflight::measured {

/// A printed number, and half of the unit of its last digit.
struct Printed {
  double value = 0, half_unit = 0;
};
/// Returns nothing if the text is not a finite number.
std::optional<Printed> printed_number(std::string_view text);

/// The values of one half of a row.
struct Rate {
  double size = 0;
  Printed time_us, algbw, busbw; ///< bandwidths in GB/s
  int line = 0;

  /// Whether algbw is size / time, within the printed digits and 1 %.
  [[nodiscard]] bool consistent() const;
};

/// The range of bus bandwidth factors (bus_factor) that all rows allow, within their printed digits.
class FactorRange {
public:
  /// Narrows the range by a row. Ignores a row that contradicts the others, and returns false.
  bool narrow(const Rate& rate);
  [[nodiscard]] bool known() const { return most_ < std::numeric_limits<double>::infinity(); }
  [[nodiscard]] bool holds(Operation op, int ranks) const;
  /// Returns the smallest and largest matching number of ranks; {0, 0} if unknown, or if no number matches.
  [[nodiscard]] std::pair<int, int> ranks(Operation op) const;
  /// Returns the matching operations: for `ranks` ranks, or for any number of ranks if that is 0.
  [[nodiscard]] std::vector<Operation> operations(const std::vector<Operation>& possible, int ranks) const;
  /// Returns "busbw / algbw = 1.75".
  [[nodiscard]] std::string text() const;

private:
  double least_ = 0, most_ = std::numeric_limits<double>::infinity();
};

} // namespace gradflight::measured
