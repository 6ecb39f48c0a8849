// 3LC's zero-run encoding (Sec. 3.3): 2 to 14 bytes of 121 become one byte 243 + length - 2. The encoding is greedy
// from the left, at most fourteen bytes at a time. A single 121 stays.
#pragma once

#include "models/codecs/parts/base3.hpp"
#include "models/codecs/parts/codec.hpp"

namespace gradflight::codec {

class ZeroRunEncoder {
public:
  /// Encodes more base-3^5 bytes; a run may continue over several calls. Returns the bytes written to `out`: at most
  /// `count`, plus those of the run that was open before (finish() writes at most largest_flush).
  std::size_t encode(const std::uint8_t* bytes, std::size_t count, std::uint8_t* out);
  std::size_t finish(std::uint8_t* out);

  static constexpr std::size_t longest_run = 14;
  static constexpr std::size_t largest_flush = 1;

private:
  std::size_t run_ = 0; ///< number of 121s read but not yet written; below longest_run
};

constexpr std::uint8_t first_run_code = base3::codes;

/// Returns how many base-3^5 bytes a zero-run byte represents.
constexpr std::size_t run_length(std::uint8_t byte) {
  return byte < first_run_code ? 1u : static_cast<std::size_t>(byte - first_run_code) + 2u;
}

} // namespace gradflight::codec
