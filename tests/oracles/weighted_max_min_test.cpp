#include "tests/oracles/weighted_max_min.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <rapidcheck.h>
#include <stdexcept>

using namespace gradflight;

namespace {

struct Problem {
  std::vector<double> capacities;
  std::vector<WeightedFlow> flows;
};

Problem any_problem(bool weighted) {
  Problem problem;
  const int resources = *rc::gen::inRange(1, 7);
  for (int i = 0; i < resources; ++i) problem.capacities.push_back(*rc::gen::inRange(1, 1000) * 0.37);
  const int flows = *rc::gen::inRange(1, 12);
  for (int f = 0; f < flows; ++f) {
    WeightedFlow flow;
    flow.share = weighted ? *rc::gen::inRange(1, 40) * 0.3 : 1;
    // Distinct resources, starting at a random one.
    const int uses = *rc::gen::inRange(1, resources + 1);
    const int first = *rc::gen::inRange(0, resources);
    for (int u = 0; u < uses; ++u)
      flow.uses.push_back(
          {static_cast<std::size_t>((first + u) % resources), weighted ? *rc::gen::inRange(1, 160) * 0.1 : 1});
    problem.flows.push_back(flow);
  }
  return problem;
}

std::vector<double> loads(const Problem& problem, const std::vector<double>& rates) {
  std::vector<double> load(problem.capacities.size());
  for (std::size_t f = 0; f < rates.size(); ++f)
    for (const ResourceUse& use : problem.flows[f].uses) load[use.resource] += use.weight * rates[f];
  return load;
}

/// Textbook max-min without weights: the resource with the smallest equal share determines its flows, one resource at a
/// time.
std::vector<double> unweighted(Problem problem) {
  std::vector<double> rates(problem.flows.size(), -1);
  for (std::size_t round = 0; round < problem.capacities.size(); ++round) {
    std::size_t tightest = problem.capacities.size();
    double least = std::numeric_limits<double>::infinity();
    const auto crosses = [&](std::size_t f, std::size_t i) {
      const auto& uses = problem.flows[f].uses;
      return rates[f] < 0 && std::any_of(uses.begin(), uses.end(), [i](const auto& use) { return use.resource == i; });
    };
    for (std::size_t i = 0; i < problem.capacities.size(); ++i) {
      double count = 0;
      for (std::size_t f = 0; f < rates.size(); ++f) count += crosses(f, i) ? 1 : 0;
      if (count > 0 && problem.capacities[i] / count < least) {
        least = problem.capacities[i] / count;
        tightest = i;
      }
    }
    if (tightest == problem.capacities.size()) break;
    for (std::size_t f = 0; f < rates.size(); ++f) {
      if (!crosses(f, tightest)) continue;
      for (const ResourceUse& use : problem.flows[f].uses) problem.capacities[use.resource] -= least;
      rates[f] = least;
    }
  }
  return rates;
}

} // namespace

TEST_CASE("two streams of different ratios on one engine, by hand", "[models][nic]") {
  // Dense side 3.2 GB/s, wire 1.25 GB/s. A wire byte uses 10 of the engine at ratio 10, and 1 at ratio 1. Equal wire
  // rates fill the engine at 3.2/11. Alone, the engine limits the first flow, and the wire the second.
  const std::vector<double> capacities = {3.2, 1.25};
  const WeightedFlow ten{{{0, 10}, {1, 1}}}, one{{{0, 1}, {1, 1}}};
  const auto both = weighted_max_min(capacities, std::vector{ten, one});
  CHECK(both[0] == Approx(3.2 / 11));
  CHECK(both[1] == Approx(3.2 / 11));
  CHECK(weighted_max_min(capacities, std::vector{ten})[0] == Approx(0.32));
  CHECK(weighted_max_min(capacities, std::vector{one})[0] == Approx(1.25));

  // If packets alternate, wire rates are proportional to packets on the wire, so dense rates are equal.
  const WeightedFlow ten_turns{ten.uses, 1}, one_turns{one.uses, 10};
  const auto turns = weighted_max_min(capacities, std::vector{ten_turns, one_turns});
  CHECK(turns[1] == Approx(10 * turns[0]));
  CHECK(turns[0] + turns[1] == Approx(1.25)); // 11 x + 1 would give 2.27 for the engine
}

TEST_CASE("what another engine leaves unused goes to those that can use it", "[models][nic]") {
  // Two senders on one wire: the first is limited to 0.2 by its own engine.
  const std::vector<double> capacities = {2, 10, 1};
  const auto rates = weighted_max_min(capacities, std::vector<WeightedFlow>{{{{0, 10}, {2, 1}}}, {{{1, 10}, {2, 1}}}});
  CHECK(rates[0] == Approx(0.2));
  CHECK(rates[1] == Approx(0.8));
}

TEST_CASE("weighted max-min: feasible, and every flow has a bottleneck", "[models][nic]") {
  REQUIRE(rc::check("feasible; a full resource on which no rate/share is larger", [] {
    const Problem problem = any_problem(true);
    const auto rates = weighted_max_min(problem.capacities, problem.flows);
    const auto load = loads(problem, rates);
    for (std::size_t i = 0; i < load.size(); ++i) RC_ASSERT(load[i] <= problem.capacities[i] * (1 + 1e-9));
    for (std::size_t f = 0; f < rates.size(); ++f) {
      const auto is_bottleneck = [&](const ResourceUse& own) {
        if (load[own.resource] < problem.capacities[own.resource] * (1 - 1e-9)) return false;
        for (std::size_t g = 0; g < rates.size(); ++g)
          for (const ResourceUse& use : problem.flows[g].uses)
            if (use.resource == own.resource &&
                rates[g] / problem.flows[g].share > rates[f] / problem.flows[f].share * (1 + 1e-9))
              return false;
        return true;
      };
      const auto& uses = problem.flows[f].uses;
      RC_ASSERT(std::any_of(uses.begin(), uses.end(), is_bottleneck));
    }
  }));
}

TEST_CASE("weights of 1 are ordinary max-min", "[models][nic]") {
  REQUIRE(rc::check("equal to the textbook's", [] {
    const Problem problem = any_problem(false);
    const auto rates = weighted_max_min(problem.capacities, problem.flows);
    const auto expected = unweighted(problem);
    for (std::size_t f = 0; f < rates.size(); ++f) RC_ASSERT(std::fabs(rates[f] - expected[f]) <= 1e-9 * expected[f]);
  }));
}

TEST_CASE("a weight is a smaller capacity, and order does not matter", "[models][nic]") {
  REQUIRE(rc::check("weights and capacity of a resource scale together; reversed flows get the same rates", [] {
    Problem problem = any_problem(true);
    const auto rates = weighted_max_min(problem.capacities, problem.flows);
    problem.capacities[0] *= 7;
    for (WeightedFlow& flow : problem.flows)
      for (ResourceUse& use : flow.uses) use.weight *= use.resource == 0 ? 7 : 1;
    std::reverse(problem.flows.begin(), problem.flows.end());
    auto again = weighted_max_min(problem.capacities, problem.flows);
    std::reverse(again.begin(), again.end());
    for (std::size_t f = 0; f < rates.size(); ++f) RC_ASSERT(std::fabs(rates[f] - again[f]) <= 1e-9 * rates[f]);
  }));
}

TEST_CASE("weighted max-min at its edges", "[models][nic]") {
  const std::vector<double> capacities = {0, 5};
  const auto rates = weighted_max_min(
      capacities, std::vector<WeightedFlow>{{{{0, 1}, {1, 1}}}, {{}}, {{{0, 0}, {1, 2}}}, {{{1, 1}, {1, 1}}}});
  CHECK(rates[0] == 0);
  CHECK(std::isinf(rates[1]));
  CHECK(rates[2] == Approx(1.25)); // a weight of 0 on a resource without capacity
  CHECK(rates[3] == Approx(1.25)); // a resource named twice counts twice
  CHECK(weighted_max_min(capacities, {}).empty());

  const auto with = [&](WeightedFlow flow) { return weighted_max_min(capacities, std::vector{flow}); };
  CHECK_THROWS_AS(with({{{2, 1}}}), std::invalid_argument);
  CHECK_THROWS_AS(with({{{1, -1}}}), std::invalid_argument);
  CHECK_THROWS_AS(with({{{1, 1}}, 0}), std::invalid_argument);
  CHECK_THROWS_AS(weighted_max_min(std::vector{-1.0}, {}), std::invalid_argument);
  CHECK_THROWS_AS(weighted_max_min(std::vector{std::nan("")}, {}), std::invalid_argument);
}
