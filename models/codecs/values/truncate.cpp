#include "models/codecs/values/truncate.hpp"

#include "models/codecs/parts/bits.hpp"

namespace gradflight::codec::truncate {
namespace {

class TruncateCodec final : public Codec {
public:
  TruncateCodec(unsigned width, Implementation implementation)
      : width_(width), fast_(implementation == Implementation::simd) {}

  void encode(std::span<const float> values, std::span<float>, std::vector<std::byte>& out,
              std::uint64_t) const override {
    out.resize(packed_size(values.size(), width_));
    (fast_ ? simd::pack : scalar::pack)(values.data(), values.size(), width_, out.data());
  }

  DecodeStatus decode(std::span<const std::byte> bytes, std::span<float> values) const override {
    const std::size_t size = packed_size(values.size(), width_);
    if (bytes.size() < size) return {"the stream ends before the last code", bytes.size()};
    if (bytes.size() > size) return {"bytes follow the last code", size};
    const std::size_t used = values.size() * width_ % 8;
    if (used != 0 && std::to_integer<unsigned>(bytes.back()) >> used != 0)
      return {"the bits after the last code are not zero", size - 1};
    (fast_ ? simd::unpack : scalar::unpack)(bytes.data(), values.size(), width_, values.data());
    return {};
  }

private:
  unsigned width_;
  bool fast_;
};

} // namespace

namespace scalar {

void pack(const float* values, std::size_t count, unsigned width, std::byte* out) {
  std::uint64_t pending = 0;
  unsigned bits = 0;
  for (std::size_t i = 0; i < count; ++i) {
    pending |= static_cast<std::uint64_t>(bits_of(values[i]) >> (32 - width)) << bits;
    for (bits += width; bits >= 8; bits -= 8, pending >>= 8) *out++ = static_cast<std::byte>(pending);
  }
  if (bits > 0) *out = static_cast<std::byte>(pending);
}

void unpack(const std::byte* bytes, std::size_t count, unsigned width, float* values) {
  std::uint64_t pending = 0;
  unsigned bits = 0;
  for (std::size_t i = 0; i < count; ++i) {
    for (; bits < width; bits += 8) pending |= std::to_integer<std::uint64_t>(*bytes++) << bits;
    values[i] = float_of(static_cast<std::uint32_t>(pending << (32 - width)));
    pending >>= width;
    bits -= width;
  }
}

} // namespace scalar

std::unique_ptr<Codec> make(int lsb_bits, Implementation implementation) {
  return std::make_unique<TruncateCodec>(static_cast<unsigned>(32 - lsb_bits), implementation);
}

} // namespace gradflight::codec::truncate
