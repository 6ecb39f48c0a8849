#include "sim/result/kept_ends.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>

namespace gradflight {
namespace {

constexpr std::size_t half = KeptEnds<int>::half, most = KeptEnds<int>::most;

KeptEnds<int> numbers(std::size_t count) {
  KeptEnds<int> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(static_cast<int>(i));
  return all;
}

TEST_CASE("up to its limit a list keeps everything, beyond it the first and the last items") {
  CHECK(numbers(0).empty());
  for (const std::size_t count : {std::size_t{1}, half, most - 1, most, most + 1, most + half, 3 * most + 7}) {
    KeptEnds<int> all = numbers(count);
    CHECK(all.size() == count);
    CHECK(all.front() == 0);
    CHECK(all.back() == static_cast<int>(count) - 1);
    CHECK(all.kept().size() == std::min(count, most));
    const auto [out, in] = all.left_out();
    CHECK(in - out == (count > most ? count - most : 0));
    for (const std::size_t i : {std::size_t{0}, out - 1, out, in - 1, in, in + half / 2, count - 1}) {
      if (i >= count) continue;
      CHECK(all.keeps(i) == (i < out || i >= in));
      if (all.keeps(i)) CHECK(all[i] == static_cast<int>(i));
    }
    CHECK_FALSE(all.keeps(count));
  }
}

TEST_CASE("a list is extended as if each item had been appended, without making those that are left out") {
  for (const std::size_t count : {std::size_t{10}, most, most + 1, 5 * most}) {
    KeptEnds<int> all = numbers(3);
    std::size_t made = 0;
    all.extend(count, [&](std::size_t i) {
      ++made;
      return static_cast<int>(i);
    });
    CHECK(made <= most + half);
    const KeptEnds<int> each = numbers(count);
    REQUIRE(all.size() == count);
    for (std::size_t i = 0; i < count; i += 1 + (i > 100 && i + 100 < count ? 999 : 0))
      if (each.keeps(i)) CHECK(all[i] == each[i]);
  }
  KeptEnds<int> short_list = numbers(3);
  short_list.pop_back();
  CHECK(short_list.back() == 1);
  short_list.clear();
  CHECK(short_list.empty());
}

} // namespace
} // namespace gradflight
