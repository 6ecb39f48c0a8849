// 3LC's zero-run encoding (Sec. 3.3): 2 to 14 bytes of 121 become one byte 243 + length - 2. Greedy from the left,
// fourteen at a time; a single 121 stays.
#pragma once

#include "models/codecs/parts/base3.hpp"
#include "models/codecs/parts/codec.hpp"

namespace gradflight::codec {

class ZeroRunEncoder {
public:
  /// Encodes more base-3^5 bytes; a run may go on over several calls. Returns the bytes written to `out`: at most
  /// `count`, and those of the run that was open before (largest_flush for runs of any length at finish).
  std::size_t encode(const std::uint8_t* bytes, std::size_t count, std::uint8_t* out);
  std::size_t finish(std::uint8_t* out);

  static constexpr std::size_t longest_run = 14;
  static constexpr std::size_t largest_flush = 1;

private:
  std::size_t run_ = 0; ///< 121s seen and not yet written, below longest_run
};

constexpr std::uint8_t first_run_code = base3::codes;

/// Base-3^5 bytes that a zero-run byte stands for.
constexpr std::size_t run_length(std::uint8_t byte) {
  return byte < first_run_code ? 1u : static_cast<std::size_t>(byte - first_run_code) + 2u;
}

} // namespace gradflight::codec
