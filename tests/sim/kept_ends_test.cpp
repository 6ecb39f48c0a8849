#include "sim/result/kept_ends.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

namespace gradflight {
namespace {

constexpr std::size_t kept_half = KeptEnds<int>::half, kept_most = KeptEnds<int>::most;

KeptEnds<int> listed_numbers(std::size_t count) {
  KeptEnds<int> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(static_cast<int>(i));
  return all;
}

TEST_CASE("up to its limit a list keeps everything, beyond it the first and the last items") {
  CHECK(listed_numbers(0).empty());
  for (const std::size_t count :
       {std::size_t{1}, kept_half, kept_most - 1, kept_most, kept_most + 1, kept_most + kept_half, 3 * kept_most + 7}) {
    KeptEnds<int> all = listed_numbers(count);
    CHECK(all.size() == count);
    CHECK(all.front() == 0);
    CHECK(all.back() == static_cast<int>(count) - 1);
    CHECK(all.kept().size() == std::min(count, kept_most));
    const auto [out, in] = all.left_out();
    CHECK(in - out == (count > kept_most ? count - kept_most : 0));
    for (const std::size_t i : {std::size_t{0}, out - 1, out, in - 1, in, in + kept_half / 2, count - 1}) {
      if (i >= count) continue;
      CHECK(all.keeps(i) == (i < out || i >= in));
      if (all.keeps(i)) CHECK(all[i] == static_cast<int>(i));
    }
    CHECK_FALSE(all.keeps(count));
  }
}

TEST_CASE("a list is extended as if each item had been appended, without making those that are left out") {
  for (const std::size_t count : {std::size_t{10}, kept_most, kept_most + 1, 5 * kept_most}) {
    KeptEnds<int> all = listed_numbers(3);
    std::size_t made = 0;
    all.extend(count, [&](std::size_t i) {
      ++made;
      return static_cast<int>(i);
    });
    CHECK(made <= kept_most + kept_half);
    const KeptEnds<int> each = listed_numbers(count);
    REQUIRE(all.size() == count);
    for (std::size_t i = 0; i < count; i += 1 + (i > 100 && i + 100 < count ? 999 : 0))
      if (each.keeps(i)) CHECK(all[i] == each[i]);
  }
  KeptEnds<int> short_list = listed_numbers(3);
  short_list.pop_back();
  CHECK(short_list.back() == 1);
  short_list.clear();
  CHECK(short_list.empty());
}

} // namespace
} // namespace gradflight
