#include "models/codecs/parts/bits.hpp"
#include "models/codecs/values/inceptionn.hpp"

#include <algorithm>
#include <cmath>

namespace gradflight::codec::inceptionn::scalar {
namespace {

constexpr std::array<std::size_t, 4> payload_bytes = {0, 1, 2, 4};

unsigned tag_of(const Classes& classes, std::uint32_t key) {
  if (key >= bits_of(1.0f)) return 3;
  if (key >= classes.sixteen_from) return 2;
  return key >= classes.zero_below ? 1 : 0;
}

/// Returns sign and truncated magnitude. The result is exact, because scaling by a power of two is exact.
std::uint32_t fixed_point(float value, unsigned fraction, unsigned sign_position) {
  const auto magnitude = static_cast<std::uint32_t>(std::ldexp(std::fabs(value), static_cast<int>(fraction)));
  return magnitude | bits_of(value) >> 31 << sign_position;
}

std::uint32_t payload_of(const Classes& classes, float value, unsigned tag) {
  if (tag == 3) return bits_of(value);
  return tag == 2 ? fixed_point(value, 15, 15) : fixed_point(value, classes.eight_bit_fraction, 7);
}

float value_of(const Classes& classes, std::uint32_t payload, unsigned tag) {
  if (tag == 3) return float_of(payload);
  if (tag == 0) return 0.0f;
  const unsigned sign_position = tag == 2 ? 15 : 7;
  const unsigned fraction = tag == 2 ? 15 : classes.eight_bit_fraction;
  const std::uint32_t magnitude = payload & ((1u << sign_position) - 1);
  return std::copysign(std::ldexp(static_cast<float>(magnitude), -static_cast<int>(fraction)),
                       payload >> sign_position ? -1.0f : 1.0f);
}

} // namespace

std::size_t encode_burst(const Classes& classes, const float* values, std::size_t count, std::byte* out) {
  unsigned tags = 0;
  std::size_t size = 2;
  for (std::size_t lane = 0; lane < count; ++lane) {
    const unsigned tag = tag_of(classes, magnitude_key(values[lane]));
    tags |= tag << (2 * lane);
    if (tag == 0) continue;
    const std::uint32_t payload = payload_of(classes, values[lane], tag);
    std::memcpy(out + size, &payload, payload_bytes[tag]);
    size += payload_bytes[tag];
  }
  store(out, static_cast<std::uint16_t>(tags));
  return size;
}

DecodeStatus decode(const Classes& classes, std::span<const std::byte> bytes, std::span<float> values) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < values.size(); i += burst_values) {
    const std::size_t count = std::min(burst_values, values.size() - i);
    if (bytes.size() - at < 2) return {"the stream ends before the tags of a burst", at};
    const unsigned tags = load<std::uint16_t>(bytes.data() + at);
    if (tags >> (2 * count) != 0) return {"a tag beyond the last value is not zero", at};
    at += 2;
    for (std::size_t lane = 0; lane < count; ++lane) {
      const unsigned tag = tags >> (2 * lane) & 3;
      if (bytes.size() - at < payload_bytes[tag]) return {"the stream ends inside a burst", at};
      std::uint32_t payload = 0;
      if (tag != 0) std::memcpy(&payload, bytes.data() + at, payload_bytes[tag]);
      at += payload_bytes[tag];
      values[i + lane] = value_of(classes, payload, tag);
    }
  }
  if (at != bytes.size()) return {"bytes follow the last burst", at};
  return {};
}

} // namespace gradflight::codec::inceptionn::scalar
