#include "models/forms/checkpoint_interval.hpp"

#include <catch2/catch.hpp>

using namespace gradflight;

TEST_CASE("Daly's interval is where his time is least") {
  for (const double write : {1.0, 30.0, 300.0}) {
    constexpr double mtbf = 10'000, restart = 60;
    CAPTURE(write);
    const double best = daly_interval(write, mtbf);
    const double least = daly_time(1, best, write, restart, mtbf);
    for (const double factor : {0.5, 0.8, 0.95, 1.05, 1.25, 2.0})
      CHECK(daly_time(1, best * factor, write, restart, mtbf) > least * (1 - 1e-5));
    CHECK(best < young_interval(write, mtbf)); // higher-order terms shorten it
    CHECK(best > 0.8 * young_interval(write, mtbf));
  }
}

TEST_CASE("checkpoints that take longer than failures leave are written once in a failure's time") {
  CHECK(daly_interval(200, 100) == 100);
  CHECK(daly_interval(250, 100) == 100);
}

TEST_CASE("without failures only checkpoints take time") {
  CHECK(daly_time(1000, 10, 1, 5, 1e12) == Approx(1100).epsilon(1e-9));
}
