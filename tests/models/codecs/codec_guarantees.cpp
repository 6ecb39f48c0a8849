// The guarantees of each codec on random tensors: error bounds, sizes, conservation, and rejection of malformed input.
#include "tests/models/codecs/codec_support.hpp"

#include "models/codecs/values/inceptionn.hpp"
#include "tests/support/effort.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <rapidcheck.h>

namespace gradflight::codec {
namespace {

using test::Kind;

/// Finite values of all magnitudes, including special ones.
std::vector<float> any_tensor() {
  const auto count = static_cast<std::size_t>(*rc::gen::inRange(0, 700));
  const Kind kind = *rc::gen::element(Kind::normal, Kind::spread, Kind::specials_finite, Kind::ties, Kind::sparse);
  return test::tensor(kind, count, *rc::gen::arbitrary<unsigned>());
}

std::vector<float> round_trip(const Codec& codec, const std::vector<float>& values, std::vector<std::byte>& bytes,
                              std::span<float> residual = {}) {
  codec.encode(values, residual, bytes, *rc::gen::arbitrary<std::uint64_t>());
  std::vector<float> out(values.size());
  RC_ASSERT(static_cast<bool>(codec.decode(bytes, out)));
  return out;
}

std::unique_ptr<Codec> codec_with(const char* name, const char* key, const std::string& value) {
  Settings settings = default_settings(name);
  set(settings, key, value);
  return make_codec(settings);
}

double largest_of(const std::vector<float>& values) {
  double largest = 0;
  for (const float v : values) largest = std::max(largest, std::fabs(static_cast<double>(v)));
  return largest;
}

double difference(float a, float b) { return std::fabs(static_cast<double>(a) - static_cast<double>(b)); }

namespace {

/// Returns the bytes of an encoded tensor with these numbers of values.
std::size_t encoded_size(const inceptionn::ClassCounts& counts) {
  const std::uint64_t values = counts[0] + counts[1] + counts[2] + counts[3];
  return 2 * ((values + 7) / 8) + counts[1] + 2 * counts[2] + 4 * counts[3];
}

} // namespace

TEST_CASE("INCEPTIONN keeps its bound, shrinks, and takes the bytes of its classes") {
  REQUIRE(rc::check("window and promote below 2^-b, literal below max(2^-b, 2^-7)", [] {
    const auto values = any_tensor();
    const int b = *rc::gen::inRange(1, 15);
    const auto variant =
        *rc::gen::element(inceptionn::Variant::window, inceptionn::Variant::literal, inceptionn::Variant::promote);
    const auto codec = inceptionn::make(b, variant, Implementation::simd);
    std::vector<std::byte> bytes;
    const auto out = round_trip(*codec, values, bytes);
    const double bound = std::ldexp(1.0, variant == inceptionn::Variant::literal ? -std::min(b, 7) : -b);
    for (std::size_t i = 0; i < values.size(); ++i) {
      RC_ASSERT(difference(values[i], out[i]) < bound);
      RC_ASSERT(std::fabs(out[i]) <= std::fabs(values[i]));
      if (std::fabs(values[i]) >= 1.0f) RC_ASSERT(values[i] == out[i]);
    }
    const auto counts = inceptionn::count_classes(inceptionn::classes(b, variant), values);
    RC_ASSERT(bytes.size() == encoded_size(counts));
    std::vector<std::byte> again;
    const auto twice = round_trip(*codec, out, again);
    RC_ASSERT(twice == out); // decoded values are encoded exactly
  }));
}

TEST_CASE("truncation and binary16 keep their relative errors") {
  REQUIRE(rc::check([] {
    const auto values = any_tensor();
    const int k = *rc::gen::inRange(0, 23);
    std::vector<std::byte> bytes;
    const auto out = round_trip(*codec_with("truncate", "lsb_bits", std::to_string(k)), values, bytes);
    RC_ASSERT(bytes.size() == (values.size() * static_cast<std::size_t>(32 - k) + 7) / 8);
    for (std::size_t i = 0; i < values.size(); ++i)
      if (std::isnormal(values[i]))
        RC_ASSERT(difference(values[i], out[i]) < std::ldexp(std::fabs(static_cast<double>(values[i])), k - 23) ||
                  values[i] == out[i]);
    const auto halves = round_trip(*make_codec(default_settings("fp16")), values, bytes);
    RC_ASSERT(bytes.size() == 2 * values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double size = std::fabs(static_cast<double>(values[i]));
      if (size >= 65520)
        RC_ASSERT(std::isinf(halves[i]));
      else
        RC_ASSERT(difference(values[i], halves[i]) <= (size >= 0x1p-14 ? std::ldexp(size, -11) : 0x1p-25));
    }
  }));
}

TEST_CASE("8-bit codes are within half a level") {
  REQUIRE(rc::check([] {
    const auto values = any_tensor();
    std::vector<std::byte> bytes;
    const auto out = round_trip(*make_codec(default_settings("quantize8")), values, bytes);
    RC_ASSERT(bytes.size() == 4 + values.size());
    const double largest = largest_of(values);
    const double ulp = std::max(std::ldexp(largest, -23), 0x1p-149);
    for (std::size_t i = 0; i < values.size(); ++i) RC_ASSERT(difference(values[i], out[i]) <= largest / 254 + ulp);
  }));
}

TEST_CASE("3LC is within half its scale and loses nothing to its residual") {
  REQUIRE(rc::check([] {
    auto values = any_tensor();
    for (float& v : values) v = std::ldexp(v, -10); // avoids overflow of residual + value
    const double s = *rc::gen::element(1.0, 1.25, 1.5, 1.75, 1.9);
    auto residual = test::tensor(Kind::normal, values.size(), *rc::gen::arbitrary<unsigned>());
    std::vector<float> total = values;
    for (std::size_t i = 0; i < values.size(); ++i) total[i] = residual[i] + values[i];
    std::vector<std::byte> bytes;
    const auto out =
        round_trip(*codec_with("threelc", "sparsity_multiplier", std::to_string(s)), values, bytes, residual);
    const double scale = std::bit_cast<float>(std::array{bytes[0], bytes[1], bytes[2], bytes[3]});
    RC_ASSERT(scale == static_cast<float>(largest_of(total)) * static_cast<float>(s));
    const std::size_t groups = (values.size() + 4) / 5;
    RC_ASSERT(bytes.size() <= 4 + groups && bytes.size() >= 4 + (groups + 13) / 14);
    for (std::size_t i = 0; i < values.size(); ++i) {
      RC_ASSERT(difference(total[i], out[i]) <= scale / 2);
      RC_ASSERT(residual[i] == total[i] - out[i]);
    }
  }));
}

TEST_CASE("ternary sends 0 or the signed scale, and is right on average") {
  REQUIRE(rc::check([] {
    const auto values = any_tensor();
    std::vector<std::byte> bytes;
    const auto out = round_trip(*make_codec(default_settings("ternary")), values, bytes);
    RC_ASSERT(bytes.size() == 4 + (values.size() + 4) / 5);
    const double largest = largest_of(values);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double size = std::fabs(static_cast<double>(out[i]));
      RC_ASSERT(size == 0 || (size == largest && std::signbit(out[i]) == std::signbit(values[i])));
      if (std::fabs(static_cast<double>(values[i])) == largest) RC_ASSERT(size == largest);
      if (values[i] == 0) RC_ASSERT(size == 0);
    }
  }));
  const auto codec = make_codec(default_settings("ternary"));
  std::vector<float> values = {1.0f, 0.3f, -0.7f, 0.01f}, out(values.size());
  std::vector<double> sum(values.size());
  std::vector<std::byte> bytes;
  constexpr int messages = 20000;
  for (std::uint64_t message = 0; message < messages; ++message) {
    codec->encode(values, {}, bytes, message);
    REQUIRE(codec->decode(bytes, out));
    for (std::size_t i = 0; i < out.size(); ++i) sum[i] += static_cast<double>(out[i]);
  }
  for (std::size_t i = 0; i < out.size(); ++i)
    CHECK(sum[i] / messages == Approx(values[i]).margin(4 * 0.5 / std::sqrt(messages)));
}

TEST_CASE("1-bit minimises the squared error of its split and keeps the rest") {
  REQUIRE(rc::check([] {
    auto values = test::tensor(Kind::normal, static_cast<std::size_t>(*rc::gen::inRange(0, 700)),
                               *rc::gen::arbitrary<unsigned>());
    auto residual = test::tensor(Kind::normal, values.size(), *rc::gen::arbitrary<unsigned>());
    auto total = values;
    for (std::size_t i = 0; i < values.size(); ++i) total[i] = residual[i] + values[i];
    std::vector<std::byte> bytes;
    const auto out = round_trip(*make_codec(default_settings("onebit")), values, bytes, residual);
    RC_ASSERT(bytes.size() == 8 + (values.size() + 7) / 8);
    double left[2] = {0, 0};
    for (std::size_t i = 0; i < values.size(); ++i) {
      RC_ASSERT((out[i] >= 0) == (total[i] >= 0));
      RC_ASSERT(residual[i] == total[i] - out[i]);
      left[total[i] >= 0] += static_cast<double>(residual[i]);
    }
    // At the mean of a class, the errors cancel out.
    for (const double sum : left) RC_ASSERT(std::fabs(sum) < 1e-5);
  }));
}

TEST_CASE("sparse codecs send k entries exactly and keep the others") {
  REQUIRE(rc::check([] {
    const auto values = any_tensor();
    const char* name = *rc::gen::element("topk", "bitmap_sparse");
    const char* density = *rc::gen::element("0.001", "0.05", "0.5", "1");
    auto residual = test::tensor(Kind::spread, values.size(), *rc::gen::arbitrary<unsigned>());
    auto total = values;
    for (std::size_t i = 0; i < values.size(); ++i) total[i] = residual[i] + values[i];
    std::vector<std::byte> bytes;
    const auto out = round_trip(*codec_with(name, "density", density), values, bytes, residual);
    const std::size_t n = values.size();
    const auto k = n == 0 ? 0 : std::max<std::size_t>(1, static_cast<std::size_t>(std::stod(density) * double(n)));
    RC_ASSERT(bytes.size() == (std::string(name) == "topk" ? 4 + 8 * k : (n + 7) / 8 + 4 * k));
    float smallest_sent = std::numeric_limits<float>::infinity(), largest_kept = 0;
    for (std::size_t i = 0; i < n; ++i) {
      RC_ASSERT(out[i] + residual[i] == total[i]); // one of the two is zero
      if (out[i] != 0) smallest_sent = std::min(smallest_sent, std::fabs(out[i]));
      largest_kept = std::max(largest_kept, std::fabs(residual[i]));
    }
    RC_ASSERT(largest_kept <= smallest_sent);
  }));
}

TEST_CASE("shortened, lengthened and damaged streams are refused or decoded within their bounds") {
  for (const Settings& settings : test::many_settings()) {
    const auto fast = make_codec(settings), reference = make_codec(settings, Implementation::scalar);
    INFO(test::describe(settings));
    for (const std::size_t count : {1u, 3u, 8u, 41u, 300u}) {
      const auto values = test::tensor(Kind::spread, count, 5);
      std::vector<std::byte> bytes;
      fast->encode(values, bytes);
      std::vector<float> out(count), other(count);
      std::vector<std::byte> longer = bytes;
      longer.push_back(std::byte{0});
      CHECK_FALSE(fast->decode(longer, out));
      for (std::size_t size = 0; size < bytes.size(); ++size) {
        const std::vector<std::byte> shorter(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
        CHECK_FALSE(fast->decode(shorter, out));
      }
      std::mt19937 generator(3);
      for (int damage = 0; damage < (gradflight::test::is_sanitized ? 20 : 60) && !bytes.empty(); ++damage) {
        auto damaged = bytes;
        damaged[generator() % damaged.size()] = static_cast<std::byte>(generator());
        const DecodeStatus a = fast->decode(damaged, out), b = reference->decode(damaged, other);
        CHECK(a.problem == b.problem);
        CHECK(a.byte == b.byte);
        if (a) CHECK(test::bits(out) == test::bits(other));
      }
    }
  }
}

TEST_CASE("streams that no encoder writes are refused with the reason") {
  const auto problem = [](const char* name, std::vector<int> numbers, std::size_t count) {
    std::vector<std::byte> bytes;
    for (const int number : numbers) bytes.push_back(static_cast<std::byte>(number));
    std::vector<float> out(count);
    return std::string(make_codec(default_settings(name))->decode(bytes, out).problem);
  };
  CHECK(problem("inceptionn", {0x04, 0, 9}, 1) == "a tag beyond the last value is not zero");
  CHECK(problem("quantize8", {0, 0, 0x80, 0x3f, 0x80}, 1) == "a code is -128");
  CHECK(problem("quantize8", {0, 0, 0x80, 0xbf, 0x00}, 1) == "the scale is negative");
  CHECK(problem("threelc", {0, 0, 0x80, 0x3f, 255}, 5) == "the stream holds more values than the tensor");
  CHECK(problem("ternary", {0, 0, 0x80, 0x3f, 243}, 5) == "a byte above 242 holds no five digits");
  CHECK(problem("onebit", {0, 0, 0, 0, 0, 0, 0, 0, 4}, 2) == "a bit beyond the last value is set");
  CHECK(problem("bitmap_sparse", {4}, 2) == "a bit beyond the last value is set");
  CHECK(problem("topk", {3, 0, 0, 0}, 2) == "the stream has more entries than the tensor has elements");
  CHECK(problem("topk", {1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0}, 2) == "an index is beyond the last element");
  CHECK(problem("topk", {2, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 2) ==
        "the indices do not ascend");
}

TEST_CASE("codecs and parameters are known by name") {
  CHECK(catalogue().size() == 10);
  CHECK_THROWS_WITH(
      default_settings("inceptoin"),
      Catch::StartsWith("unknown codec \"inceptoin\"; did you mean \"inceptionn\"? Allowed: inceptionn, truncate"));
  Settings settings = default_settings("inceptionn");
  CHECK_THROWS_WITH(
      set(settings, "variants", "window"),
      "codec inceptionn has no parameter \"variants\"; did you mean \"variant\"? Allowed: error_bound_log2, variant");
  CHECK_THROWS_WITH(set(settings, "error_bound_log2", "-15"),
                    "error_bound_log2 of codec inceptionn is \"-15\"; expected -14 to -1");
  for (const char* wrong : {"", "1x", "nan", "0", "1.1", "inf", "-0.5"}) {
    Settings sparse = default_settings("topk");
    INFO(wrong);
    CHECK_THROWS(set(sparse, "density", wrong));
  }
  Settings threelc = default_settings("threelc");
  CHECK_THROWS(set(threelc, "sparsity_multiplier", "2"));
  CHECK_THROWS(set(threelc, "sparsity_multiplier", "1.99999999999")); // 2 as float32
}

} // namespace
} // namespace gradflight::codec
