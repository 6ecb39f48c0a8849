// The random variation of compute times: its moments, its tail, and its dependence on the arguments alone.
#include "models/random/jitter.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

using namespace gradflight;

namespace {

using Distribution = Jitter::Distribution;

struct Moments {
  double mean = 0, deviation = 0, least = 1e9, greatest = 0;
};

Moments moments(const Jitter& jitter, int draws) {
  double sum = 0, squares = 0;
  Moments m;
  for (int i = 0; i < draws; ++i) {
    const double f = jitter_factor(jitter, 0, i % 64, i / 64);
    sum += f;
    squares += (f - 1) * (f - 1);
    m.least = std::min(m.least, f);
    m.greatest = std::max(m.greatest, f);
  }
  m.mean = sum / draws;
  m.deviation = std::sqrt(squares / draws);
  return m;
}

} // namespace

TEST_CASE("Factors have mean 1 and standard deviation cv") {
  constexpr int draws = 200'000;
  for (const Distribution distribution : {Distribution::exponential, Distribution::normal})
    for (const double cv : {0.01, 0.2}) {
      const Moments m = moments({distribution, cv, 7}, draws);
      // Five standard errors of either estimate.
      CHECK(std::abs(m.mean - 1) < 5 * cv / std::sqrt(draws));
      CHECK(std::abs(m.deviation / cv - 1) < 5 * std::sqrt(8.0 / draws));
      CHECK(m.least > 0);
    }
  CHECK(moments({Distribution::exponential, 0.2, 7}, draws).least >= 0.8);
  // 1 / cv = 1: Z is drawn again if it is outside +-1.
  const Moments wide = moments({Distribution::normal, 1, 7}, draws);
  CHECK(wide.least > 0);
  CHECK(wide.greatest < 2);
}

TEST_CASE("The slowest of p ranks is late by cv (H_p - 1) on average, where the spread is exponential") {
  for (const int p : {2, 8, 64}) {
    double harmonic = 0;
    for (int k = 1; k <= p; ++k) harmonic += 1.0 / k;
    constexpr int iterations = 20'000;
    double sum = 0;
    for (int i = 0; i < iterations; ++i) {
      double slowest = 0;
      for (int r = 0; r < p; ++r)
        slowest = std::max(slowest, jitter_factor({Distribution::exponential, 0.1, 3}, 0, r, i));
      sum += slowest;
    }
    // The maximum's standard deviation is below 0.1 * pi / sqrt(6).
    CHECK(std::abs(sum / iterations - 1 - 0.1 * (harmonic - 1)) < 5 * 0.1 * 1.283 / std::sqrt(iterations));
  }
}

TEST_CASE("A factor depends on seed, phase, rank and iteration, and on nothing else") {
  const Jitter jitter{Distribution::normal, 0.1, 5};
  const double f = jitter_factor(jitter, 1, 2, 3);
  CHECK(jitter_factor(jitter, 1, 2, 3) == f);
  CHECK(jitter_factor(jitter, 0, 2, 3) != f);
  CHECK(jitter_factor(jitter, 1, 3, 3) != f);
  CHECK(jitter_factor(jitter, 1, 2, 4) != f);
  CHECK(jitter_factor({Distribution::normal, 0.1, 6}, 1, 2, 3) != f);
  CHECK(jitter_factor({Distribution::normal, 0.1, 5 + (std::int64_t{1} << 40)}, 1, 2, 3) != f);
}

TEST_CASE("Factors keep their bits") {
  CHECK(jitter_factor({Distribution::exponential, 0.5, 1}, 0, 0, 0) == 0x1.29f8d6a0755f2p+1);
  CHECK(jitter_factor({Distribution::normal, 0.5, 1}, 0, 511, 99) == 0x1.45c4fb2813e9ep+0);
}
