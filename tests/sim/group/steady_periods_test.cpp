// Whether periods are even, by hand: streams that set marks.
#include "sim/group/steady_periods.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <vector>

using namespace gradflight;

namespace {

/// Returns the number of periods up to the first stretch, and the stretch. `mark`: when a stream marks a period.
std::pair<int, EvenStretch> first_even(int streams, int periods, const std::function<double(int, int)>& mark) {
  struct Mark {
    double time;
    int period;
  };
  std::vector<Mark> marks;
  for (int stream = 0; stream < streams; ++stream)
    for (int period = 0; period < periods; ++period) marks.push_back({mark(stream, period), period});
  std::ranges::stable_sort(marks, {}, &Mark::time);
  std::vector<int> set(static_cast<std::size_t>(periods), 0);
  SteadyPeriods steady(streams);
  for (const Mark& m : marks) {
    steady.marked(m.time);
    if (++set[static_cast<std::size_t>(m.period)] < streams) continue;
    if (const auto stretch = steady.ended()) return {m.period + 1, *stretch};
  }
  return {0, {}};
}

} // namespace

TEST_CASE("periods of one length are even after twelve of them") {
  const auto [count, stretch] =
      first_even(3, 40, [](int stream, int period) { return 5 + 2.0 * period + 0.3 * stream; });
  CHECK(count == 13);
  CHECK(stretch.periods == 1);
  CHECK(stretch.seconds == Approx(2).epsilon(1e-12));
  CHECK(stretch.uneven == 0);
}

TEST_CASE("a beginning that differs delays the decision") {
  const auto [count, stretch] =
      first_even(2, 60, [](int stream, int period) { return (period < 7 ? 3.0 * period : 2.0 * period + 7) + stream; });
  CHECK(count == 7 + 13);
  CHECK(stretch.periods == 1);
}

TEST_CASE("periods that alternate are even in pairs") {
  const auto [count, stretch] =
      first_even(2, 60, [](int stream, int period) { return 3.0 * (period / 2) + 1.0 * (period % 2) + 0.25 * stream; });
  CHECK(count == 14);
  CHECK(stretch.periods == 2);
  CHECK(stretch.seconds == 3);
}

TEST_CASE("streams that mark at one instant count for the period that begins then, in whatever order") {
  for (const double apart : {2.0, 4.0}) { // stream 1 is one or two whole periods ahead
    const auto [count, stretch] =
        first_even(2, 40, [=](int stream, int period) { return 10 + 2.0 * period - apart * stream; });
    CHECK(count > 0);
    CHECK(stretch.periods == 1);
    CHECK(stretch.seconds == 2);
  }
}

TEST_CASE("periods that end evenly while one stream gets further ahead are not even") {
  const auto ahead = [](int stream, int period) { return stream == 0 ? 2.0 * period : 1.5 * period; };
  CHECK(first_even(2, 300, ahead).first == 0);
  const auto until = [](int stream, int period) { // its lead ends with period 20, at 30 s: the end of period 15
    return stream == 0 ? 2.0 * period : 1.5 * period + std::max(0.0, 0.5 * (period - 20));
  };
  const auto [count, stretch] = first_even(2, 300, until);
  CHECK(count > 15 + 12);
  CHECK(count < 15 + 16);
  CHECK(stretch.uneven == 0);
}

TEST_CASE("streams that run slowly ahead do not delay the decision, which says how slowly") {
  const auto ahead = [](double gain) { // of one of ten streams in each period
    return [gain](int stream, int period) { return stream == 0 ? 2.0 * period / (1 + gain) : 2.0 * period; };
  };
  const auto [count, stretch] = first_even(10, 300, ahead(0.1));
  CHECK(count == 25);
  CHECK(stretch.periods == 12);
  CHECK(stretch.seconds == Approx(24).epsilon(1e-12));
  CHECK(stretch.uneven > 0);
  CHECK(stretch.uneven <= 0.01);
  CHECK(first_even(10, 300, ahead(0.5)).first > 200); // not before stream 0 has ended
  CHECK(first_even(10, 300, ahead(0)).second.uneven == 0);
}

TEST_CASE("periods that take turns without a pattern count by their mean, after many") {
  const auto [count, stretch] = first_even(2, 200, [](int stream, int period) {
    return 10.0 * period + 0.01 * ((period * period * 7 + period) % 23) + stream;
  });
  CHECK(count >= 60);
  CHECK(stretch.periods == 40);
  CHECK(stretch.uneven > 0);
  CHECK(stretch.uneven < 0.01);
  CHECK(stretch.seconds == Approx(400).epsilon(0.01));
}

TEST_CASE("periods that take turns in twenty ways are not even, though both halves of a stretch take equally long") {
  const auto [count, stretch] =
      first_even(1, 200, [](int, int period) { return 10.0 * period + ((period * period * 7 + period) % 20) / 16.0; });
  CHECK(count >= 60);
  CHECK(stretch.periods == 40);
  CHECK(stretch.uneven > 0); // leaving out a part of the twenty shifts what comes after
}
