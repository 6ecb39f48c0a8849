#include "models/codecs/values/bf16.hpp"

#include "models/codecs/parts/bits.hpp"

namespace gradflight::codec::bf16 {

std::uint16_t bf16_of(float value) {
  if (magnitude_key(value) > infinity_key) return 0x7fc0;
  const std::uint32_t bits = bits_of(value);
  const std::uint32_t even = bits >> 16 & 1u; // a tie rounds to the even neighbour
  return static_cast<std::uint16_t>((bits + 0x7fffu + even) >> 16);
}

float float_of_bf16(std::uint16_t half) { return float_of(static_cast<std::uint32_t>(half) << 16); }

namespace {

/// The implementation for both choices: compilers vectorize these plain loops.
class Bf16Codec final : public Codec {
public:
  void encode(std::span<const float> values, std::span<float>, std::vector<std::byte>& out,
              std::uint64_t) const override {
    out.resize(2 * values.size());
    for (std::size_t i = 0; i < values.size(); ++i) store(out.data() + 2 * i, bf16_of(values[i]));
  }

  DecodeStatus decode(std::span<const std::byte> bytes, std::span<float> values) const override {
    if (bytes.size() < 2 * values.size()) return {"the stream ends before the last value", bytes.size()};
    if (bytes.size() > 2 * values.size()) return {"bytes follow the last value", 2 * values.size()};
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = float_of_bf16(load<std::uint16_t>(bytes.data() + 2 * i));
    return {};
  }
};

} // namespace

std::unique_ptr<Codec> make() { return std::make_unique<Bf16Codec>(); }

} // namespace gradflight::codec::bf16
