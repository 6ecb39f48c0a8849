#include "analysis/run/pages/plot.hpp"

#include <catch2/catch.hpp>

using namespace gradflight;

TEST_CASE("an axis has at least two ticks") {
  const auto narrow = plot_ticks(0.461, 0.493, true, 3); // only one multiple of 0.02 is between them
  REQUIRE(narrow.size() == 3);
  CHECK(narrow.front() == Approx(0.47));
  CHECK(narrow.back() == Approx(0.49));
  CHECK(plot_ticks(1.5, 40, true, 4) == std::vector<double>{2, 5, 10, 20});
  CHECK(plot_ticks(0, 10, false, 5) == std::vector<double>{0, 2, 4, 6, 8, 10});
}
