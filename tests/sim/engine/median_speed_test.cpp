// The median speed for the time of stragglers: by hand, and compared with a sum over all changes.
#include "platforms/code/platform.hpp"
#include "sim/engine/changes/median_speed.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <rapidcheck.h>
#include <vector>

using namespace gradflight;

namespace {

constexpr double never = std::numeric_limits<double>::infinity();
using What = PlatformChange::What;

struct Nodes {
  Nodes(int nodes, std::vector<PlatformChange> all) : platform(build(nodes)), changes(std::move(all)) {
    places.resize(static_cast<std::size_t>(nodes));
    std::iota(places.begin(), places.end(), 0);
  }
  static Platform build(int nodes) {
    PlatformSpec spec;
    spec.nodes = nodes;
    spec.network.link.bandwidth = ByteRate(1e9);
    return build_platform(spec, 0);
  }
  Platform platform;
  std::vector<PlatformChange> changes;
  std::vector<std::int32_t> places;
};

PlatformChange change(int node, What what, double at, double value, double period = 0) {
  PlatformChange c{.what = what, .target = node};
  c.at = at;
  c.value = value;
  c.period = period;
  return c;
}

/// Steps through every change of any place.
double by_sum(const Speeds& speeds, const std::vector<std::int32_t>& places, double begin, double work) {
  for (double now = begin;;) {
    std::vector<double> rates;
    double next = never;
    for (const std::int32_t place : places) {
      rates.push_back(speeds.rate(place, now));
      next = std::min(next, speeds.next(place, now));
    }
    std::ranges::sort(rates);
    const double rate = rates[rates.size() / 2], end = rate > 0 ? now + work / rate : never;
    if (end <= next) return end - begin;
    work -= rate * (next - now);
    now = next;
  }
}

} // namespace

TEST_CASE("the median speed follows the changes of all ranks") {
  // Three nodes. The first computes at half speed from 1 s on, so the median is 1. The second does from 2 s on, so the
  // median is 1/2. It is down from 4 s to 5 s, and the first is then the median. From 6 s on, both are down.
  Nodes three(3, {change(0, What::compute_speed, 1, 0.5), change(1, What::compute_speed, 2, 0.5),
                  change(1, What::place_state, 4, 0), change(1, What::place_state, 5, 1),
                  change(0, What::place_state, 6, 0), change(1, What::place_state, 6, 0)});
  const Speeds speeds(three.changes, three.platform);
  MedianSpeed median(speeds, three.places);
  CHECK(median.seconds(0, 0, 1) == 1);
  CHECK(median.seconds(1, 1, 1) == 1);
  CHECK(median.seconds(1, 1, 1.5) == 2); // speed 1 until 2 s, the other half at half speed
  CHECK(median.seconds(3.5, 3.5, 1) == 2);
  CHECK(median.seconds(5, 5, 0.5) == 1);
  CHECK(median.seconds(5, 5, 0.75) == never);
  CHECK(median.seconds(7, 7, 1) == never);
}

TEST_CASE("of two ranks in the middle the faster is the median, and without changes it stays") {
  Nodes two(2, {change(0, What::compute_speed, 0, 0.25)});
  const Speeds speeds(two.changes, two.platform);
  MedianSpeed both(speeds, two.places), slow(speeds, std::vector<std::int32_t>{0});
  CHECK(both.seconds(3, 3, 2) == 2);
  CHECK(slow.seconds(3, 3, 2) == 8);
}

TEST_CASE("a median that is down in every period never ends its work") {
  // Of three nodes, one computes at any time, for a third of 3 s each.
  std::vector<PlatformChange> changes;
  for (int node = 0; node < 3; ++node)
    for (int third = 0; third < 3; ++third)
      changes.push_back(change(node, What::place_state, third, node == third ? 1 : 0, 3));
  Nodes three(3, changes);
  const Speeds speeds(three.changes, three.platform);
  MedianSpeed median(speeds, three.places);
  CHECK(median.seconds(0.5, 0.5, 10) == never);
}

TEST_CASE("the median speed is that of a sum over all changes") {
  CHECK(rc::check("as the sum", [] {
    const int nodes = *rc::gen::inRange(1, 6);
    std::vector<PlatformChange> changes;
    for (int node = 0; node < nodes; ++node) {
      const double period = *rc::gen::element(0.0, 0.0, 4.0, 5.0);
      double at = 0;
      for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
        at += *rc::gen::inRange(1, 4) / 4.0;
        changes.push_back(change(node, What::compute_speed, at, *rc::gen::inRange(1, 9) / 4.0, period));
      }
    }
    Nodes some(nodes, std::move(changes));
    const Speeds speeds(some.changes, some.platform);
    MedianSpeed median(speeds, some.places);
    double now = 0;
    for (int question = 0; question < 6; ++question) {
      now += *rc::gen::inRange(0, 8) / 8.0;
      const double begin = now + *rc::gen::inRange(0, 16) / 8.0; // queued work begins later
      const double work = *rc::gen::inRange(1, 40) / 8.0;
      const double sum = by_sum(speeds, some.places, begin, work);
      RC_ASSERT(std::abs(median.seconds(now, begin, work) - sum) <= 1e-12 * (begin + sum));
    }
  }));
}
