// The catalogue of collectives: every row is complete, and its schedule agrees with the textbook for all settings that
// it reads.
#include "models/schedules/make_schedule.hpp"
#include "models/schedules/rounds.hpp"
#include "tests/models/schedules/schedule_executor.hpp"
#include "tests/models/schedules/textbook.hpp"
#include "tests/support/collective_cases.hpp"
#include "tests/support/effort.hpp"

#include <catch2/catch.hpp>
#include <rapidcheck.h>
#include <set>

using namespace gradflight;
using namespace gradflight::test;

namespace {

/// Whether every worker has the contributions of all workers at the end.
bool complete(const Collective& row, const Execution& execution, int workers) {
  for (int w = 0; w < workers; ++w) {
    const Vector& data = execution.data[static_cast<std::size_t>(w)];
    for (std::size_t i = 0; i < data.size(); ++i) {
      const bool side_by_side = row.unit == Unit::lists && !row.one_list;
      if (data[i] != (side_by_side ? Contributions{1} << i : everyone(workers))) return false;
    }
  }
  return true;
}

Execution run(const ExchangeSpec& x, int p, std::int64_t n, unsigned seed, bool rendezvous) {
  const Collective& row = collective(x.algorithm);
  const auto schedule = make_schedule(x, p);
  REQUIRE(schedule->workers() == p);
  REQUIRE(schedule->participants() == p + helper_count(x, p));
  ExecutorOptions options;
  options.n = n;
  options.seed = seed;
  options.rendezvous = rendezvous;
  if (x.colocated) options.place = [p](int i) { return i < p ? i : i - p; };
  options.wraps = row.keys.sharded; // Bruck's runs of blocks continue at the beginning
  if (row.unit == Unit::lists) options.n = row.one_list ? 1 : p;
  if (row.unit == Unit::lists && !row.one_list) {
    options.wraps = true;
    options.initial = [p](int i) {
      Vector lists(static_cast<std::size_t>(p), 0);
      lists[static_cast<std::size_t>(i)] = Contributions{1} << i;
      return lists;
    };
  }
  return execute(*schedule, options);
}

bool possible(const ExchangeSpec& x, int p) { return !x.colocated || x.servers <= p; }

/// `in_order`: all participants took turns in order, which gives the textbook's longest chain.
void require_textbook(const ExchangeSpec& x, int p, std::int64_t n, const Execution& execution, bool in_order) {
  const Collective& row = collective(x.algorithm);
  const Expected expected = textbook(x.algorithm)(x, p, n);
  REQUIRE(complete(row, execution, p));
  REQUIRE(execution.messages == expected.messages);
  REQUIRE(execution.units == expected.units);
  REQUIRE(execution.updated == (row.keys.servers ? n : 0));
  if (!in_order) return;
  if (expected.at_most)
    REQUIRE(execution.alphas <= expected.alphas);
  else
    REQUIRE(execution.alphas == expected.alphas);
}

} // namespace

TEST_CASE("every row of the catalogue is complete, and the textbook has a page on it") {
  std::set<std::string_view> names, titles, documentations;
  for (const Algorithm algorithm : algorithms()) {
    const Collective& row = collective(algorithm);
    INFO(row.name);
    CHECK(names.insert(row.name).second);
    CHECK(titles.insert(row.title).second);
    CHECK(documentations.insert(row.documentation).second);
    CHECK_FALSE(row.documentation.ends_with('.'));
    REQUIRE(row.schedule != nullptr);
    CHECK(textbook(algorithm) != nullptr); // without an entry in textbook.cpp, its messages are not tested
    CHECK((!row.one_list || row.unit == Unit::lists));
    CHECK((row.helpers != nullptr) == (row.keys.servers || row.keys.levels));
    if (const auto* const* form = std::get_if<const StepsForm*>(&row.form)) {
      CHECK((*form)->texts != nullptr);
      CHECK(((*form)->path != nullptr) == (row.unit == Unit::elements)); // codecs support everything except lists
      CHECK(((*form)->path != nullptr || (*form)->cost != nullptr));
    }
  }
}

TEST_CASE("names of collectives as a sentence lists them") {
  CHECK(collective_names([](const Collective& row) { return row.unit == Unit::lists; }) == "topk_allgather or gtopk");
  CHECK(collective_names([](const Collective& row) { return row.keys.pieces; }) == "ring");
  CHECK(collective_names([](const Collective& row) { return row.keys.servers || row.keys.pieces || row.keys.levels; },
                         " and ") == "parameter_server, ring and hierarchical");
}

TEST_CASE("every collective is complete and sends what the textbook says, p = 1..64") {
  for (const CollectiveCase& one : all_cases())
    for (int p = 1; p <= 64; p += one.name == collective(one.exchange.algorithm).name ? (test::is_sanitized ? 7 : 1)
                                                                                      : (test::is_sanitized ? 21 : 7))
      for (const std::int64_t n : {std::int64_t{1}, std::int64_t{p}, std::int64_t{2} * p + 1, std::int64_t{61}}) {
        if (!possible(one.exchange, p)) continue;
        CAPTURE(one.name, p, n);
        require_textbook(one.exchange, p, n, run(one.exchange, p, n, 1, false), true);
      }
}

TEST_CASE("every collective in any order, eager or rendezvous") {
  REQUIRE(rc::check("collective", [] {
    const CollectiveCase one = *rc::gen::elementOf(all_cases());
    ExchangeSpec x = one.exchange;
    const int p = *rc::gen::inRange(1, 65);
    const std::int64_t n =
        *rc::gen::oneOf(rc::gen::inRange<std::int64_t>(1, 80), rc::gen::inRange<std::int64_t>(1, 3000));
    if (collective(x.algorithm).keys.pieces) x.pieces = *rc::gen::inRange(1, 9);
    RC_PRE(possible(x, p));
    CAPTURE(one.name, p, n);
    require_textbook(x, p, n, run(x, p, n, *rc::gen::arbitrary<unsigned>(), *rc::gen::arbitrary<bool>()), false);
  }));
}

TEST_CASE("rounds have every pair of a schedule, and nobody sends twice where all take steps") {
  for (const CollectiveCase& one : all_cases()) {
    const bool steps = std::holds_alternative<const StepsForm*>(collective(one.exchange.algorithm).form);
    for (int p = 1; p <= 33; ++p) {
      CAPTURE(one.name, p);
      if (!possible(one.exchange, p)) continue;
      const auto schedule = make_schedule(one.exchange, p);
      std::set<std::pair<int, int>> pairs, seen;
      for (int i = 0; i < schedule->participants(); ++i)
        for (int s = 0; s < schedule->steps(i); ++s)
          if (const Step step = schedule->step(p, i, s); step.to != no_rank) pairs.emplace(i, step.to);
      for (const Messages& round : rounds(*schedule)) {
        std::set<int> senders;
        REQUIRE_FALSE(round.empty());
        for (const auto& [from, to] : round) {
          const bool first = senders.insert(from).second;
          REQUIRE((first || !steps)); // servers and masters send many answers at once
          seen.emplace(from, to);
        }
      }
      REQUIRE(seen == pairs);
    }
  }
}

TEST_CASE("a round ring is one that hands blocks to the next rank, and no other") {
  const auto forwards = [](const ExchangeSpec& x, int p) {
    const auto schedule = make_schedule(x, p);
    const std::int64_t n = 10 * p + 3;
    const Blocks blocks(n, p);
    for (int i = 0; i < schedule->participants(); ++i) {
      if (schedule->steps(i) != 2 * (p - 1)) return false;
      for (int s = 0; s < schedule->steps(i); ++s) {
        const Step step = schedule->step(n, i, s);
        const Range sent = blocks.range((i - s + 2 * p) % p), received = blocks.range((i - s - 1 + 2 * p) % p);
        if (step.to != (i + 1) % p || step.from != (i + p - 1) % p || step.out != sent || step.in != received ||
            step.combine != (s < p - 1 ? Combine::reduce : Combine::take))
          return false;
      }
    }
    return true;
  };
  for (const Algorithm algorithm : algorithms()) {
    INFO(collective(algorithm).name);
    CHECK(collective(algorithm).round_ring == forwards(cases_of(algorithm).front().exchange, 5));
  }
}

TEST_CASE("rounds of a ring, a tree and a fold") {
  const auto of = [](Algorithm algorithm, int p) {
    ExchangeSpec x;
    x.algorithm = algorithm;
    return rounds(*make_schedule(x, p));
  };
  using Rounds = std::vector<Messages>;
  CHECK(of(Algorithm::ring, 1).empty());
  CHECK(of(Algorithm::ring, 3) == Rounds{{{0, 1}, {1, 2}, {2, 0}}});
  CHECK(of(Algorithm::binomial_tree, 4) == Rounds{{{1, 0}, {3, 2}}, {{2, 0}}, {{0, 2}}, {{0, 1}, {2, 3}}});
  CHECK(of(Algorithm::recursive_doubling, 3) == Rounds{{{0, 1}}, {{1, 2}, {2, 1}}, {{1, 0}}});
}

TEST_CASE("a schedule whose participants wait for each other is found out") {
  class Stuck final : public Schedule {
  public:
    [[nodiscard]] int participants() const override { return 2; }
    [[nodiscard]] int workers() const override { return 2; }
    [[nodiscard]] int steps(int) const override { return 1; }
    [[nodiscard]] Step step(std::int64_t, int i, int) const override {
      Step step;
      step.from = 1 - i;
      return step;
    }
  };
  CHECK_THROWS_AS(rounds(Stuck()), std::logic_error);
}
