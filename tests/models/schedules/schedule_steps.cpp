// Compares single steps with the listings in the papers.
#include "models/schedules/make_schedule.hpp"
#include "tests/models/schedules/describe_schedule.hpp"

#include <catch2/catch.hpp>

using namespace gradflight;

namespace {

std::unique_ptr<Schedule> make(Algorithm algorithm, int workers) {
  ExchangeSpec exchange;
  exchange.algorithm = algorithm;
  return make_schedule(exchange, workers);
}

} // namespace

TEST_CASE("ring: INCEPTIONN Alg. 1, four workers") {
  const auto ring = make(Algorithm::ring, 4);
  REQUIRE(ring->steps(1) == 6);
  // Node i receives blk[(i - s) % 4] in step s. The listing prints i - s + 1 for s >= 4, but the sender does not have
  // that block.
  for (int i = 0; i < 4; ++i)
    for (int s = 1; s <= 6; ++s) {
      const Step step = ring->step(400, i, s - 1);
      const int block = (i - s + 8) % 4;
      CHECK(step.in == Range{100 * block, 100});
      CHECK(step.combine == (s < 4 ? Combine::reduce : Combine::take));
      CHECK(step.from == (i + 3) % 4);
      CHECK(step.to == (i + 1) % 4);
    }
}

TEST_CASE("steps read well") {
  CHECK(describe(*make(Algorithm::ring, 4), 1000, 1, 2) ==
        "step 2: send [750,1000) to 2, receive [500,750) from 0, reduce");
  CHECK(describe(*make(Algorithm::binomial_tree, 4), 10, 3, 0) == "step 0: send [0,10) to 2");
  CHECK(describe(*make(Algorithm::gtopk, 4), 10, 0, 1, Unit::lists) == "step 1: receive lists [0,1) from 2, merge");
  CHECK(describe(*make(Algorithm::topk_allgather, 3), 10, 2, 0, Unit::lists) ==
        "step 0: send lists [2,3) to 1, receive lists [0,1) from 0, merge");
  ExchangeSpec round;
  round.algorithm = Algorithm::topk_allgather;
  round.all_gather = AllGather::ring;
  CHECK(describe(*make_schedule(round, 4), 10, 1, 2, Unit::lists) ==
        "step 2: send lists [3,4) to 2, receive lists [2,3) from 0, merge");
  const auto server = make(Algorithm::parameter_server, 2);
  CHECK(describe(*server, 10, 0, 0) == "step 0: send [0,10) to 2 (without waiting)");
  CHECK(describe(*server, 10, 2, 1) == "step 1: receive [0,10) from anyone, reduce");
  CHECK(describe(*server, 10, 2, 2) == "step 2: update [0,10)");
}

TEST_CASE("halving-doubling: halves shrink to one block and grow again, contiguous") {
  const auto schedule = make(Algorithm::halving_doubling, 8);
  const std::int64_t sizes[] = {400, 200, 100, 100, 200, 400};
  for (int i = 0; i < 8; ++i)
    for (int s = 0; s < 6; ++s) {
      const Step step = schedule->step(800, i, s);
      CHECK(step.out.count == sizes[s]);
      CHECK(step.to == (i ^ (1 << (s < 3 ? s : 5 - s))));
    }
}

TEST_CASE("pieces: Pipe-SGD Fig. 3, what is sent was reduced pieces steps before") {
  ExchangeSpec exchange;
  exchange.pieces = 3;
  const auto ring = make_schedule(exchange, 4);
  REQUIRE(ring->lag() == 2);
  for (int s = 3; s < ring->steps(0); ++s) CHECK(ring->step(1000, 2, s).out == ring->step(1000, 2, s - 3).in);
}

TEST_CASE("binomial pull: many servers share the workers' sending evenly") {
  ExchangeSpec exchange;
  exchange.algorithm = Algorithm::parameter_server;
  exchange.servers = 16;
  exchange.pull = Pull::binomial;
  const auto schedule = make_schedule(exchange, 16);
  for (int w = 1; w < 16; ++w) CHECK(schedule->steps(w) == schedule->steps(0));
}

TEST_CASE("settings without a schedule are refused") {
  ExchangeSpec exchange;
  exchange.pieces = 0;
  CHECK_THROWS_AS(make_schedule(exchange, 4), std::invalid_argument);
  exchange.pieces = 2;
  exchange.algorithm = Algorithm::halving_doubling;
  CHECK_THROWS_AS(make_schedule(exchange, 4), std::invalid_argument);
  exchange.pieces = 1;
  CHECK_THROWS_AS(make_push_schedule(exchange, 4), std::invalid_argument);
  CHECK_THROWS_AS(make_schedule(exchange, 0), std::invalid_argument);
  exchange.algorithm = Algorithm::parameter_server;
  exchange.servers = 0;
  CHECK_THROWS_AS(make_schedule(exchange, 4), std::invalid_argument);
  exchange.servers = 5;
  exchange.colocated = true;
  CHECK_THROWS_AS(make_schedule(exchange, 4), std::invalid_argument);
  exchange.servers = 1;
  exchange.backup_workers = 4;
  CHECK_THROWS_AS(make_schedule(exchange, 4), std::invalid_argument);
  exchange.backup_workers = 0;
  exchange.consistency = Consistency::asynchronous;
  exchange.pull = Pull::binomial;
  CHECK_THROWS_AS(make_schedule(exchange, 4), std::invalid_argument);
}
