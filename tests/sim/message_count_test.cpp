// The cost of a run is known before it starts.
#include "analysis/run/prepared.hpp"
#include "models/schedules/make_schedule.hpp"
#include "sim/message_count.hpp"
#include "tests/support/collective_cases.hpp"
#include "tests/support/effort.hpp"
#include "tests/support/forked.hpp"

#include <catch2/catch.hpp>

using namespace gradflight;
using namespace gradflight::test;

namespace {

MessageCount counted(const Scenario& s) { return message_count(s, Prepared(s).platform(), true); }

} // namespace

TEST_CASE("messages are counted from the schedules before they are simulated") {
  for (const Algorithm algorithm : algorithms())
    for (const auto& c : cases_of(algorithm))
      for (const int p : {2, 5, 9}) {
        Scenario s = star(p, 10'007, algorithm);
        training(s).exchange = c.exchange;
        training(s).iterations = 4;
        training(s).every = is_sharded(c.exchange) ? 1 : 2;
        training(s).accumulation = 3;
        s.engine.shortcuts = false;
        INFO(collective(algorithm).name << " of " << p);
        const auto messages = static_cast<double>(run(s).messages);
        CHECK(counted(s).all >= messages);
        if (!c.exchange.colocated) CHECK(counted(s).all == messages); // messages within a place cost nothing
        CHECK(counted(s).one_by_one == counted(s).all);
      }
}

TEST_CASE("messages that a shortcut stands for are not counted as simulated") {
  Scenario s = star(6, 10'007, Algorithm::ring);
  CHECK(counted(s).all == 60);
  CHECK(counted(s).one_by_one == 0);
  s.traffic = {steady_flow("beside", 0, 1)};
  CHECK(counted(s).one_by_one == counted(s).all);
  s.traffic.clear();
  s.platform.gpus_per_node = 2; // transfers within a node cost nothing, and follow other rules
  CHECK(counted(s).one_by_one == counted(s).all);
}

TEST_CASE("a scenario of too many messages is refused") {
  Scenario s = star(6, 10'007, Algorithm::recursive_doubling);
  training(s).iterations = 100;
  const double count = counted(s).all;
  s.limits.messages = static_cast<std::int64_t>(count);
  CHECK(Preparation().build_and_expect(s).empty());
  s.limits.messages = static_cast<std::int64_t>(count) - 1;
  const auto errors = Preparation().build_and_expect(s);
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].pointer == "/limits/messages");
  CHECK(Preparation{.simulates = false}.build_and_expect(s).empty());
}

TEST_CASE("a million ranks one by one are counted, not walked through") {
  const int ranks = test::is_sanitized ? 100'000 : 1'000'000;
  Scenario s = star(ranks, 25'000'000, Algorithm::ring);
  s.limits.messages.reset();
  CHECK(Preparation().build_and_expect(s).empty());
  s.engine.shortcuts = false;
  CHECK(Preparation().build_and_expect(s).size() == 1);
  CHECK(counted(s).one_by_one == 2.0 * ranks * (ranks - 1));
}
