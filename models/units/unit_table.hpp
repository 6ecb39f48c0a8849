// The units of each dimension with all their spellings: one table for the reader, its hints and the JSON Schema.
#pragma once

#include "models/units/unit_text.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gradflight {

/// One unit is 10^decimal * factor base units. The power of ten joins the number's own exponent before it is rounded;
/// factors other than powers of two (min, h, d) cost one more rounding.
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

/// The scale of the unit that `spelling` means: one of units_of, or another spelling of a unit ("Gb/s", "usec"). A
/// spelling with a small b always counts bits, one with a large B bytes.
std::optional<UnitScale> unit_spelt(std::string_view spelling, Dimension dimension);

/// The unit of units_of that a mistyped `spelling` most likely means; empty where none is near. The result counts what
/// the spelling counts: a text that names neither bits nor bytes gets no hint where both are possible.
std::string nearest_unit(std::string_view spelling, Dimension dimension);

} // namespace gradflight
