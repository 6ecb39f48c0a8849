#include "models/codecs/values/ternary.hpp"

#include "models/codecs/parts/base3.hpp"
#include "models/codecs/parts/bits.hpp"
#include "models/codecs/parts/magnitude.hpp"
#include "models/codecs/values/threelc.hpp"
#include "models/random/philox.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace gradflight::codec::ternary {
namespace {

constexpr std::size_t header = sizeof(float);
constexpr std::size_t chunk_groups = 1024;
constexpr std::size_t chunk_values = chunk_groups * base3::group; // also a multiple of four

class TernaryCodec final : public Codec {
public:
  TernaryCodec(std::uint64_t seed, Implementation implementation)
      : seed_(seed), fast_(implementation == Implementation::simd) {}

  void encode(std::span<const float> values, std::span<float>, std::vector<std::byte>& out,
              std::uint64_t message) const override {
    out.resize(header + base3::groups_of(values.size()));
    const std::uint32_t key =
        (fast_ ? codec::simd::largest_key : codec::scalar::largest_key)(values.data(), nullptr, values.size());
    const bool finite = key < infinity_key;
    store(out.data(), finite ? key : quiet_nan_bits);
    auto* codes = reinterpret_cast<std::uint8_t*>(out.data() + header);
    if (!finite) {
      std::fill_n(codes, base3::groups_of(values.size()), base3::zeros);
      return;
    }
    // NOLINTNEXTLINE(*-member-init): filled chunk by chunk
    std::array<std::uint8_t, chunk_values + base3::pack_overread> digits;
    digits.fill(base3::zero_digit);
    for (std::size_t i = 0; i < values.size(); i += chunk_values, codes += chunk_groups) {
      const std::size_t count = std::min(chunk_values, values.size() - i);
      const std::size_t groups = base3::groups_of(count);
      (fast_ ? simd::quantise : scalar::quantise)(values.data() + i, i, count, float_of(key), {seed_, message},
                                                  digits.data());
      std::fill(digits.begin() + static_cast<std::ptrdiff_t>(count),
                digits.begin() + static_cast<std::ptrdiff_t>(groups * base3::group), base3::zero_digit);
      (fast_ ? base3::simd::pack : base3::scalar::pack)(digits.data(), groups, codes);
    }
  }

  DecodeStatus decode(std::span<const std::byte> bytes, std::span<float> values) const override {
    const std::size_t groups = base3::groups_of(values.size());
    if (bytes.size() < header + groups) return {"the stream ends before the last value", bytes.size()};
    if (bytes.size() > header + groups) return {"bytes follow the last value", header + groups};
    const auto scale = load<float>(bytes.data());
    if (std::isfinite(scale) && std::signbit(scale)) return {"the scale is negative", 0};
    const auto* codes = reinterpret_cast<const std::uint8_t*>(bytes.data() + header);
    const auto* beyond = std::find_if(codes, codes + groups, [](std::uint8_t code) { return code >= base3::codes; });
    if (beyond != codes + groups)
      return {"a byte above 242 holds no five digits", header + static_cast<std::size_t>(beyond - codes)};
    if (!std::isfinite(scale)) {
      std::fill(values.begin(), values.end(), float_of(quiet_nan_bits));
      return {};
    }
    // NOLINTNEXTLINE(*-member-init): filled chunk by chunk
    std::array<std::uint8_t, chunk_values + sizeof(std::uint64_t)> digits;
    for (std::size_t i = 0; i < values.size(); i += chunk_values, codes += chunk_groups) {
      const std::size_t count = std::min(chunk_values, values.size() - i);
      for (std::size_t g = 0; g < base3::groups_of(count); ++g)
        std::memcpy(digits.data() + g * base3::group, &base3::digits_of[codes[g]], sizeof(std::uint64_t));
      (fast_ ? threelc::simd::restore : threelc::scalar::restore)(digits.data(), count, scale, values.data() + i);
    }
    return {};
  }

private:
  std::uint64_t seed_;
  bool fast_;
};

constexpr std::uint32_t low(std::uint64_t word) { return static_cast<std::uint32_t>(word); }
constexpr std::uint32_t high(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); }

} // namespace

void scalar::quantise(const float* values, std::size_t first, std::size_t count, float scale, Draws draws,
                      std::uint8_t* digits) {
  Philox::Words words{};
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t element = first + i;
    if (i == 0 || element % 4 == 0)
      words = Philox::draw({low(element / 4), high(element / 4), low(draws.message), high(draws.message)},
                           low(draws.seed), high(draws.seed));
    // The product of two 24-bit numbers is exact in double.
    const double threshold = static_cast<double>(words[element % 4] >> 8) * 0x1p-24 * static_cast<double>(scale);
    const bool sent = threshold < static_cast<double>(std::fabs(values[i]));
    digits[i] = static_cast<std::uint8_t>(!sent ? 1 : values[i] > 0 ? 2 : 0);
  }
}

std::unique_ptr<Codec> make(std::uint64_t seed, Implementation implementation) {
  return std::make_unique<TernaryCodec>(seed, implementation);
}

} // namespace gradflight::codec::ternary
