// The size of a selection: the only definition of k, and of the bytes of k entries (gTop-k, Shi et al. 2019).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace gradflight {

/// Returns share * count, or the nearest integer if they differ only by rounding. For example 0.29 of 100 is 29,
/// although the product of the two doubles is less; and 0.07 of 100 is 7, although that product is more.
inline double share_of(double share, double count) {
  const double product = share * count, whole = std::round(product);
  return std::abs(product - whole) <= 1e-12 * whole ? whole : product;
}
/// Returns the entries selected from `elements` at a density: floor(density * elements), at least 1; 0 for no elements.
inline std::int64_t topk_entries(double density, std::int64_t elements) {
  const auto entries = static_cast<std::int64_t>(std::floor(share_of(density, static_cast<double>(elements))));
  return std::min(std::max<std::int64_t>(entries, 1), elements);
}
/// Returns the bytes of k entries, each with a value of `width` bytes and a 4-byte index.
inline double topk_list_bytes(std::int64_t entries, int width = 4) {
  return (4.0 + width) * static_cast<double>(entries);
}

} // namespace gradflight
