#include "models/codecs/values/fp16.hpp"

#include "models/codecs/parts/bits.hpp"

namespace gradflight::codec::fp16 {
namespace {

class Fp16Codec final : public Codec {
public:
  explicit Fp16Codec(Implementation implementation) : implementation_(implementation) {}

  void encode(std::span<const float> values, std::span<float>, std::vector<std::byte>& out,
              std::uint64_t) const override {
    out.resize(2 * values.size());
    (implementation_ == Implementation::simd ? simd::to_half : scalar::to_half)(values.data(), values.size(),
                                                                                out.data());
  }

  DecodeStatus decode(std::span<const std::byte> bytes, std::span<float> values) const override {
    if (bytes.size() < 2 * values.size()) return {"the stream ends before the last value", bytes.size()};
    if (bytes.size() > 2 * values.size()) return {"bytes follow the last value", 2 * values.size()};
    (implementation_ == Implementation::simd ? simd::from_half : scalar::from_half)(bytes.data(), values.size(),
                                                                                    values.data());
    return {};
  }

private:
  Implementation implementation_;
};

} // namespace

namespace scalar {

std::uint16_t half_of(float value) {
  const std::uint32_t key = magnitude_key(value);
  const auto sign = static_cast<std::uint16_t>(bits_of(value) >> 16 & 0x8000u);
  if (key > infinity_key) return 0x7e00;
  if (key >= bits_of(65520.0f)) return sign | 0x7c00u;
  const int exponent = static_cast<int>(key >> 23) - 127;
  if (exponent < -25) return sign; // at most half of the smallest subnormal rounds to zero
  // A normal half keeps 10 bits below the leading one; a subnormal half keeps all bits from 2^-24 up.
  const unsigned dropped = exponent >= -14 ? 13 : static_cast<unsigned>(-1 - exponent);
  const std::uint32_t mantissa = (key & 0x7fffffu) | 0x800000u;
  std::uint32_t kept = mantissa >> dropped;
  const std::uint32_t rest = mantissa & ((1u << dropped) - 1), half = 1u << (dropped - 1);
  if (rest > half || (rest == half && (kept & 1u) != 0)) ++kept; // a carry moves into the exponent, which is correct
  if (exponent >= -14) kept += static_cast<std::uint32_t>(exponent + 14) << 10;
  return static_cast<std::uint16_t>(sign | kept);
}

float float_of_half(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000u) << 16;
  const std::uint32_t exponent = half >> 10 & 31u, mantissa = half & 0x3ffu;
  if (exponent == 31) return float_of(sign | infinity_key | mantissa << 13);
  if (exponent > 0) return float_of(sign | (exponent + 112) << 23 | mantissa << 13);
  return float_of(sign | bits_of(static_cast<float>(mantissa) * 0x1p-24f));
}

void to_half(const float* values, std::size_t count, std::byte* out) {
  for (std::size_t i = 0; i < count; ++i) store(out + 2 * i, half_of(values[i]));
}

void from_half(const std::byte* bytes, std::size_t count, float* values) {
  for (std::size_t i = 0; i < count; ++i) values[i] = float_of_half(load<std::uint16_t>(bytes + 2 * i));
}

} // namespace scalar

std::unique_ptr<Codec> make(Implementation implementation) { return std::make_unique<Fp16Codec>(implementation); }

} // namespace gradflight::codec::fp16
