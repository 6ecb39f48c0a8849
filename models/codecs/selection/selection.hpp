// The k entries of largest magnitude, exactly: by magnitude_key descending, then by index ascending. NaN and infinity
// come first; zeros come last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gradflight::codec {

/// Indices ascending, each with its value.
struct SparseVector {
  std::vector<std::uint32_t> indices;
  std::vector<float> values;

  [[nodiscard]] std::size_t size() const { return indices.size(); }
  friend bool operator==(const SparseVector&, const SparseVector&) = default;
};

/// Longer tensors exceed the 32-bit indices, so selection does not support them.
constexpr std::size_t most_indexed = std::size_t{1} << 32;

namespace scalar {
SparseVector select_largest(std::span<const float> values, std::size_t k);
} // namespace scalar

namespace simd {
SparseVector select_largest(std::span<const float> values, std::size_t k);
} // namespace simd

} // namespace gradflight::codec
