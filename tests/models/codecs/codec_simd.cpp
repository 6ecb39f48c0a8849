// Compares the SIMD codecs with their scalar references, bit for bit, with every instruction set of this machine.
#include "tests/models/codecs/codec_support.hpp"

#include "models/codecs/selection/selection.hpp"
#include "tests/support/effort.hpp"
#include "tests/support/every_target.hpp"

#include <catch2/catch.hpp>

namespace gradflight::codec {
namespace {

using gradflight::test::on_every_target;
using test::Kind;

/// All lengths at which a burst, group, vector or chunk may end, and some larger ones.
std::vector<std::size_t> lengths() {
  if (gradflight::test::is_sanitized) return {0, 1, 7, 8, 31, 33, 100, 257, 513};
  std::vector<std::size_t> all;
  for (std::size_t n = 0; n <= 100; ++n) all.push_back(n);
  for (const std::size_t n : {127u, 128u, 255u, 257u, 511u, 512u, 513u, 1021u, 5119u, 5120u, 5121u, 20011u})
    all.push_back(n);
  return all;
}

void compare(const Settings& settings, Kind kind, std::size_t count) {
  const auto fast = make_codec(settings), reference = make_codec(settings, Implementation::scalar);
  const auto values = test::tensor(kind, count, static_cast<unsigned>(count) + 7);
  INFO(test::describe(settings) << ", kind " << static_cast<int>(kind) << ", " << count << " values");

  std::vector<std::byte> bytes(3, std::byte{9}), expected;
  fast->encode(values, {}, bytes, 5);
  reference->encode(values, {}, expected, 5);
  REQUIRE(bytes == expected);
  std::vector<float> decoded(count), wanted(count);
  REQUIRE(fast->decode(bytes, decoded));
  REQUIRE(reference->decode(bytes, wanted));
  REQUIRE(test::bits(decoded) == test::bits(wanted));

  if (!fast->keeps_residual() || count == 0) return;
  auto kept = test::tensor(Kind::spread, count, 3), expected_kept = kept;
  fast->encode(values, kept, bytes);
  reference->encode(values, expected_kept, expected);
  REQUIRE(bytes == expected);
  REQUIRE(test::bits(kept) == test::bits(expected_kept));
}

TEST_CASE("SIMD codecs write and read the reference's bits on every instruction set") {
  on_every_target([] {
    for (const Settings& settings : test::many_settings())
      for (const Kind kind : test::all_kinds)
        for (const std::size_t count : {0u, 1u, 7u, 8u, 9u, 63u, 64u, 100u, 513u, 5123u})
          if (!gradflight::test::is_sanitized || count == 9 || count == 100) compare(settings, kind, count);
  });
}

TEST_CASE("SIMD codecs agree with the reference at every length") {
  for (const CodecInfo& info : catalogue())
    for (const Kind kind : test::all_kinds)
      for (const std::size_t count : lengths()) compare(default_settings(info.name), kind, count);
}

TEST_CASE("the largest entries are the reference's, ties and all, on every instruction set") {
  on_every_target([] {
    for (const Kind kind : test::all_kinds) {
      for (const std::size_t count : {1u, 5u, 16u, 33u, 100u, 4099u}) {
        const auto values = test::tensor(kind, count, 11);
        for (const std::size_t k :
             {std::size_t{0}, std::size_t{1}, count / 20, count / 3, count - 1, count, count + 9}) {
          const SparseVector found = simd::select_largest(values, k), wanted = scalar::select_largest(values, k);
          INFO("kind " << static_cast<int>(kind) << ", " << k << " of " << count);
          REQUIRE(found.indices == wanted.indices);
          REQUIRE(test::bits(found.values) == test::bits(wanted.values));
        }
      }
    }
  });
}

} // namespace
} // namespace gradflight::codec
