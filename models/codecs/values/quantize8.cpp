#include "models/codecs/values/quantize8.hpp"

#include "models/codecs/parts/bits.hpp"
#include "models/codecs/parts/magnitude.hpp"

#include <algorithm>
#include <cmath>

namespace gradflight::codec::quantize8 {
namespace {

constexpr std::size_t header = sizeof(float);

class Quantize8Codec final : public Codec {
public:
  explicit Quantize8Codec(Implementation implementation) : fast_(implementation == Implementation::simd) {}

  void encode(std::span<const float> values, std::span<float>, std::vector<std::byte>& out,
              std::uint64_t) const override {
    out.resize(header + values.size());
    const std::uint32_t key =
        (fast_ ? codec::simd::largest_key : codec::scalar::largest_key)(values.data(), nullptr, values.size());
    const bool finite = key < infinity_key;
    store(out.data(), finite ? key : quiet_nan_bits);
    auto* codes = reinterpret_cast<std::int8_t*>(out.data() + header);
    if (finite && key > 0)
      (fast_ ? simd::quantise : scalar::quantise)(values.data(), values.size(), float_of(key), codes);
    else
      std::fill_n(codes, values.size(), std::int8_t{0});
  }

  DecodeStatus decode(std::span<const std::byte> bytes, std::span<float> values) const override {
    if (bytes.size() < header + values.size()) return {"the stream ends before the last code", bytes.size()};
    if (bytes.size() > header + values.size()) return {"bytes follow the last code", header + values.size()};
    const auto largest = load<float>(bytes.data());
    if (std::isfinite(largest) && std::signbit(largest)) return {"the scale is negative", 0};
    const auto* codes = reinterpret_cast<const std::int8_t*>(bytes.data() + header);
    const bool good = (fast_ ? simd::restore : scalar::restore)(codes, values.size(), largest, values.data());
    if (!good) {
      const auto* at = std::find(codes, codes + values.size(), std::int8_t{-128});
      return {"a code is -128", header + static_cast<std::size_t>(at - codes)};
    }
    if (!std::isfinite(largest)) std::fill(values.begin(), values.end(), float_of(quiet_nan_bits));
    return {};
  }

private:
  bool fast_;
};

} // namespace

namespace scalar {

void quantise(const float* values, std::size_t count, float largest, std::int8_t* codes) {
  for (std::size_t i = 0; i < count; ++i) {
    // The product has 31 bits and is exact. A quotient that is not a tie is at least 2^-32 away from one, so rounding
    // to double cannot turn it into a tie.
    const double quotient = static_cast<double>(values[i]) * 127.0 / static_cast<double>(largest);
    codes[i] = static_cast<std::int8_t>(std::nearbyint(quotient));
  }
}

bool restore(const std::int8_t* codes, std::size_t count, float largest, float* values) {
  const double step = static_cast<double>(largest) / 127.0;
  bool good = true;
  for (std::size_t i = 0; i < count; ++i) {
    good = good && codes[i] != -128;
    values[i] = static_cast<float>(static_cast<double>(codes[i]) * step);
  }
  return good;
}

} // namespace scalar

std::unique_ptr<Codec> make(Implementation implementation) { return std::make_unique<Quantize8Codec>(implementation); }

} // namespace gradflight::codec::quantize8
