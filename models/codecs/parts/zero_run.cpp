#include "models/codecs/parts/zero_run.hpp"

#include <cstring>

namespace gradflight::codec {
namespace {

/// Returns the byte for a run of 1 to 14.
std::uint8_t run_code(std::size_t run) {
  return run == 1 ? base3::zeros : static_cast<std::uint8_t>(first_run_code + run - 2);
}

} // namespace

std::size_t ZeroRunEncoder::encode(const std::uint8_t* bytes, std::size_t count, std::uint8_t* out) {
  constexpr std::uint64_t eight_zeros = 0x0101010101010101ull * base3::zeros;
  std::uint8_t* to = out;
  std::size_t run = run_;
  for (std::size_t i = 0; i < count;) {
    std::uint64_t word = 0;
    if (count - i >= sizeof word) std::memcpy(&word, bytes + i, sizeof word);
    if (word == eight_zeros) { // the common case in sparse tensors
      run += sizeof word;
      i += sizeof word;
      if (run >= longest_run) {
        *to++ = run_code(longest_run);
        run -= longest_run;
      }
      continue;
    }
    const std::uint8_t byte = bytes[i++];
    if (byte == base3::zeros) {
      if (++run == longest_run) {
        *to++ = run_code(longest_run);
        run = 0;
      }
      continue;
    }
    if (run > 0) *to++ = run_code(run);
    run = 0;
    *to++ = byte;
  }
  run_ = run;
  return static_cast<std::size_t>(to - out);
}

std::size_t ZeroRunEncoder::finish(std::uint8_t* out) {
  const std::size_t run = run_;
  run_ = 0;
  if (run == 0) return 0;
  *out = run_code(run);
  return 1;
}

} // namespace gradflight::codec
