// How much a selection takes: the one place for k, and for what k entries weigh (gTop-k, Shi et al. 2019).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace gradflight {

/// share * count, whole where only rounding keeps it from being so: 0.29 of 100 is 29, though the product of the two
/// doubles is less, and 0.07 of 100 is 7, though theirs is more.
inline double share_of(double share, double count) {
  const double product = share * count, whole = std::round(product);
  return std::abs(product - whole) <= 1e-12 * whole ? whole : product;
}
/// Entries selected from `elements` at a density: floor(density * elements), at least 1; none of none.
inline std::int64_t topk_entries(double density, std::int64_t elements) {
  const auto entries = static_cast<std::int64_t>(std::floor(share_of(density, static_cast<double>(elements))));
  return std::min(std::max<std::int64_t>(entries, 1), elements);
}
/// Bytes of k entries: a value of `width` bytes and a 4-byte index each.
inline double topk_list_bytes(std::int64_t entries, int width = 4) {
  return (4.0 + width) * static_cast<double>(entries);
}

} // namespace gradflight
