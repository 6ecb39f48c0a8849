// Properties of schedules beyond those of every collective (catalogue_test.cpp): pipelining, legs of servers, and
// random settings.
#include "tests/models/schedules/schedule_executor.hpp"
#include "tests/models/schedules/textbook.hpp"

#include "models/schedules/make_schedule.hpp"

#include <catch2/catch.hpp>
#include <rapidcheck.h>

using namespace gradflight;
using namespace gradflight::test;

namespace {

int any_workers() { return *rc::gen::inRange(1, 65); }
std::int64_t any_length() {
  return *rc::gen::oneOf(rc::gen::inRange<std::int64_t>(1, 80), rc::gen::inRange<std::int64_t>(1, 3000));
}

ExchangeSpec exchange_of(Algorithm algorithm) {
  ExchangeSpec exchange;
  exchange.algorithm = algorithm;
  return exchange;
}

ExecutorOptions any_options(std::int64_t n) {
  ExecutorOptions options;
  options.n = n;
  options.seed = *rc::gen::arbitrary<unsigned>();
  options.rendezvous = *rc::gen::arbitrary<bool>();
  return options;
}

} // namespace

TEST_CASE("a lag larger than pieces - 1 would send what is not reduced yet") {
  // The executor reduces as late as lag() allows, so it must detect one step more.
  class TooLate final : public Schedule {
  public:
    TooLate()
        : inner_(make_schedule(
              [] {
                ExchangeSpec x;
                x.pieces = 3;
                return x;
              }(),
              5)) {}
    [[nodiscard]] int participants() const override { return 5; }
    [[nodiscard]] int workers() const override { return 5; }
    [[nodiscard]] int steps(int i) const override { return inner_->steps(i); }
    [[nodiscard]] Step step(std::int64_t n, int i, int s) const override { return inner_->step(n, i, s); }
    [[nodiscard]] int lag() const override { return inner_->lag() + 1; }
    std::unique_ptr<Schedule> inner_;
  };
  ExecutorOptions options;
  options.n = 30;
  options.lossless = options.no_repeats = false;
  REQUIRE_FALSE(all_reduced(execute(TooLate(), options), 5));
}

TEST_CASE("parameter server: every shard is summed, updated once, and reaches every worker") {
  REQUIRE(rc::check("parameter server", [] {
    const int p = any_workers(), servers = *rc::gen::inRange(1, 70);
    const std::int64_t n = any_length();
    ExchangeSpec exchange = exchange_of(Algorithm::parameter_server);
    exchange.pull = *rc::gen::element(Pull::flat, Pull::binomial);
    exchange.colocated = *rc::gen::arbitrary<bool>();
    exchange.servers = exchange.colocated ? std::min(servers, p) : servers;
    ExecutorOptions options = any_options(n);
    if (exchange.colocated) options.place = [p](int i) { return i < p ? i : i - p; };
    const Execution execution = execute(exchange, p, options);
    RC_ASSERT(all_reduced(execution, p));
    RC_ASSERT(execution.updated == n);
    const std::int64_t own = exchange.colocated ? 1 : 0; // messages between one worker and its server cost nothing
    RC_ASSERT(execution.messages == 2 * exchange.servers * (p - own));
    RC_ASSERT(execution.units == 2 * n * (p - own));
    const int tree = ceil_log2(exchange.colocated ? p : p + 1);
    const int pull = exchange.pull == Pull::flat ? 1 : tree;
    RC_ASSERT(execution.alphas == (exchange.colocated && p == 1 ? 0 : 1 + pull));
  }));
}

TEST_CASE("parameter server: push and pull on their own") {
  REQUIRE(rc::check("legs", [] {
    const int p = any_workers();
    const std::int64_t n = any_length();
    ExchangeSpec exchange = exchange_of(Algorithm::parameter_server);
    exchange.servers = *rc::gen::inRange(1, 20);
    exchange.pull = *rc::gen::element(Pull::flat, Pull::binomial);
    ExecutorOptions options = any_options(n);
    const Execution push = execute(*make_push_schedule(exchange, p), options);
    RC_ASSERT(push.updated == n);
    RC_ASSERT(push.units == n * p);
    options.initial = [&](int i) {
      return i < p ? Vector(static_cast<std::size_t>(n), Contributions{1} << i)
                   : push.data[static_cast<std::size_t>(i)];
    };
    const Execution pull = execute(*make_pull_schedule(exchange, p), options);
    RC_ASSERT(all_reduced(pull, p));
    RC_ASSERT(pull.updated == 0);
    RC_ASSERT(push.messages + pull.messages == 2 * std::int64_t{p} * exchange.servers);
  }));
}

TEST_CASE("parameter server: with backup workers the servers go on without the last gradients") {
  REQUIRE(rc::check("backup workers", [] {
    const int p = *rc::gen::inRange(2, 65);
    ExchangeSpec exchange = exchange_of(Algorithm::parameter_server);
    exchange.backup_workers = *rc::gen::inRange(1, p);
    exchange.servers = *rc::gen::inRange(1, 5);
    ExecutorOptions options = any_options(50);
    options.rendezvous = false;
    options.lossless = options.no_repeats = false;
    options.unclaimed = std::int64_t{exchange.backup_workers} * exchange.servers;
    options.update_with = static_cast<Contributions>(p - exchange.backup_workers);
    const Execution execution = execute(exchange, p, options);
    for (int w = 0; w < p; ++w) RC_ASSERT(execution.data[static_cast<std::size_t>(w)] == execution.data[0]);
  }));
}
