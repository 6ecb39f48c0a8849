// Events come out by time, and events of equal time in the order of addition, also if events are added in between.
#include "sim/engine/calendar/calendar.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <rapidcheck.h>

using namespace gradflight;

TEST_CASE("the calendar is a stable queue by time") {
  REQUIRE(rc::check("as a stable sort", [] {
    Calendar calendar;
    struct Added {
      double time;
      std::uint32_t index;
    };
    std::vector<Added> pending;
    std::uint32_t index = 0;
    double now = 0;
    const auto add = [&](double time) {
      calendar.add(time, {EventKind::stream, index});
      pending.push_back({time, index++});
    };
    // Few distinct times, so that many events share one; also more than the cache of recent instants holds.
    const int distinct = *rc::gen::element(3, 40, 2000);
    for (int round = *rc::gen::inRange(1, 200); round > 0; --round) {
      for (int n = *rc::gen::inRange(0, 20); n > 0; --n) add(now + *rc::gen::inRange(0, distinct) * 0.125);
      if (pending.empty()) {
        RC_ASSERT(calendar.next() == Calendar::never);
        continue;
      }
      const auto first =
          std::min_element(pending.begin(), pending.end(), [](auto& a, auto& b) { return a.time < b.time; });
      now = first->time;
      RC_ASSERT(calendar.next() == now);
      std::vector<Event> due;
      std::vector<std::uint32_t> got;
      while (calendar.next() == now) {
        calendar.take(due);
        for (const Event e : due) got.push_back(e.index);
      }
      std::vector<std::uint32_t> expected;
      for (const auto& a : pending)
        if (a.time == now) expected.push_back(a.index);
      std::erase_if(pending, [&](const Added& a) { return a.time == now; });
      RC_ASSERT(got == expected);
    }
  }));
}
