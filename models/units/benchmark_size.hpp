// Sizes as benchmarks of collectives write and take them: bytes without a unit, or one letter for 2^10, 2^20 or 2^30.
#pragma once

#include <string>
#include <string_view>

namespace gradflight {

/// Returns the size with the unit that it means, for parse_quantity: "4096" becomes "4096B", "1.5M" becomes "1.5MiB".
/// Other text stays, as does a fraction without a unit.
std::string with_byte_unit(std::string_view text);

} // namespace gradflight
