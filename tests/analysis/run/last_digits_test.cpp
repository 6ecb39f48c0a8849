#include "analysis/run/evaluate.hpp"
#include "analysis/run/last_digits.hpp"
#include "analysis/run/text/report.hpp"
#include "tests/support/random_scenario.hpp"

#include <catch2/catch.hpp>

using namespace gradflight;
using Catch::Contains;

namespace {

double moved(const Scenario& s) {
  const Prepared prepared(s);
  return moved_by_last_digits(prepared, simulate(prepared));
}

} // namespace

TEST_CASE("a time that hangs on last digits is told from one that does not") {
  for (const std::uint32_t seed : {3639u, 5987u, 9357u}) { // some of those that test_sim "[.ulps]" finds
    INFO("seed " << seed);
    const Scenario s = test::alike_scenario(seed);
    const double by = moved(s);
    CHECK(by > 1e-9);
    CHECK_THAT(report(evaluate(Prepared(s)), {}, by), Contains("this time depends on a tie: +- "));
  }
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    INFO("seed " << seed);
    CHECK(moved(test::random_scenario(seed)) == 0);
  }
}
