// bfloat16 bit by bit, and each codec's nominal ratio compared with its encoded bytes.
#include "models/codecs/catalogue.hpp"
#include "models/codecs/values/bf16.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>

using namespace gradflight;

TEST_CASE("bf16 rounds to nearest even, and says its bytes") {
  using codec::bf16::bf16_of;
  CHECK(bf16_of(1.0f) == 0x3f80);
  CHECK(bf16_of(-2.5f) == 0xc020);
  CHECK(bf16_of(-0.0f) == 0x8000);
  CHECK(bf16_of(1.0f + 0x1p-8f) == 0x3f80);            // a tie: down to the even one
  CHECK(bf16_of(1.0f + 0x1p-7f + 0x1p-8f) == 0x3f82);  // a tie: up to the even one
  CHECK(bf16_of(1.0f + 0x1p-8f + 0x1p-20f) == 0x3f81); // beyond the tie
  CHECK(bf16_of(std::numeric_limits<float>::infinity()) == 0x7f80);
  CHECK(bf16_of(std::numeric_limits<float>::max()) == 0x7f80); // rounds to infinity
  CHECK(bf16_of(-std::numeric_limits<float>::quiet_NaN()) == 0x7fc0);
  const auto codec = codec::make_codec(codec::default_settings("bf16"));
  std::vector<std::byte> bytes;
  const std::vector<float> values = {1.0f, -2.5f, 0x1p-130f};
  codec->encode(values, bytes);
  REQUIRE(bytes.size() == 6);
  CHECK(bytes[0] == std::byte{0x80});
  CHECK(bytes[1] == std::byte{0x3f});
  std::vector<float> back(3);
  REQUIRE(codec->decode(bytes, back));
  CHECK(back == values); // all three values are exact in bfloat16
  CHECK_FALSE(codec->decode(std::span(bytes).first(5), back));
}

TEST_CASE("nominal ratios are those of long tensors' bytes, of threelc at most") {
  std::vector<float> long_tensor(1 << 20);
  for (std::size_t i = 0; i < long_tensor.size(); ++i)
    long_tensor[i] = std::sin(static_cast<float>(i) * 0.7f) * std::exp(-static_cast<float>(i % 97));
  for (const auto& info : codec::catalogue()) {
    if (info.name == "inceptionn") continue; // depends on the data
    const auto settings = codec::default_settings(info.name);
    std::vector<std::byte> bytes;
    codec::make_codec(settings)->encode(long_tensor, bytes);
    const double ratio = 4.0 * static_cast<double>(long_tensor.size()) / static_cast<double>(bytes.size());
    INFO(info.name);
    if (info.name == "threelc")
      CHECK(ratio >= codec::nominal_ratio(settings) * (1 - 1e-3));
    else
      CHECK(ratio == Approx(codec::nominal_ratio(settings)).epsilon(2e-3));
  }
}
