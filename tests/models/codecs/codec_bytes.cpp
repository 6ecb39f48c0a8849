// Encoded bytes derived by hand from the formats (docs/codecs.md).
#include "tests/models/codecs/codec_support.hpp"

#include "models/codecs/parts/zero_run.hpp"
#include "models/codecs/values/fp16.hpp"
#include "models/random/philox.hpp"

#include <catch2/catch.hpp>
#include <limits>

namespace gradflight::codec {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
const float nan = std::numeric_limits<float>::quiet_NaN();

using Bytes = std::vector<int>;

Settings with(const char* name, const char* parameter = nullptr, const char* value = nullptr) {
  Settings settings = default_settings(name);
  if (parameter) set(settings, parameter, value);
  return settings;
}

Bytes encoded(const Settings& settings, const std::vector<float>& values) {
  std::vector<std::byte> bytes;
  make_codec(settings)->encode(values, bytes);
  Bytes numbers;
  for (const std::byte b : bytes) numbers.push_back(std::to_integer<int>(b));
  return numbers;
}

std::vector<float> decoded(const Settings& settings, const Bytes& numbers, std::size_t count) {
  std::vector<std::byte> bytes;
  for (const int number : numbers) bytes.push_back(static_cast<std::byte>(number));
  std::vector<float> values(count);
  REQUIRE(make_codec(settings)->decode(bytes, values));
  return values;
}

TEST_CASE("INCEPTIONN's classes have the boundaries of the specification") {
  const auto tags = [](const char* bound, float value) {
    return encoded(with("inceptionn", "error_bound_log2", bound), {value}).at(0);
  };
  const auto below = [](float value) { return std::nextafter(value, 0.0f); };
  CHECK(tags("-10", 1.0f) == 3);
  CHECK(tags("-10", infinity) == 3);
  CHECK(tags("-10", nan) == 3);
  CHECK(tags("-10", below(1.0f)) == 2);
  CHECK(tags("-10", 0x1p-5f) == 2);
  CHECK(tags("-10", below(0x1p-5f)) == 1);
  CHECK(tags("-10", -0x1p-10f) == 1);
  CHECK(tags("-10", below(0x1p-10f)) == 0);
  CHECK(tags("-8", 0x1p-4f) == 2);
  CHECK(tags("-8", below(0x1p-4f)) == 1);
  CHECK(tags("-6", 0x1p-3f) == 2);
  CHECK(tags("-6", below(0x1p-3f)) == 1);
  CHECK(tags("-1", 0.5f) == 1); // MID is 127: no value takes 16 bits
  CHECK(tags("-1", below(0.5f)) == 0);
  const Settings promote = with("inceptionn", "variant", "promote");
  CHECK(encoded(promote, {0x1p-10f}).at(0) == 2);
}

TEST_CASE("INCEPTIONN packs eight tags and then the payloads") {
  // 0.75 = 0.11b: 24576 / 2^15. 2^-7 x 1.5 = 0x1.8p-7: 48 / 2^12. -2^-9: sign and 8 / 2^12.
  const std::vector<float> values = {0.75f, 0.0f, 0x1.8p-7f, -0x1p-9f, 2.0f, -0.0f, -0.75f, 0x1p-11f};
  const int low = 2 | 0 << 2 | 1 << 4 | 1 << 6, high = 3 | 0 << 2 | 2 << 4 | 0 << 6;
  const Bytes wanted = {low, high, 0x00, 0x60, 48, 0x88, 0x00, 0x00, 0x00, 0x40, 0x00, 0xe0};
  CHECK(encoded(with("inceptionn"), values) == wanted);
  CHECK(decoded(with("inceptionn"), wanted, 8) ==
        std::vector<float>{0.75f, 0.0f, 0x1.8p-7f, -0x1p-9f, 2.0f, 0.0f, -0.75f, 0.0f});
  // The published 8-bit window loses values below 2^-7.
  CHECK(encoded(with("inceptionn", "variant", "literal"), {0x1.8p-7f, 0x1.8p-8f}) == Bytes{5, 0, 1, 0});
  CHECK(encoded(with("inceptionn"), {}).empty());
  CHECK(encoded(with("inceptionn"), {0.0f}) == Bytes{0, 0});
}

TEST_CASE("truncation packs its codes from the lowest bit up") {
  CHECK(encoded(with("truncate"), {1.0f, -2.0f}) == Bytes{0x80, 0x3f, 0x00, 0xc0});
  CHECK(encoded(with("truncate", "lsb_bits", "24"), {1.0f}) == Bytes{0x3f});
  CHECK(decoded(with("truncate", "lsb_bits", "24"), {0x3f}, 1) == std::vector<float>{0.5f});
  // 1.0 >> 22 = 0xfe, -2.0 >> 22 = 0x300: ten bits each.
  CHECK(encoded(with("truncate", "lsb_bits", "22"), {1.0f, -2.0f}) == Bytes{0xfe, 0x00, 0x0c});
  CHECK(decoded(with("truncate", "lsb_bits", "24"), encoded(with("truncate", "lsb_bits", "24"), {infinity, nan}), 2) ==
        std::vector<float>{0x1p127f, 0x1p127f});
  CHECK(decoded(with("truncate"), {0x80, 0x7f}, 1) == std::vector<float>{infinity}); // a NaN with only low payload bits
}

TEST_CASE("8-bit codes round to nearest even and keep to 127 levels") {
  // The largest value is 127, so codes are the rounded values.
  const Bytes wanted = {0x00, 0x00, 0xfe, 0x42, 127, 0, 2, 2, 0xfe, 0x81};
  CHECK(encoded(with("quantize8"), {127.0f, 0.5f, 1.5f, 2.5f, -2.5f, -127.0f}) == wanted);
  CHECK(decoded(with("quantize8"), wanted, 6) == std::vector<float>{127, 0, 2, 2, -2, -127});
  CHECK(encoded(with("quantize8"), {0.0f, -0.0f}) == Bytes{0, 0, 0, 0, 0, 0});
  CHECK(encoded(with("quantize8"), {}) == Bytes{0, 0, 0, 0});
  const float tiny = std::numeric_limits<float>::denorm_min();
  CHECK(decoded(with("quantize8"), encoded(with("quantize8"), {tiny, -tiny}), 2) == std::vector<float>{tiny, -tiny});
  const float most = std::numeric_limits<float>::max();
  CHECK(decoded(with("quantize8"), encoded(with("quantize8"), {most, -most}), 2) == std::vector<float>{most, -most});
}

TEST_CASE("scales that are not finite give NaN everywhere and leave the residual") {
  const std::vector<float> values = {1.0f, infinity, -3.0f, nan, 0.5f, 2.0f};
  for (const char* name : {"quantize8", "threelc", "ternary", "onebit"}) {
    INFO(name);
    const auto codec = make_codec(default_settings(name));
    std::vector<float> residual(values.size(), 0.25f), out(values.size());
    std::vector<std::byte> bytes;
    codec->encode(values, codec->keeps_residual() ? std::span<float>(residual) : std::span<float>(), bytes);
    CHECK(residual == std::vector<float>(values.size(), 0.25f));
    REQUIRE(codec->decode(bytes, out));
    for (const float value : out) CHECK(std::isnan(value));
  }
  // The sum, or the multiplied scale, may overflow.
  const float most = std::numeric_limits<float>::max();
  CHECK(std::isnan(decoded(with("threelc", "sparsity_multiplier", "1.5"),
                           encoded(with("threelc", "sparsity_multiplier", "1.5"), {most}), 1)[0]));
}

TEST_CASE("3LC: scale, base-3^5 and zero runs") {
  // Digits 2 0 1 2 1 | 1 1 (1 1 1).
  const Bytes wanted = {0, 0, 0, 0x40, 81 * 2 + 0 + 9 + 3 * 2 + 1, 121};
  CHECK(encoded(with("threelc"), {2.0f, -2.0f, 1.0f, 1.5f, 0.0f, -1.0f, 0.5f}) == wanted); // ties go to zero
  CHECK(decoded(with("threelc"), wanted, 7) == std::vector<float>{2, -2, 0, 2, 0, 0, 0});
  const auto zeros = [](std::size_t groups) {
    Bytes bytes = encoded(with("threelc"), std::vector<float>(5 * groups, 0.0f));
    bytes.erase(bytes.begin(), bytes.begin() + 4);
    return bytes;
  };
  CHECK(zeros(1) == Bytes{121});
  CHECK(zeros(2) == Bytes{243});
  CHECK(zeros(14) == Bytes{255});
  CHECK(zeros(15) == Bytes{255, 121});
  CHECK(zeros(17) == Bytes{255, 244});
  CHECK(zeros(2048) == [] {
    Bytes many(146, 255); // 146 x 14 + 4
    many.push_back(245);
    return many;
  }());
  // Both papers' paddings decode: digit 0 here, and digit 1 above.
  CHECK(decoded(with("threelc"), {0, 0, 0, 0x40, 81 * 2}, 1) == std::vector<float>{2});
}

TEST_CASE("3LC sends residual and value together and keeps the rest") {
  std::vector<float> residual = {0.5f, 0.0f, -0.25f};
  const std::vector<float> values = {1.5f, 0.75f, -0.5f};
  std::vector<std::byte> bytes;
  const auto codec = make_codec(with("threelc", "sparsity_multiplier", "1.5"));
  codec->encode(values, residual, bytes); // M = 2 x 1.5; values above 1.5 are sent
  std::vector<float> out(3);
  REQUIRE(codec->decode(bytes, out));
  CHECK(out == std::vector<float>{3, 0, 0});
  CHECK(residual == std::vector<float>{-1, 0.75f, -0.75f});
}

TEST_CASE("1-bit sends the means of negatives and others") {
  const Bytes wanted = {0, 0, 0, 0xc0, 0, 0, 0x80, 0x3f, 0b10101};
  CHECK(encoded(with("onebit"), {1.0f, -1.0f, 2.0f, -3.0f, -0.0f}) == wanted);
  CHECK(decoded(with("onebit"), wanted, 5) == std::vector<float>{1, -2, 1, -2, 1});
  CHECK(encoded(with("onebit"), {}) == Bytes(8, 0));
}

TEST_CASE("sparse codecs send the largest, ties to the lower index") {
  const Settings half = with("bitmap_sparse", "density", "0.5");
  CHECK(encoded(half, {1.0f, -2.0f, 2.0f, -2.0f}) == Bytes{0b0110, 0, 0, 0, 0xc0, 0, 0, 0, 0x40});
  CHECK(encoded(half, {}).empty());
  const Settings pairs = with("topk", "density", "0.5");
  CHECK(encoded(pairs, {1.0f, -2.0f, 2.0f, -2.0f}) ==
        Bytes{2, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0xc0, 0, 0, 0, 0x40});
  CHECK(encoded(pairs, {}) == Bytes{0, 0, 0, 0});
  CHECK(encoded(pairs, {nan, 5.0f}).at(4) == 0); // NaN is sent, not hidden in the residual
}

TEST_CASE("binary16 has its special values") {
  using fp16::scalar::half_of;
  CHECK(half_of(1.0f) == 0x3c00);
  CHECK(half_of(65519.99f) == 0x7bff);
  CHECK(half_of(65520.0f) == 0x7c00);
  CHECK(half_of(-infinity) == 0xfc00);
  CHECK(half_of(nan) == 0x7e00);
  CHECK(half_of(-nan) == 0x7e00);
  CHECK(half_of(0x1p-24f) == 1);
  CHECK(half_of(0x1p-25f) == 0);             // a tie, to even
  CHECK(half_of(0x1.8p-24f) == 2);           // a tie, to even
  CHECK(half_of(0x1.ffep-15f) == 0x3ff + 1); // rounds up into the normal ones
  CHECK(half_of(1.0f + 0x1p-11f) == 0x3c00);
  CHECK(half_of(1.0f + 0x1.8p-10f) == 0x3c02);
  CHECK(fp16::scalar::float_of_half(0x0001) == 0x1p-24f);
  CHECK(fp16::scalar::float_of_half(0x8400) == -0x1p-14f);
}

TEST_CASE("Philox draws the words of its authors' test vectors") {
  using Words = Philox::Words;
  CHECK(Philox::draw({0, 0, 0, 0}, 0, 0) == Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(Philox::draw({~0u, ~0u, ~0u, ~0u}, ~0u, ~0u) == Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(Philox::draw({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0xa4093822, 0x299f31d0) ==
        Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("ternary sends a value where its number is below its share of the scale") {
  // Word 0 of the zero counter and key is 0x6627e8d5, so u = 0.399: 0.5 of the largest value is sent, and 0.39 is not.
  CHECK(encoded(with("ternary"), {0.5f, 0.0f, 0.0f, 0.0f, -1.0f}).at(4) == 81 * 2 + 27 + 9 + 3 + 0);
  CHECK(encoded(with("ternary"), {0.39f, 0.0f, 0.0f, 0.0f, -1.0f}).at(4) == 81 + 27 + 9 + 3 + 0);
}

TEST_CASE("zero runs go on from call to call") {
  ZeroRunEncoder encoder;
  const std::vector<std::uint8_t> zeros(20, base3::zeros);
  std::uint8_t out[32];
  CHECK(encoder.encode(zeros.data(), 10, out) == 0);
  CHECK(encoder.encode(zeros.data(), 5, out) == 1);
  CHECK(out[0] == 255);
  CHECK(encoder.finish(out) == 1);
  CHECK(out[0] == base3::zeros);
}

} // namespace
} // namespace gradflight::codec
