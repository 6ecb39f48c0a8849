// Flows that load links with weights: the engine's network compared with tests/oracles/weighted_max_min, and by hand.
#include "sim/engine/network/fair_network.hpp"
#include "tests/oracles/weighted_max_min.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <rapidcheck.h>

using namespace gradflight;

namespace {

struct Arrivals final : ArrivalSink {
  void arrived(MessageId id, double now) override {
    if (times.size() <= id) times.resize(id + 1, -1);
    times[id] = now;
  }
  std::vector<double> times;
};

struct Flow {
  Route links;
  std::vector<LinkShare> shares;
  double bytes = 0, begin = 0;
  double cap = Calendar::never; ///< bytes per second
};

/// The network under test, with flows that begin one after another.
class Bench {
public:
  explicit Bench(const std::vector<double>& capacities)
      : links_(capacities), named_(capacities.size(), {"link"}), ledger(capacities.size()), delays(named_, {}),
        network_(links_, calendar_, messages, ledger, delays, arrivals) {}

  void begin(const Flow& flow) {
    const MessageId id = messages.make();
    Message& m = messages[id];
    m.links.assign(flow.links.begin(), flow.links.end());
    m.wire = flow.bytes;
    m.extra = false;
    if (!flow.shares.empty() || flow.cap < Calendar::never) {
      MessageExtra& extra = messages.give_extra(id);
      extra.shares = flow.shares;
      extra.cap = flow.cap;
    }
    network_.begin(id, flow.begin);
  }
  void settle(double now) { network_.settle(now); }
  /// Runs until `until`, without the events at exactly that time.
  void run(double until = Calendar::never) {
    std::vector<Event> due;
    while (calendar_.next() < until) {
      const double now = calendar_.next();
      while (calendar_.next() == now) {
        calendar_.take(due);
        for (const Event& event : due) network_.end(event.index, now);
      }
      network_.settle(now);
    }
  }

private:
  LinkState links_;
  std::vector<DirectedLink> named_;
  Calendar calendar_;

public:
  MessagePool messages;
  LinkLedger ledger;
  Delays delays;
  Arrivals arrivals;

private:
  FairNetwork network_;
};

struct Problem {
  std::vector<double> capacities;
  std::vector<Flow> flows;
};

/// Returns flows on distinct links from a random one on: some unchanged, some with weights, some with caps.
Problem any_problem() {
  Problem problem;
  const int links = *rc::gen::inRange(1, 9);
  for (int i = 0; i < links; ++i) problem.capacities.push_back(*rc::gen::inRange(1, 1000) * 0.37);
  const int flows = *rc::gen::inRange(1, 14);
  for (int f = 0; f < flows; ++f) {
    Flow flow;
    flow.bytes = *rc::gen::inRange(1, 5000) * 0.25;
    const int uses = *rc::gen::inRange(1, links + 1), first = *rc::gen::inRange(0, links);
    for (int u = 0; u < uses; ++u) {
      const std::int32_t link = (first + u) % links;
      if (u == 0 || *rc::gen::inRange(0, 2) == 0)
        flow.links.push_back(link);
      else
        flow.shares.push_back({link, *rc::gen::inRange(1, 1600) * 0.01});
    }
    if (*rc::gen::inRange(0, 3) == 0) flow.cap = *rc::gen::inRange(1, 400) * 0.37;
    problem.flows.push_back(flow);
  }
  return problem;
}

/// Returns flows on a few of many links, without weights and caps. Each begin or end affects only some of the others.
Problem sparse_problem() {
  Problem problem;
  const int links = *rc::gen::inRange(2, 40);
  for (int i = 0; i < links; ++i) problem.capacities.push_back(*rc::gen::inRange(1, 6) * 100);
  const int flows = *rc::gen::inRange(1, 60);
  for (int f = 0; f < flows; ++f) {
    Flow flow;
    flow.bytes = *rc::gen::inRange(1, 20) * 50;
    const int uses = std::min(links, *rc::gen::inRange(1, 5));
    for (int u = 0; u < uses; ++u) {
      const std::int32_t link = *rc::gen::inRange(0, links);
      if (std::ranges::find(flow.links, link) == flow.links.end()) flow.links.push_back(link);
    }
    problem.flows.push_back(flow);
  }
  return problem;
}

/// Returns flows that connect more links than are searched one by one; some flows have weights.
Problem large_problem() {
  Problem problem;
  const int links = *rc::gen::inRange(64, 200);
  for (int i = 0; i < links; ++i) problem.capacities.push_back(*rc::gen::inRange(1, 9) * 50);
  const bool weighted = *rc::gen::arbitrary<bool>();
  for (int first = 0; first < links; first += 3) {
    Flow flow;
    flow.bytes = *rc::gen::inRange(1, 20) * 50;
    for (int u = 0; u < 4; ++u) flow.links.push_back((first + u) % links); // the last one is the next flow's first
    const std::int32_t far = *rc::gen::inRange(0, links);
    const bool is_new = std::ranges::find(flow.links, far) == flow.links.end();
    if (is_new && weighted) flow.shares.push_back({far, *rc::gen::inRange(1, 300) * 0.01});
    if (is_new && !weighted) flow.links.push_back(far);
    problem.flows.push_back(flow);
  }
  return problem;
}

std::vector<double> expected_rates(const Problem& problem, const std::vector<std::size_t>& active) {
  std::vector<WeightedFlow> flows;
  std::vector<double> capacities = problem.capacities;
  for (const std::size_t f : active) {
    WeightedFlow flow;
    for (const std::int32_t l : problem.flows[f].links) flow.uses.push_back({static_cast<std::size_t>(l), 1});
    for (const LinkShare& s : problem.flows[f].shares)
      flow.uses.push_back({static_cast<std::size_t>(s.link), s.weight});
    if (problem.flows[f].cap < Calendar::never) { // equivalent to a separate link
      flow.uses.push_back({capacities.size(), 1});
      capacities.push_back(problem.flows[f].cap);
    }
    flows.push_back(flow);
  }
  return weighted_max_min(capacities, flows);
}

bool close(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b)); }

} // namespace

TEST_CASE("The least of many shares is that of a search one by one", "[network][property]") {
  REQUIRE(rc::check("after each change; of equal ones the first", [] {
    std::vector<double> shares(*rc::gen::inRange<std::size_t>(1, 70), LeastShare::none);
    LeastShare least;
    least.start(99); // what an earlier part has left behind does not count
    least.set(98, 0);
    least.start(shares.size());
    for (int change = *rc::gen::inRange(1, 200); change > 0; --change) {
      const std::size_t at = *rc::gen::inRange<std::size_t>(0, shares.size());
      shares[at] = *rc::gen::inRange(0, 4) == 0 ? LeastShare::none : *rc::gen::inRange(0, 8);
      least.set(at, *rc::gen::inRange(0, 9) == 0 && shares[at] == LeastShare::none ? std::nan("") : shares[at]);
      const auto first = std::ranges::min_element(shares);
      RC_ASSERT(least.share() == *first);
      if (*first < LeastShare::none) RC_ASSERT(least.position() == static_cast<std::size_t>(first - shares.begin()));
    }
  }));
}

namespace {

void check_rates(const Problem& problem) {
  Bench bench(problem.capacities);
  std::vector<std::size_t> all;
  for (std::size_t f = 0; f < problem.flows.size(); ++f) {
    bench.begin(problem.flows[f]);
    all.push_back(f);
  }
  bench.settle(0);
  const auto expected = expected_rates(problem, all);
  for (std::size_t f = 0; f < all.size(); ++f)
    RC_ASSERT(close(bench.messages[static_cast<MessageId>(f)].rate, expected[f]));
}

} // namespace

TEST_CASE("Weighted flows get the rates of weighted_max_min", "[network][property]") {
  REQUIRE(rc::check("rates as soon as all have begun", [] { check_rates(any_problem()); }));
  REQUIRE(rc::check("rates in a part of many links", [] { check_rates(large_problem()); }));
}

namespace {

/// Flows begin one after another. They must end at the times of a fluid simulation with weighted_max_min, and each link
/// must carry their bytes.
void check_ends(Problem problem) {
  double now = 0;
  for (Flow& flow : problem.flows) flow.begin = now += *rc::gen::inRange(0, 20) * 0.1;
  Bench bench(problem.capacities);
  for (std::size_t f = 0; f < problem.flows.size(); ++f) {
    bench.run(problem.flows[f].begin);
    bench.begin(problem.flows[f]);
    bench.settle(problem.flows[f].begin);
  }
  bench.run();

  std::vector<double> left(problem.flows.size());
  std::vector<std::size_t> active;
  std::size_t next = 0, ended = 0;
  for (now = 0; ended < problem.flows.size();) {
    while (next < problem.flows.size() && problem.flows[next].begin <= now) {
      left[next] = problem.flows[next].bytes;
      active.push_back(next++);
    }
    const auto rates = expected_rates(problem, active);
    double step = next < problem.flows.size() ? problem.flows[next].begin - now : Calendar::never;
    for (std::size_t i = 0; i < active.size(); ++i) step = std::min(step, left[active[i]] / rates[i]);
    now += step;
    std::vector<std::size_t> still;
    for (std::size_t i = 0; i < active.size(); ++i) {
      const std::size_t f = active[i];
      left[f] -= rates[i] * step;
      if (left[f] > 1e-9 * problem.flows[f].bytes) {
        still.push_back(f);
        continue;
      }
      ++ended;
      RC_ASSERT(close(bench.arrivals.times[f], now));
    }
    active = still;
  }
  std::vector<double> bytes(problem.capacities.size());
  for (const Flow& flow : problem.flows) {
    for (const std::int32_t l : flow.links) bytes[static_cast<std::size_t>(l)] += flow.bytes;
    for (const LinkShare& s : flow.shares) bytes[static_cast<std::size_t>(s.link)] += s.weight * flow.bytes;
  }
  for (std::size_t l = 0; l < bytes.size(); ++l) RC_ASSERT(close(bench.ledger.use()[l].bytes, bytes[l]));
}

} // namespace

TEST_CASE("Weighted flows end when a fluid simulation of weighted_max_min says", "[network][property]") {
  REQUIRE(rc::check("with weights and caps", [] { check_ends(any_problem()); }));
  REQUIRE(rc::check("where changes are felt in parts of the network only", [] { check_ends(sparse_problem()); }));
  REQUIRE(rc::check("in parts of many links", [] { check_ends(large_problem()); }));
}

TEST_CASE("Flows that do not feel a change keep rates that are fair in the whole network", "[network][property]") {
  REQUIRE(rc::check("rates whenever one more has begun", [] {
    Problem problem = sparse_problem();
    for (Flow& flow : problem.flows) flow.bytes = 1e9; // no flow ends
    Bench bench(problem.capacities);
    std::vector<std::size_t> begun;
    for (std::size_t f = 0; f < problem.flows.size(); ++f) {
      problem.flows[f].begin = static_cast<double>(f);
      bench.begin(problem.flows[f]);
      bench.settle(problem.flows[f].begin);
      begun.push_back(f);
      const auto expected = expected_rates(problem, begun);
      for (std::size_t i = 0; i < begun.size(); ++i)
        RC_ASSERT(close(bench.messages[static_cast<MessageId>(i)].rate, expected[i]));
    }
  }));
}

TEST_CASE("A flow alone is bound by the tightest of its links and shares", "[network]") {
  Bench bench({10, 30});
  bench.begin({{0}, {{1, 5.0}}, 60, 0}); // 30 / 5 = 6 bytes per second, below the link's 10
  bench.settle(0);
  CHECK(bench.messages[0].rate == 6);
  bench.run();
  CHECK(bench.arrivals.times == std::vector<double>{10});
  CHECK(bench.ledger.use()[1].bytes == 300);
  CHECK(bench.ledger.use()[1].busy == 10);
}

TEST_CASE("Acknowledgements on the way back slow both directions by their weight", "[network]") {
  // A cable of 100 bytes per second in each direction; 4 % of the bytes of one direction load the other.
  Bench bench({100, 100});
  bench.begin({{0}, {{1, 0.04}}, 1000, 0});
  bench.begin({{1}, {{0, 0.04}}, 1000, 0});
  bench.settle(0);
  CHECK(bench.messages[0].rate == Approx(100 / 1.04).epsilon(1e-12));
  CHECK(bench.messages[1].rate == bench.messages[0].rate);
}
