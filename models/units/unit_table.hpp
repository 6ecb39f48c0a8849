// The units of each dimension with all spellings: one table for the parser, its hints and the JSON Schema.
#pragma once

#include "models/units/unit_text.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gradflight {

/// One unit is 10^decimal * factor base units. The power of ten is added to the number's own exponent before rounding.
/// Factors other than powers of two (min, h, d) add one more rounding.
struct UnitScale {
  int decimal;
  double factor;
};

struct Unit {
  const char* name;
  UnitScale scale;
};

/// The units that messages list and that format_quantity writes; the first is the base unit.
std::span<const Unit> units_of(Dimension dimension);

/// Returns the scale of the unit that `spelling` means: one of units_of, or another spelling of it ("Gb/s", "usec"). A
/// spelling with a small b always counts bits, one with a large B bytes.
std::optional<UnitScale> unit_spelt(std::string_view spelling, Dimension dimension);

/// Returns the unit in units_of that a mistyped `spelling` most likely means; empty if none is near. The result counts
/// bits or bytes as the spelling does. A text that names neither gets no hint if both are possible.
std::string nearest_unit(std::string_view spelling, Dimension dimension);

} // namespace gradflight
