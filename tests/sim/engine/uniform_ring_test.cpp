// Compares the closed form of a ring with equal ranks to the recurrence, message by message.
#include "sim/engine/ring/uniform_ring.hpp"
#include "tests/support/effort.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

using namespace gradflight;

namespace {

struct Plain {
  std::vector<double> ends;
  std::vector<Flight> flights;
};

Plain plain(const UniformSteps& u, const std::vector<double>& entered) {
  const std::size_t p = u.ranks;
  std::vector<double> at = entered, there(p);
  Flights flights;
  std::vector<Flight> all;
  for (std::size_t s = 0; s < 2 * (p - 1); ++s) {
    const auto large = [&](std::size_t block) { return block % p < u.large_blocks; };
    for (std::size_t i = 0; i < p; ++i) {
      const double sent = std::max(at[i], at[(i + 1) % p]);
      there[i] = sent + u.alpha + (large(i + 2 * p - s) ? u.large_beta : u.small_beta);
      all.push_back({sent, there[i]});
    }
    for (std::size_t i = 0; i < p; ++i) {
      const double gamma = s + 1 < p ? (large(i + 2 * p - s - 1) ? u.large_gamma : u.small_gamma) : 0;
      at[i] = std::max(there[(i + p - 1) % p] + gamma, there[i]);
    }
  }
  std::ranges::sort(all, {}, &Flight::begin);
  Plain found{at, {}};
  for (const Flight& f : all)
    if (!found.flights.empty() && f.begin <= found.flights.back().end)
      found.flights.back().end = std::max(found.flights.back().end, f.end);
    else
      found.flights.push_back(f);
  return found;
}

double seconds_of(Flights flights) {
  double sum = 0;
  for (; !flights.empty(); flights.pop_front()) sum += flights.front().end - flights.front().begin;
  return sum;
}

/// A path may tie with others, but its parts must sum to its time.
bool adds_up(const UniformSteps& u, double entered, const UniformRing::End& end) {
  const double steps = 2.0 * static_cast<double>(u.ranks - 1);
  const double beta = end.time - entered - steps * u.alpha - end.gamma;
  const double least = std::min(u.small_beta, u.large_beta), most = std::max(u.small_beta, u.large_beta);
  return beta >= steps * least - 1e-9 * end.time && beta <= steps * most + 1e-9 * end.time && end.gamma >= 0;
}

} // namespace

TEST_CASE("a uniform ring in closed form equals the recurrence, from any times of entry") {
  int told = 0, untold = 0;
  UniformRing ring;
  for (unsigned seed = 0; seed < (test::is_sanitized ? 4'000 : 20'000); ++seed) {
    std::mt19937 dice(seed);
    const auto in = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(dice); };
    UniformSteps u;
    u.ranks = static_cast<std::size_t>(in(2, 5) == 2 ? in(2, 40) : in(2, 12));
    u.large_blocks = static_cast<std::size_t>(in(0, static_cast<int>(u.ranks) - 1));
    // Small whole numbers: sums are exact, and ties occur.
    u.alpha = in(0, 20);
    u.small_beta = in(1, 20);
    u.large_beta = u.small_beta + in(1, 3);
    if (in(0, 3) > 0) {
      u.small_gamma = in(1, in(0, 1) == 0 ? 3 : 20);
      u.large_gamma = u.small_gamma + in(0, 3);
    }
    std::vector<double> entered(u.ranks);
    const int spread = in(0, 3) == 0 ? 0 : in(1, in(0, 1) == 0 ? 5 : 200), kind = in(0, 1);
    for (std::size_t i = 0; i < u.ranks; ++i)
      entered[i] =
          100 + (kind == 0 ? in(0, spread) : spread - static_cast<int>(i) * spread / static_cast<int>(u.ranks));
    std::rotate(entered.begin(), entered.begin() + in(0, static_cast<int>(u.ranks) - 1), entered.end());

    const Plain expected = plain(u, entered);
    std::vector<UniformRing::End> ends;
    Flights flights;
    const bool known = ring.work_out(u, entered, ends, flights);
    INFO("seed " << seed << ", " << u.ranks << " ranks, " << u.large_blocks << " large, alpha " << u.alpha << ", beta "
                 << u.small_beta << " " << u.large_beta << ", gamma " << u.small_gamma << " " << u.large_gamma);
    bool same = true, sums = true;
    for (std::size_t i = 0; i < u.ranks; ++i) {
      same = same && std::abs(ends[i].time - expected.ends[i]) <= 1e-9;
      sums = sums && adds_up(u, entered[ends[i].origin], ends[i]);
    }
    REQUIRE(same);
    REQUIRE(sums);
    known ? ++told : ++untold;
    if (!known) continue;
    double in_flight = 0;
    for (const Flight& f : expected.flights) in_flight += f.end - f.begin;
    REQUIRE(seconds_of(flights) == Approx(in_flight).epsilon(1e-12));
    REQUIRE(flights.front().begin == expected.flights.front().begin);
  }
  CHECK(told > (test::is_sanitized ? 1'400 : 7'000));
  CHECK(untold > (test::is_sanitized ? 60 : 300));
}
