#include "sim/engine/calendar/instants.hpp"

#include <bit>
#include <catch2/catch.hpp>
#include <rapidcheck.h>
#include <set>
#include <utility>

namespace gradflight {
namespace {

using Key = std::pair<std::uint64_t, std::uint64_t>;

Instant at_time(double time, std::uint64_t order) { return {std::bit_cast<std::uint64_t>(time), order}; }
Key key(const Instant& instant) { return {instant.time, instant.order}; }

/// Takes and adds in turn like a simulation: nothing is added before the time of the last taken instant.
template <class Delay> void run_beside_a_set(int rounds, int at_first, Delay delay) {
  Instants instants;
  std::set<Key> expected;
  std::uint64_t order = 0;
  const auto add = [&](double time) {
    const Instant added = at_time(time, ++order);
    instants.push(added);
    expected.insert(key(added));
  };
  for (int i = 0; i < at_first; ++i) add(delay());
  for (int round = 0; round < rounds && !expected.empty(); ++round) {
    RC_ASSERT(!instants.empty());
    RC_ASSERT(key(instants.top()) == *expected.begin());
    const auto now = std::bit_cast<double>(instants.top().time);
    instants.pop();
    expected.erase(expected.begin());
    for (std::size_t k = 0; const Instant* later = instants.foreseen(k); ++k) RC_ASSERT(expected.contains(key(*later)));
    const int added = *rc::gen::inRange(0, 3);
    for (int i = 0; i < added; ++i) add(now + delay());
  }
  for (; !expected.empty(); expected.erase(expected.begin())) {
    RC_ASSERT(key(instants.top()) == *expected.begin());
    instants.pop();
  }
  RC_ASSERT(instants.empty());
}

TEST_CASE("instants come in order of time, those of one time as they were added") {
  SECTION("a few delays, each in a queue of its own") {
    CHECK(rc::check([] { run_beside_a_set(300, 40, [] { return *rc::gen::element(0.0, 1.0, 2.5, 7.0); }); }));
  }
  SECTION("any delay: more than the queues hold in order") {
    CHECK(rc::check([] { run_beside_a_set(300, 60, [] { return *rc::gen::inRange(0, 1000) * 0.25; }); }));
  }
}

TEST_CASE("instants that come ever earlier fit behind none, and are in order all the same") {
  Instants instants;
  for (std::uint64_t i = 0; i < 100; ++i) instants.push(at_time(100.0 - static_cast<double>(i), i));
  for (std::uint64_t i = 100; i-- > 0; instants.pop()) CHECK(instants.top().order == i);
  CHECK(instants.empty());
}

TEST_CASE("instants are empty once cleared") {
  Instants instants;
  for (std::uint64_t i = 0; i < 50; ++i) instants.push(at_time(static_cast<double>(i % 7), i));
  instants.clear();
  CHECK(instants.empty());
  instants.push(at_time(3, 1));
  instants.push(at_time(2, 2));
  CHECK(instants.top().order == 2);
}

} // namespace
} // namespace gradflight
