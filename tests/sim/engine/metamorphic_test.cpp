// Changes that must not alter a time, or must alter it in a known way, with random scenarios; the right time need not
// be known. docs/model.md, "What does not change a time", says which of these are exact, and their limits.
#include "models/schedules/parts/collective.hpp"
#include "tests/sim/engine/metamorphic.hpp"

#include <catch2/catch.hpp>
#include <numeric>

using namespace gradflight;
using namespace gradflight::test;
using namespace gradflight::test::metamorphic;

namespace {

/// The whole scenario with all durations multiplied by `by`, including the time per byte.
class Slowed {
public:
  Slowed(Scenario s, double by) : by_(by), s_(std::move(s)) {
    PlatformSpec& p = s_.platform;
    time(p.message_overhead);
    rate(p.reduce_bandwidth);
    cable(p.network.link);
    if (p.network.racks.uplink) cable(*p.network.racks.uplink);
    cable(p.intra_node.link);
    for (NodeOverride& o : p.node_overrides) {
      rate(o.bandwidth);
      rate(o.reduce_bandwidth);
      if (o.latency) time(*o.latency);
    }
    for (Layer& layer : s_.workload.layers) {
      layer.forward *= by;
      layer.backward *= by;
    }
    s_.workload.update *= by;
    for (Phase& phase : s_.phases) slow(phase.training);
  }
  operator const Scenario&() const { return s_; } // NOLINT(google-explicit-constructor)

private:
  void time(Seconds& t) const { t = Seconds(t.value() * by_); }
  void rate(ByteRate& r) const { r = ByteRate(r.value() / by_); }
  void rate(std::optional<ByteRate>& r) const {
    if (r) rate(*r);
  }
  void cable(LinkSpec& link) const {
    rate(link.bandwidth);
    rate(link.egress);
    rate(link.ingress);
    if (link.latency) time(*link.latency);
  }
  void slow(TrainingSpec& t) const {
    rate(t.exchange.merge_bandwidth);
    rate(t.compression.encode_bandwidth);
    rate(t.compression.decode_bandwidth);
    for (CostSpec& cost : t.costs) {
      cost.per_byte = SecondsPerByte(cost.per_byte.value() * by_);
      for (Seconds* part : {&cost.per_element, &cost.per_tensor, &cost.per_message, &cost.fixed}) time(*part);
    }
  }

  double by_;
  Scenario s_;
};

/// Moves each node of the star to the position `to`, with its special properties.
template <class To> Scenario moved(Scenario s, To to) {
  for (NodeOverride& o : s.platform.node_overrides) o.nodes = {to(o.nodes.front())};
  return s;
}

} // namespace

TEST_CASE("all times a power of two longer, over 100 random scenarios, to the bit") {
  REQUIRE(rc::check("exact", [] {
    Scenario s = random_scenario(*rc::gen::arbitrary<std::uint32_t>());
    s.engine.shortcuts = *rc::gen::arbitrary<bool>();
    const double by = *rc::gen::element(4.0, 0.125);
    const RunResult a = result_of(s), b = result_of(Slowed(s, by));
    RC_ASSERT(a.time * by == b.time);
    RC_ASSERT(a.iteration_time * by == b.iteration_time);
    RC_ASSERT(a.communication_time * by == b.communication_time);
    for (std::size_t i = 0; i < a.path.size(); ++i) RC_ASSERT(a.path[i] * by == b.path[i]);
    RC_ASSERT(a.iterations.size() == b.iterations.size());
    for (std::size_t i = 0; i < a.iterations.size(); ++i) RC_ASSERT(a.iterations[i].end * by == b.iterations[i].end);
    RC_ASSERT(a.wire_bytes == b.wire_bytes);
  }));
}

TEST_CASE("all times three times as long, over 100 random scenarios, but for rounding") {
  REQUIRE(rc::check("1e-12", [] {
    const Scenario s = drawn();
    RC_ASSERT(near(result_of(s).time * 3, result_of(Slowed(s, 3)).time));
  }));
}

TEST_CASE("nodes of a star change places with all that is special about them, over 300 random scenarios") {
  REQUIRE(rc::check("a ring is turned", [] {
    Dice dice(*rc::gen::arbitrary<std::uint32_t>());
    const int p = dice.in(2, 8), by = dice.in(1, 7);
    const Scenario s = symmetric_star(dice, p, Algorithm::ring);
    require_like(result_of(s), result_of(moved(s, [&](int node) { return (node + by) % p; })));
  }));
  REQUIRE(rc::check("doubling and halving are mirrored", [] {
    Dice dice(*rc::gen::arbitrary<std::uint32_t>());
    const int p = 1 << dice.in(1, 3), mask = dice.in(1, p - 1);
    const Scenario s =
        symmetric_star(dice, p, dice.one_of<Algorithm>({Algorithm::recursive_doubling, Algorithm::halving_doubling}));
    require_like(result_of(s), result_of(moved(s, [&](int node) { return node ^ mask; })));
  }));
  REQUIRE(rc::check("a server's workers, in any order", [] {
    Dice dice(*rc::gen::arbitrary<std::uint32_t>());
    const int p = dice.in(2, 8);
    Scenario s = symmetric_star(dice, p, Algorithm::parameter_server);
    training_of(s).exchange.servers = dice.in(1, 3);
    std::vector<int> order(static_cast<std::size_t>(p));
    std::iota(order.begin(), order.end(), 0);
    for (int i = p - 1; i > 0; --i)
      std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(dice.in(0, i))]);
    require_like(result_of(s), result_of(moved(s, [&](int node) { return order[static_cast<std::size_t>(node)]; })));
  }));
}

TEST_CASE("a compression of ratio 1 is none, over 100 random scenarios, to the bit") {
  REQUIRE(rc::check("exact", [] {
    Scenario s = drawn();
    if (sends_lists(training_of(s).exchange)) training_of(s).exchange = {}; // these have their own compression
    training_of(s).compression = {};
    const RunResult none = result_of(s);
    Dice dice(*rc::gen::arbitrary<std::uint32_t>());
    CompressionSpec& c = training_of(s).compression;
    c.push = dice.chance(50);
    if (dice.chance(50)) c.except_below = Bytes(dice.in(4, 600'000));
    if (dice.chance(50)) c.placement = CodecPlacement::gpu; // takes no time
    const RunResult one = result_of(s);
    RC_ASSERT(one.time == none.time);
    for (std::size_t i = 0; i < one.path.size(); ++i)
      RC_ASSERT(std::abs(one.path[i] - none.path[i]) <= rounding * none.time);
    RC_ASSERT(one.wire_bytes == none.wire_bytes);
  }));
}

TEST_CASE("groups of one are the flat collective, groups of all a tree, over 200 random scenarios") {
  REQUIRE(rc::check("groups of one", [] {
    Dice dice(*rc::gen::arbitrary<std::uint32_t>());
    const auto top = dice.one_of(without_contention);
    Scenario s = symmetric_star(dice, dice.in(1, 9), top);
    const RunResult flat = result_of(s);
    training_of(s).exchange.algorithm = Algorithm::hierarchical;
    training_of(s).exchange.top = top;
    training_of(s).exchange.levels = {
        {1, static_cast<GroupReduce>(dice.in(0, 3)), static_cast<GroupBroadcast>(dice.in(0, 2)), false}};
    require_like(flat, result_of(s));
  }));
  REQUIRE(rc::check("one group of all", [] {
    Dice dice(*rc::gen::arbitrary<std::uint32_t>());
    const int p = dice.in(1, 9);
    Scenario s = symmetric_star(dice, p, Algorithm::binomial_tree);
    const RunResult flat = result_of(s);
    training_of(s).exchange.algorithm = Algorithm::hierarchical;
    training_of(s).exchange.levels = {{p, GroupReduce::binomial, GroupBroadcast::binomial, false}};
    require_like(flat, result_of(s));
  }));
}
