#include "models/codecs/values/onebit.hpp"

#include "models/codecs/parts/bits.hpp"
#include "models/codecs/parts/magnitude.hpp"

#include <algorithm>
#include <cmath>

namespace gradflight::codec::onebit {
namespace {

constexpr std::size_t header = 2 * sizeof(float);

class OnebitCodec final : public Codec {
public:
  explicit OnebitCodec(Implementation implementation) : fast_(implementation == Implementation::simd) {}

  [[nodiscard]] bool keeps_residual() const override { return true; }

  void encode(std::span<const float> values, std::span<float> residual, std::vector<std::byte>& out,
              std::uint64_t) const override {
    const std::size_t size = (values.size() + 7) / 8;
    out.resize(header + size);
    float* const kept = residual.empty() ? nullptr : residual.data();
    const std::uint32_t key =
        (fast_ ? codec::simd::largest_key : codec::scalar::largest_key)(values.data(), kept, values.size());
    if (key >= infinity_key) {
      std::fill(out.begin(), out.end(), std::byte{0});
      store(out.data(), quiet_nan_bits);
      store(out.data() + sizeof(float), quiet_nan_bits);
      return;
    }
    auto* bitmap = reinterpret_cast<std::uint8_t*>(out.data() + header);
    const Means means = (fast_ ? simd::classify : scalar::classify)(values.data(), kept, values.size(), bitmap);
    store(out.data(), means.negative);
    store(out.data() + sizeof(float), means.other);
    if (kept) (fast_ ? simd::keep : scalar::keep)(values.data(), kept, values.size(), means);
  }

  DecodeStatus decode(std::span<const std::byte> bytes, std::span<float> values) const override {
    const std::size_t size = header + (values.size() + 7) / 8;
    if (bytes.size() < size) return {"the stream ends before the last bit", bytes.size()};
    if (bytes.size() > size) return {"bytes follow the bitmap", size};
    if (values.size() % 8 != 0 && std::to_integer<unsigned>(bytes.back()) >> values.size() % 8 != 0)
      return {"a bit beyond the last value is set", size - 1};
    const Means means = {load<float>(bytes.data()), load<float>(bytes.data() + sizeof(float))};
    if (!std::isfinite(means.negative) || !std::isfinite(means.other)) {
      std::fill(values.begin(), values.end(), float_of(quiet_nan_bits));
      return {};
    }
    const auto* bitmap = reinterpret_cast<const std::uint8_t*>(bytes.data() + header);
    (fast_ ? simd::restore : scalar::restore)(bitmap, values.size(), means, values.data());
    return {};
  }

private:
  bool fast_;
};

} // namespace

namespace scalar {

Means classify(const float* values, const float* residual, std::size_t count, std::uint8_t* bitmap) {
  ClassSum negative, other;
  for (std::size_t i = 0; i < count; ++i) {
    const float total = residual ? residual[i] + values[i] : values[i];
    ClassSum& sum = total >= 0 ? other : negative;
    sum.part[i % 8] += static_cast<double>(total);
    ++sum.count;
    if (i % 8 == 0) bitmap[i / 8] = 0;
    if (total >= 0) bitmap[i / 8] = static_cast<std::uint8_t>(bitmap[i / 8] | 1u << i % 8);
  }
  return {negative.mean(), other.mean()};
}

void restore(const std::uint8_t* bitmap, std::size_t count, Means means, float* values) {
  for (std::size_t i = 0; i < count; ++i) values[i] = (bitmap[i / 8] >> i % 8 & 1) != 0 ? means.other : means.negative;
}

void keep(const float* values, float* residual, std::size_t count, Means means) {
  for (std::size_t i = 0; i < count; ++i) {
    const float total = residual[i] + values[i];
    residual[i] = total - (total >= 0 ? means.other : means.negative);
  }
}

} // namespace scalar

std::unique_ptr<Codec> make(Implementation implementation) { return std::make_unique<OnebitCodec>(implementation); }

} // namespace gradflight::codec::onebit
