#include "models/codecs/values/inceptionn.hpp"

#include "models/codecs/parts/bits.hpp"

#include <algorithm>

namespace gradflight::codec::inceptionn {
namespace {

constexpr std::uint32_t exponent_of_one = 127;

class InceptionnCodec final : public Codec {
public:
  InceptionnCodec(const Classes& classes, Implementation implementation)
      : classes_(classes), implementation_(implementation) {}

  void encode(std::span<const float> values, std::span<float>, std::vector<std::byte>& out,
              std::uint64_t) const override {
    out.clear();
    // NOLINTNEXTLINE(*-member-init): filled chunk by chunk
    std::array<std::byte, simd::chunk_room> room;
    const bool fast = implementation_ == Implementation::simd;
    const std::size_t step = fast ? simd::chunk_values : burst_values;
    for (std::size_t i = 0; i < values.size(); i += step) {
      const std::size_t count = std::min(step, values.size() - i);
      const std::size_t size = fast ? simd::encode_chunk(classes_, values.data() + i, count, room.data())
                                    : scalar::encode_burst(classes_, values.data() + i, count, room.data());
      out.insert(out.end(), room.begin(), room.begin() + static_cast<std::ptrdiff_t>(size));
    }
  }

  DecodeStatus decode(std::span<const std::byte> bytes, std::span<float> values) const override {
    return implementation_ == Implementation::simd ? simd::decode(classes_, bytes, values)
                                                   : scalar::decode(classes_, bytes, values);
  }

private:
  Classes classes_;
  Implementation implementation_;
};

} // namespace

Classes classes(int bound_bits, Variant variant) {
  const auto b = static_cast<std::uint32_t>(bound_bits);
  const std::uint32_t bound = exponent_of_one - b;
  const std::uint32_t middle = bound + (b + 1) / 2;
  const bool promoted = variant == Variant::promote && b > 7;
  Classes result{};
  result.zero_below = bound << 23;
  result.sixteen_from = (promoted ? bound : middle) << 23;
  result.eight_bit_fraction = variant == Variant::window ? exponent_of_one - middle + 7 : 7;
  return result;
}

ClassCounts count_classes(const Classes& classes, std::span<const float> values) {
  std::uint64_t from_eight = 0, from_sixteen = 0, raw = 0;
  for (const float value : values) {
    const std::uint32_t key = magnitude_key(value);
    from_eight += key >= classes.zero_below;
    from_sixteen += key >= classes.sixteen_from;
    raw += key >= bits_of(1.0f);
  }
  return {values.size() - from_eight, from_eight - from_sixteen, from_sixteen - raw, raw};
}

std::unique_ptr<Codec> make(int bound_bits, Variant variant, Implementation implementation) {
  return std::make_unique<InceptionnCodec>(classes(bound_bits, variant), implementation);
}

} // namespace gradflight::codec::inceptionn
