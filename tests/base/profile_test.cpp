// Values that change at given times, and the order of events that repeat: by hand, and against lists of all changes.
#include "base/profile.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <rapidcheck.h>
#include <tuple>
#include <utility>

using namespace gradflight;

namespace {

/// Changes with decimal times, for which neither sums nor quotients are exact.
struct Changes {
  double period = 0;
  std::vector<std::pair<double, double>> steps; // time, value
};

Changes some_changes() {
  Changes changes;
  const int length = *rc::gen::inRange(2, 2000);
  if (*rc::gen::arbitrary<bool>()) changes.period = length / 1000.0;
  double at = 0;
  for (int left = length - 1, value = 1; left > 0 && changes.steps.size() < 5; ++value) {
    const int wait = *rc::gen::inRange(0, left) + (changes.steps.empty() ? 0 : 1);
    at += wait / 1000.0;
    left -= wait;
    if (changes.period > 0 && at >= changes.period) break;
    changes.steps.emplace_back(at, value);
  }
  return changes;
}

} // namespace

TEST_CASE("a value that never changes") {
  const Profile profile(3);
  CHECK(profile.value(0) == 3);
  CHECK(profile.value(1e300) == 3);
  CHECK(profile.next(0) == Profile::never);
  CHECK(profile.first() == Profile::never);
  CHECK(profile.zero_from() == Profile::never);
}

TEST_CASE("changes that occur once: a value holds from its time on") {
  Profile profile(1);
  profile.add(2, 0.5);
  profile.add(4, 0);
  CHECK(profile.first() == 2);
  CHECK(profile.value(1.99) == 1);
  CHECK(profile.value(2) == 0.5);
  CHECK(profile.value(3.99) == 0.5);
  CHECK(profile.value(4) == 0);
  CHECK(profile.value(1e300) == 0);
  CHECK(profile.next(0) == 2);
  CHECK(profile.next(2) == 4);
  CHECK(profile.next(4) == Profile::never);
  CHECK(profile.zero_from() == 4);
}

TEST_CASE("changes that repeat: the last value of a period holds until the next period's first change") {
  Profile profile(1, 10);
  profile.add(2, 0);
  profile.add(5, 7);
  CHECK(profile.value(0) == 1);
  CHECK(profile.value(2) == 0);
  CHECK(profile.value(5) == 7);
  CHECK(profile.value(11) == 7);
  CHECK(profile.value(12) == 0);
  CHECK(profile.value(1e9 + 4) == 0);
  CHECK(profile.next(0) == 2);
  CHECK(profile.next(2) == 5);
  CHECK(profile.next(5) == 12);
  CHECK(profile.next(1e9 + 2) == 1e9 + 5);
  CHECK(profile.zero_from() == Profile::never); // it is 7 again in each period
  Profile down(1, 10);
  down.add(3, 0);
  CHECK(down.zero_from() == 3);
}

TEST_CASE("times beyond the digits of a double end the changes instead of repeating one time for ever") {
  Profile profile(1, 1e-3);
  profile.add(0, 0.5);
  CHECK(profile.next(1e30) == Profile::never);
  CHECK(profile.value(1e300) == 0.5);
  CHECK(Recurrence{1e20, 1e-3}.after(0) == Recurrence::never);
  Occurrences times;
  times.add({1e20, 1e-3});
  CHECK(times.take() == 0);
  CHECK(times.next() == Occurrences::never);
}

TEST_CASE("a profile has the value of a change exactly from the change's time on") {
  REQUIRE(rc::check("profile == list of changes", [] {
    const Changes changes = some_changes();
    Profile profile(-1, changes.period);
    for (const auto& [at, value] : changes.steps) profile.add(at, value);
    double now = -1;
    for (int round = 0; round < (changes.period > 0 ? 200 : 1); ++round)
      for (const auto& [at, value] : changes.steps) {
        const double time = at + round * changes.period;
        RC_ASSERT(profile.next(now) == time);
        RC_ASSERT(profile.value(time) == value);
        RC_ASSERT(profile.value(std::nextafter(time, -1)) == profile.value(now));
        now = time;
      }
    if (changes.period <= 0) RC_ASSERT(profile.next(now) == Profile::never);
  }));
}

TEST_CASE("the last round of an event up to a time") {
  REQUIRE(rc::check("last_round finds each time of the event itself", [] {
    const Recurrence times{*rc::gen::inRange(0, 1000) / 1000.0, *rc::gen::inRange(1, 1000) / 1000.0};
    const int round = *rc::gen::inRange(0, 100'000);
    RC_ASSERT(times.last_round(times.time(round)) == round);
    RC_ASSERT(times.last_round(std::nextafter(times.time(round), -1)) == round - 1);
  }));
  CHECK(Recurrence{2, 0}.last_round(1) == -1);
  CHECK(Recurrence{2, 0}.last_round(1e9) == 0);
  CHECK(Recurrence{2, 0}.after(0) == Recurrence::never);
  CHECK(Recurrence{2, 3}.after(1) == 8);
}

TEST_CASE("events occur in the order of their times, at one time in the order in which they were added") {
  REQUIRE(rc::check("occurrences == sorted list", [] {
    const int count = *rc::gen::inRange(1, 8);
    Occurrences times;
    std::vector<std::tuple<double, std::size_t>> all;
    constexpr double until = 20;
    for (int i = 0; i < count; ++i) {
      // Small whole numbers, so that many events meet.
      const Recurrence one{double(*rc::gen::inRange(0, 5)), double(*rc::gen::inRange(0, 4))};
      times.add(one);
      for (int round = 0; one.time(round) <= until && (round == 0 || one.period > 0); ++round)
        all.emplace_back(one.time(round), std::size_t(i));
    }
    std::ranges::sort(all);
    for (const auto& [at, number] : all) {
      RC_ASSERT(times.next() == at);
      RC_ASSERT(times.take() == number);
    }
    RC_ASSERT(times.next() > until);
  }));
}
