// How much a top-k selection takes: the one place for k, and for what k entries weigh (gTop-k, Shi et al. 2019).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace gradflight {

/// Entries selected from `elements` at a density: floor(density * elements), at least 1; none of none.
inline std::int64_t topk_entries(double density, std::int64_t elements) {
  const auto entries = static_cast<std::int64_t>(std::floor(density * static_cast<double>(elements)));
  return std::min(std::max<std::int64_t>(entries, 1), elements);
}
/// Bytes of k entries: a 4-byte value and a 4-byte index each.
inline double topk_list_bytes(std::int64_t entries) { return 8.0 * static_cast<double>(entries); }

} // namespace gradflight
