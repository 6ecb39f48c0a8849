#include "analysis/evidence/error_statistics.hpp"

#include <catch2/catch.hpp>

using namespace gradflight;

TEST_CASE("statistics of errors") {
  const auto none = statistics_of({});
  CHECK(none.count == 0);
  CHECK_FALSE(none.median);
  const auto five = statistics_of({0.3, 0.1, 0.2, 0.25, 0.9});
  CHECK(*five.median == 0.25);
  CHECK(*five.p80 == Approx(0.3 + 0.2 * 0.6).epsilon(1e-12));
  CHECK(*five.p90 == Approx(0.3 + 0.6 * 0.6).epsilon(1e-12));
  CHECK(five.within_20 == Approx(0.4));
  CHECK(five.within_30 == Approx(0.8));
}
