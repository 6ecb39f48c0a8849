#include "base/percentile.hpp"

#include <catch2/catch.hpp>

using namespace gradflight;

TEST_CASE("percentiles lie between the two nearest values in proportion") {
  CHECK(percentile({3}, 0.9) == 3);
  CHECK(percentile({4, 1, 3, 2}, 0.5) == 2.5);
  CHECK(percentile({3, 1, 2}, 0.5) == 2);
  CHECK(percentile({0, 10}, 0.9) == 9);
  CHECK(percentile({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 0.9) == 10);
}
