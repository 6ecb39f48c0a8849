// Properties of every schedule: no deadlock, each block reaches each worker once and reduced over all, bytes conserved,
// message counts and longest chains as in the textbook.
#include "tests/sim/schedules/schedule_executor.hpp"

#include "sim/schedules/make_schedule.hpp"

#include <catch2/catch.hpp>
#include <rapidcheck.h>

#include <bit>

using namespace gradflight;
using namespace gradflight::test;

namespace {

int floor_log2(int p) { return static_cast<int>(std::bit_width(static_cast<unsigned>(p))) - 1; }
int ceil_log2(int p) { return static_cast<int>(std::bit_width(static_cast<unsigned>(p - 1))); }

int any_workers() { return *rc::gen::inRange(1, 65); }
std::int64_t any_length() {
  return *rc::gen::oneOf(rc::gen::inRange<std::int64_t>(1, 80), rc::gen::inRange<std::int64_t>(1, 3000));
}

Execution run(const ExchangeSpec& exchange, int workers, ExecutorOptions options) {
  const auto schedule = make_schedule(exchange, workers);
  REQUIRE(schedule->workers() == workers);
  REQUIRE(schedule->participants() == workers + helper_count(exchange, workers));
  return execute(*schedule, options);
}

bool all_reduced(const Execution& execution, int workers) {
  for (int w = 0; w < workers; ++w)
    for (const Contributions c : execution.data[static_cast<std::size_t>(w)])
      if (c != everyone(workers)) return false;
  return true;
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

struct Expected {
  std::int64_t messages, elements;
  int alphas;
};

Expected textbook(Algorithm algorithm, int p, std::int64_t n) {
  const std::int64_t p2 = std::int64_t{1} << floor_log2(p), extra = p - p2;
  const int rounds = floor_log2(p), fold = extra > 0 ? 2 : 0;
  switch (algorithm) {
  case Algorithm::ring: return {std::int64_t{2} * p * (p - 1), 2 * (p - 1) * n, 2 * (p - 1)};
  case Algorithm::recursive_doubling: return {p2 * rounds + 2 * extra, (p2 * rounds + 2 * extra) * n, rounds + fold};
  case Algorithm::halving_doubling: return {2 * p2 * rounds + 2 * extra, 2 * (p2 - 1 + extra) * n, 2 * rounds + fold};
  default: return {2 * (p - 1), 2 * (p - 1) * n, 2 * ceil_log2(p)};
  }
}

} // namespace

TEST_CASE("dense all-reduces are complete and cost what the textbook says, p = 1..64") {
  for (const Algorithm algorithm :
       {Algorithm::ring, Algorithm::recursive_doubling, Algorithm::halving_doubling, Algorithm::binomial_tree})
    for (int p = 1; p <= 64; ++p)
      for (const std::int64_t n : {std::int64_t{1}, std::int64_t{p}, std::int64_t{2} * p + 1, std::int64_t{61}}) {
        CAPTURE(static_cast<int>(algorithm), p, n);
        ExecutorOptions options;
        options.n = n;
        const Execution execution = run(exchange_of(algorithm), p, options);
        const Expected expected = textbook(algorithm, p, n);
        REQUIRE(all_reduced(execution, p));
        REQUIRE(execution.messages == expected.messages);
        REQUIRE(execution.units == expected.elements);
        // Off a power of two some leaves of the binomial reduction need not wait for their round.
        if (algorithm == Algorithm::binomial_tree && !std::has_single_bit(static_cast<unsigned>(p)))
          REQUIRE(execution.alphas <= expected.alphas);
        else
          REQUIRE(execution.alphas == expected.alphas);
      }
}

TEST_CASE("dense all-reduces in any order, eager or rendezvous") {
  REQUIRE(rc::check("all-reduce", [] {
    const int p = any_workers();
    const std::int64_t n = any_length();
    ExchangeSpec exchange = exchange_of(*rc::gen::element(Algorithm::ring, Algorithm::recursive_doubling,
                                                          Algorithm::halving_doubling, Algorithm::binomial_tree));
    if (exchange.algorithm == Algorithm::ring) exchange.pieces = *rc::gen::inRange(1, 9);
    const Execution execution = run(exchange, p, any_options(n));
    RC_ASSERT(all_reduced(execution, p));
    const Expected expected = textbook(exchange.algorithm, p, n);
    RC_ASSERT(execution.units == expected.elements);
    RC_ASSERT(execution.messages == expected.messages * exchange.pieces);
  }));
}

TEST_CASE("a lag larger than pieces - 1 would send what is not reduced yet") {
  // The executor reduces as late as lag() allows: it must notice one step more.
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
    [[nodiscard]] std::string name() const override { return "too late"; }
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
    const Execution execution = run(exchange, p, options);
    RC_ASSERT(all_reduced(execution, p));
    RC_ASSERT(execution.updated == n);
    const std::int64_t own = exchange.colocated ? 1 : 0; // one worker's messages a server are free
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
    const Execution execution = run(exchange, p, options);
    for (int w = 0; w < p; ++w) RC_ASSERT(execution.data[static_cast<std::size_t>(w)] == execution.data[0]);
  }));
}

TEST_CASE("top-k all-gather: every worker ends with every list once, p = 1..64") {
  for (int p = 1; p <= 64; ++p)
    for (const bool rendezvous : {false, true}) {
      CAPTURE(p, rendezvous);
      ExecutorOptions options;
      options.n = p;
      options.wraps = true;
      options.rendezvous = rendezvous;
      options.initial = [p](int i) {
        Vector lists(static_cast<std::size_t>(p), 0);
        lists[static_cast<std::size_t>(i)] = Contributions{1} << i;
        return lists;
      };
      for (const AllGather way : {AllGather::recursive_doubling, AllGather::ring}) {
        ExchangeSpec exchange = exchange_of(Algorithm::topk_allgather);
        exchange.all_gather = way;
        const int rounds = way == AllGather::ring ? p - 1 : ceil_log2(p);
        const Execution execution = run(exchange, p, options);
        for (const Vector& lists : execution.data)
          for (int i = 0; i < p; ++i) REQUIRE(lists[static_cast<std::size_t>(i)] == Contributions{1} << i);
        REQUIRE(execution.messages == std::int64_t{p} * rounds);
        REQUIRE(execution.units == std::int64_t{p} * (p - 1));
        REQUIRE(execution.alphas == rounds);
      }
    }
}

TEST_CASE("gTop-k: every list is merged once and all get the result, p = 1..64") {
  for (int p = 1; p <= 64; ++p)
    for (const bool rendezvous : {false, true}) {
      CAPTURE(p, rendezvous);
      ExecutorOptions options;
      options.rendezvous = rendezvous;
      const Execution execution = run(exchange_of(Algorithm::gtopk), p, options);
      REQUIRE(all_reduced(execution, p));
      REQUIRE(execution.messages == 2 * (p - 1));
      REQUIRE(execution.alphas <= 2 * ceil_log2(p));
      if (std::has_single_bit(static_cast<unsigned>(p))) REQUIRE(execution.alphas == 2 * ceil_log2(p));
    }
}
