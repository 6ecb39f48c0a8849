// Every collective of the catalogue as operations on groups: all data arrive exactly once where they belong.
#include "models/schedules/make_schedule.hpp"

#include "models/forms/collective_cost.hpp"
#include "tests/models/schedules/operations/group_machine.hpp"
#include "tests/support/effort.hpp"

#include <catch2/catch.hpp>
#include <rapidcheck.h>

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <tuple>

using namespace gradflight;
using namespace gradflight::test;

namespace {

constexpr int operations_count = static_cast<int>(operation_names.size());

GroupTraffic carried(const Collective& row, const GroupSpec& spec, unsigned seed) {
  const auto schedule = make_group_schedule(row, spec);
  if (schedule->members() != spec.ranks + (row.group.needs_switch && spec.ranks > 1 ? 1 : 0))
    throw std::runtime_error("members that the catalogue does not promise");
  return carry_out(spec, *schedule, seed);
}

template <class F> void for_each_served(const F& call) {
  for (const Collective* row : group_collectives())
    for (int o = 0; o < operations_count; ++o)
      if (const auto op = static_cast<Operation>(o); row->group.serves(op)) call(*row, op);
}

} // namespace

TEST_CASE("operations of groups: every p from 1 to 64, sizes around a block and a chunk, any root") {
  for_each_served([](const Collective& row, Operation op) {
    for (int p = 1; p <= 64; p += test::is_sanitized && p > 9 ? 11 : 1) {
      GroupSpec spec{op, p, (p * 7 / 10) % p, {}, 0, 1 + p % 9};
      const std::int64_t n = op == Operation::barrier ? 0 : p % 3 == 0 ? 2 * p : p % 3 == 1 ? 3 : p + 5;
      spec.elements = n;
      if (row.group.chunks) spec.chunk = p % 4;
      INFO(row.name << " " << operation_name(op) << " p=" << p << " n=" << n);
      REQUIRE_NOTHROW(carried(row, spec, static_cast<unsigned>(p)));
    }
  });
}

TEST_CASE("operations of groups: any sizes, blocks, roots, chunks, nodes, in any order") {
  REQUIRE(rc::check("group", [] {
    const auto op = static_cast<Operation>(*rc::gen::inRange(0, operations_count));
    GroupSpec spec;
    spec.op = op;
    spec.ranks = *rc::gen::inRange(1, 65);
    spec.root = *rc::gen::inRange(0, spec.ranks);
    spec.chunk = *rc::gen::inRange<std::int64_t>(0, 40);
    spec.group_size = *rc::gen::inRange(1, spec.ranks + 3);
    if (op != Operation::barrier) spec.elements = *rc::gen::inRange<std::int64_t>(0, 150);
    for (const Collective* row : group_collectives_for(op)) {
      RC_LOG() << row->name << " " << operation_name(op) << " p=" << spec.ranks << " root=" << spec.root
               << " n=" << spec.elements << " chunk=" << spec.chunk << " group=" << spec.group_size << "\n";
      try {
        carried(*row, spec, *rc::gen::arbitrary<unsigned>());
      } catch (const std::exception& wrong) {
        RC_FAIL(wrong.what());
      }
    }
  }));
}

TEST_CASE("operations of groups: who says so sends one message a pair, all-to-all above all") {
  std::set<std::string> said;
  for_each_served([&said](const Collective& row, Operation op) {
    for (const int p : {2, 3, 4, 7, 8, 13}) {
      const auto schedule = make_group_schedule(row, {op, p, p / 2, op == Operation::barrier ? 0 : 3 * p, 2, 2});
      if (!schedule->one_message_a_pair()) continue;
      said.insert(fmt::format("{} {}", row.name, operation_name(op)));
      INFO(row.name << " " << operation_name(op) << " p=" << p);
      std::set<std::tuple<int, int, int>> sent, received;
      for (int lane = 0; lane < schedule->lanes(); ++lane)
        for (int member = 0; member < schedule->members(); ++member)
          for (std::int64_t i = 0; i < schedule->steps(lane, member); ++i) {
            const Step step = schedule->step(lane, member, i).step;
            if (step.to != no_rank) REQUIRE(sent.emplace(lane, member, step.to).second);
            if (step.from != no_rank) REQUIRE(received.emplace(lane, step.from, member).second);
          }
      CHECK(sent == received);
    }
  });
  for (const char* each : {"spread alltoall", "pairwise alltoall", "bruck alltoall", "spread gather"})
    CHECK(said.contains(each));
}

TEST_CASE("operations of groups: messages carry the known volume") {
  // Elements that all members send together, with n = 4p for p ranks, relative to the minimum: the data that ranks
  // lack.
  struct Example {
    const char* name;
    Operation op;
    std::int64_t (*elements)(std::int64_t n, std::int64_t p);
  };
  const auto all_but_own = [](std::int64_t n, std::int64_t p) { return (p - 1) * n; };
  const auto without_root = [](std::int64_t n, std::int64_t p) { return n - n / p; };
  const auto twice = [](std::int64_t n, std::int64_t p) { return 2 * (p - 1) * n; };
  const auto doubled = [](std::int64_t n, std::int64_t p) { return n * p * ceil_lg(static_cast<int>(p)); };
  const auto scattered = [](std::int64_t n, std::int64_t p) { return n / 2 * ceil_lg(static_cast<int>(p)); };
  const auto up_and_down = [](std::int64_t n, std::int64_t p) { return 2 * n * p; };
  const std::vector<Example> table{
      {"ring", Operation::all_reduce, twice},
      {"ring", Operation::all_gather, all_but_own},
      {"ring", Operation::reduce_scatter, all_but_own},
      {"ring", Operation::sendrecv, [](std::int64_t n, std::int64_t p) { return n * p; }},
      {"pairwise", Operation::alltoall, all_but_own},
      {"pairwise", Operation::reduce_scatter, all_but_own},
      {"direct", Operation::all_reduce, twice}, // another name for spread
      {"spread", Operation::alltoall, all_but_own},
      {"spread", Operation::all_gather, all_but_own},
      {"spread", Operation::reduce_scatter, all_but_own},
      {"spread", Operation::broadcast, all_but_own},
      {"spread", Operation::reduce, all_but_own},
      {"spread", Operation::gather, without_root},
      {"spread", Operation::scatter, without_root},
      {"bruck", Operation::all_gather, all_but_own},
      {"bruck", Operation::alltoall,
       [](std::int64_t n, std::int64_t p) { return n * p / 2 * ceil_lg(static_cast<int>(p)); }},
      {"recursive_doubling", Operation::all_reduce, doubled},
      {"recursive_doubling", Operation::all_gather, all_but_own},
      {"halving_doubling", Operation::all_reduce, twice},
      {"halving_doubling", Operation::reduce_scatter, all_but_own},
      {"binomial_tree", Operation::all_reduce, twice},
      {"binomial_tree", Operation::broadcast, all_but_own},
      {"binomial_tree", Operation::reduce, all_but_own},
      {"binomial_tree", Operation::gather, scattered},
      {"binomial_tree", Operation::scatter, scattered},
      {"chain", Operation::all_reduce, twice},
      {"chain", Operation::broadcast, all_but_own},
      {"chain", Operation::reduce, all_but_own},
      {"binary_tree", Operation::all_reduce, twice},
      {"binary_tree", Operation::broadcast, all_but_own},
      {"binary_tree", Operation::reduce, all_but_own},
      {"double_binary_tree", Operation::all_reduce, twice},
      {"double_binary_tree", Operation::broadcast, all_but_own},
      {"double_binary_tree", Operation::reduce, all_but_own},
      {"two_level", Operation::all_reduce, twice},
      {"two_level", Operation::all_gather, all_but_own},
      {"two_level", Operation::reduce_scatter, all_but_own},
      {"two_level", Operation::alltoall,
       [](std::int64_t n, std::int64_t p) {
         // Nodes of p/4: inside, all except a local rank's data; across, all except a node's data.
         const std::int64_t size = std::max<std::int64_t>(1, p / 4), nodes = p / size;
         return p * ((size - 1) * n / size + (nodes - 1) * n / nodes);
       }},
      {"scatter_allgather", Operation::broadcast,
       [](std::int64_t n, std::int64_t p) { // on the ring, no rank receives the data that it has from the scatter
         return (p - 1) * n;
       }},
      {"reduce_scatter_gather", Operation::reduce,
       [](std::int64_t n, std::int64_t p) { return (p - 1) * n + n / 2 * ceil_lg(static_cast<int>(p)); }},
      {"in_switch", Operation::all_reduce, up_and_down},
      {"in_switch", Operation::broadcast, [](std::int64_t n, std::int64_t p) { return n * p; }},
      {"in_switch", Operation::reduce, [](std::int64_t n, std::int64_t p) { return n * p; }},
      {"in_switch", Operation::all_gather, [](std::int64_t n, std::int64_t p) { return n * p; }},
      {"in_switch", Operation::reduce_scatter, [](std::int64_t n, std::int64_t p) { return n * p + n; }},
      {"nvls", Operation::all_reduce, [](std::int64_t n, std::int64_t p) { return 2 * n * p + n; }},
  };
  for (const Example& known : table)
    for (const int p : {2, 8, 32}) {
      const std::int64_t n = 4 * p;
      const GroupSpec spec{known.op, p, p / 2, n, 3, std::max(1, p / 4)};
      CAPTURE(known.name, operation_name(known.op), p);
      CHECK(carried(*group_collective(known.name), spec, 1).elements == known.elements(n, p));
    }
}

TEST_CASE(
    "operations of groups: no port carries more than a double tree's 2n, or a ring's and a halving's 2((p-1)/p) n") {
  const auto busiest = [](const char* name, int p, std::int64_t n) {
    const GroupTraffic traffic = carried(*group_collective(name), {Operation::all_reduce, p, 0, n, 5, 1}, 1);
    std::int64_t most = 0;
    for (int rank = 0; rank < p; ++rank)
      most = std::max(
          {most, traffic.sent[static_cast<std::size_t>(rank)], traffic.received[static_cast<std::size_t>(rank)]});
    return most;
  };
  for (int p = 2; p <= 64; ++p) {
    CAPTURE(p);
    if (p % 2 == 0) CHECK(busiest("double_binary_tree", p, 2 * p) <= 4 * p);
    CHECK(busiest("ring", p, 2 * p) == 4 * (p - 1));
    if (is_power_of_two(p)) CHECK(busiest("halving_doubling", p, 2 * p) == 4 * (p - 1));
    if (p > 4) CHECK(busiest("binary_tree", p, 2 * p) >= 6 * p); // the cost of a single tree
  }
}

TEST_CASE("operations of groups: what cannot be is refused, every reason at once") {
  const Collective& ring = *group_collective("ring");
  CHECK(group_collective("rings") == nullptr);
  CHECK_THROWS_WITH(make_group_schedule(ring, {Operation::alltoall, 0, 0, {}, 0, 1}),
                    Catch::StartsWith("the group has 0 ranks; expected at least 1; ring does not support alltoall. "
                                      "Allowed: pairwise, spread, bruck"));
  GroupSpec spec{Operation::gather, 4, 4, -1, -2, 0};
  CHECK(problems(spec) == std::vector<std::string>{"the root of 4 ranks is 4; expected 0 to 3",
                                                   "the group has -1 elements; expected at least 0",
                                                   "a chunk has -2 elements; expected at least 1, or 0 for one chunk",
                                                   "a node has 0 ranks; expected at least 1"});
  CHECK(problems({Operation::barrier, 4, 9, 1, 0, 1}) ==
        std::vector<std::string>{"the barrier has 1 elements; expected none"});
}
