// The random flows of other users: their times, ends and sizes.
#include "platforms/code/traffic.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <rapidcheck.h>
#include <set>

using namespace gradflight;

namespace {

constexpr double for_ever = std::numeric_limits<double>::infinity();
using FlowPattern = TrafficSpec::Pattern;
using Arriving = TrafficSpec::Arrivals;

struct Arrived {
  double at;
  TrafficFlow flow;
};

double mean_size(const FlowSizes& sizes) {
  const std::vector<SizePoint>& points = size_points(sizes);
  if (points.empty()) return sizes.mean.value();
  double mean = points.front().bytes.value() * points.front().share;
  for (std::size_t i = 1; i < points.size(); ++i)
    mean += (points[i].share - points[i - 1].share) * (points[i].bytes.value() + points[i - 1].bytes.value()) / 2;
  return mean;
}

std::vector<Arrived> first_flows(const TrafficSpec& spec, int nodes, std::size_t most, std::uint32_t entry = 0) {
  FlowSource source(spec, entry, nodes);
  std::vector<Arrived> all;
  std::vector<TrafficFlow> flows;
  while (source.next() < FlowSource::never && all.size() < most) {
    const double at = source.next();
    flows.clear();
    source.take(flows);
    for (const TrafficFlow& flow : flows) all.push_back({at, flow});
  }
  return all;
}

TrafficSpec arriving(Arriving arrivals, double every, double bytes = 1e6) {
  TrafficSpec spec;
  spec.arrivals = arrivals;
  spec.every = Seconds(every);
  spec.bytes = Bytes(bytes);
  return spec;
}

} // namespace

TEST_CASE("once: a flow for each pair of nodes, for ever or until it is stopped") {
  TrafficSpec spec;
  spec.from.nodes = {0, 2};
  spec.to.nodes = {1, 2};
  auto flows = first_flows(spec, 4, 100);
  REQUIRE(flows.size() == 3); // no node sends to itself
  for (const Arrived& a : flows) {
    CHECK(a.at == 0);
    CHECK(a.flow.bytes == for_ever);
    CHECK(a.flow.until == for_ever);
    CHECK(a.flow.from != a.flow.to);
  }
  spec.start = Seconds(1);
  spec.stop = Seconds(3);
  spec.flows = 5; // all pairs, and two of them again
  flows = first_flows(spec, 4, 100);
  REQUIRE(flows.size() == 5);
  CHECK(flows[0].at == 1);
  CHECK(flows[0].flow.until == 3);
  CHECK((flows[3].flow.from == flows[0].flow.from && flows[3].flow.to == flows[0].flow.to));
  spec.bytes = Bytes(10); // a flow with a size ends by itself
  CHECK(first_flows(spec, 4, 100)[0].flow.until == for_ever);
}

TEST_CASE("periodic arrivals come at multiples of their period, until they are stopped or so many have come") {
  TrafficSpec spec = arriving(Arriving::periodic, 0.1);
  spec.start = Seconds(0.5);
  spec.stop = Seconds(0.5 + 0.1 * 7);
  auto flows = first_flows(spec, 3, 100);
  REQUIRE(flows.size() == 7);
  for (std::size_t i = 0; i < flows.size(); ++i) CHECK(flows[i].at == 0.5 + static_cast<double>(i) * 0.1);
  spec.flows = 4;
  CHECK(first_flows(spec, 3, 100).size() == 4);
}

TEST_CASE("poisson arrivals come at their rate, at times that sizes and ends do not change") {
  TrafficSpec spec = arriving(Arriving::poisson, 0.001);
  const auto flows = first_flows(spec, 8, 20'000);
  CHECK(flows.back().at / 20'000 == Approx(0.001).epsilon(0.02));
  std::map<std::pair<int, int>, int> count;
  for (const Arrived& a : flows) ++count[{a.flow.from, a.flow.to}];
  CHECK(count.size() == 56); // every pair
  for (const auto& [pair, times] : count) CHECK(times == Approx(20'000 / 56.0).epsilon(0.25));
  spec.bytes.reset();
  spec.sizes.emplace();
  const auto sized = first_flows(spec, 8, 100);
  for (std::size_t i = 0; i < sized.size(); ++i) {
    CHECK(sized[i].at == flows[i].at);
    CHECK(sized[i].flow.to == flows[i].flow.to);
  }
  CHECK(first_flows(spec, 8, 100, 1)[0].at != flows[0].at); // a different entry of `traffic`
  spec.seed = 1;
  CHECK(first_flows(spec, 8, 100)[0].at != flows[0].at);
}

TEST_CASE("an incast comes all at once to one, and a permutation is one") {
  TrafficSpec incast = arriving(Arriving::periodic, 1);
  incast.pattern = FlowPattern::incast;
  incast.to.nodes = {3};
  const auto burst = first_flows(incast, 8, 14);
  REQUIRE(burst.size() == 14);
  for (std::size_t i = 0; i < 14; ++i) {
    CHECK(burst[i].at == (i < 7 ? 0 : 1));
    CHECK(burst[i].flow.to == 3);
    CHECK(burst[i].flow.from != 3);
  }
  CHECK(rc::check("each sends to one other, no two to the same", [] {
    TrafficSpec spec;
    spec.pattern = FlowPattern::permutation;
    const int senders = *rc::gen::inRange(1, 20), receivers = *rc::gen::inRange(std::max(2, senders), 24);
    for (int n = 0; n < senders; ++n) spec.from.nodes.push_back(n);
    for (int n = 0; n < receivers; ++n) spec.to.nodes.push_back(n);
    spec.seed = *rc::gen::inRange(0, 1000);
    std::set<int> from, to;
    for (const Arrived& a : first_flows(spec, 24, 100)) {
      RC_ASSERT(a.flow.from != a.flow.to);
      RC_ASSERT(from.insert(a.flow.from).second);
      RC_ASSERT(to.insert(a.flow.to).second);
    }
    RC_ASSERT(from.size() == static_cast<std::size_t>(senders));
  }));
}

TEST_CASE("on and off: phases follow each other, constant or drawn around their means") {
  TrafficSpec spec;
  spec.arrivals = Arriving::on_off;
  spec.every = Seconds(1);
  spec.on = Seconds(0.25);
  spec.constant_phases = true;
  spec.from.nodes = {0};
  spec.to.nodes = {1};
  spec.stop = Seconds(3.125);
  auto flows = first_flows(spec, 2, 100);
  REQUIRE(flows.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(flows[i].at == static_cast<double>(i));
    CHECK(flows[i].flow.until == std::min(3.125, static_cast<double>(i) + 0.25));
  }
  spec.constant_phases = false;
  spec.stop.reset();
  flows = first_flows(spec, 2, 20'000);
  double on = 0;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    on += flows[i].flow.until - flows[i].at;
    if (i > 0) CHECK(flows[i].at >= flows[i - 1].flow.until);
  }
  CHECK(on / 20'000 == Approx(0.25).epsilon(0.03));
  CHECK(flows.back().at / 20'000 == Approx(1).epsilon(0.03));
}

TEST_CASE("sizes have their distribution's mean, and its points") {
  const auto mean_of = [](const FlowSizes& sizes, int draws) {
    Uniforms uniform(7, 1, 2, 3);
    double sum = 0;
    for (int i = 0; i < draws; ++i) sum += draw_size(sizes, uniform);
    return sum / draws;
  };
  FlowSizes sizes;
  CHECK(mean_size(sizes) == Approx(1.71e6).epsilon(0.05)); // the documented value
  CHECK(mean_of(sizes, 200'000) == Approx(mean_size(sizes)).epsilon(0.02));
  sizes.kind = FlowSizes::Kind::data_mining;
  CHECK(mean_size(sizes) == Approx(7.41e6).epsilon(0.05));
  Uniforms uniform(1, 2, 3, 4);
  int small = 0;
  for (int i = 0; i < 10'000; ++i) small += draw_size(sizes, uniform) <= 1460 ? 1 : 0;
  CHECK(small == Approx(5000).epsilon(0.05));
  sizes = {FlowSizes::Kind::pareto, Bytes(1e6), 3, {}};
  CHECK(mean_of(sizes, 200'000) == Approx(1e6).epsilon(0.02));
  sizes = {FlowSizes::Kind::exponential, Bytes(1e6), 0, {}};
  CHECK(mean_of(sizes, 200'000) == Approx(1e6).epsilon(0.02));
  sizes = {FlowSizes::Kind::points, {}, 0, {{Bytes(100), 0.5}, {Bytes(300), 1}}};
  CHECK(mean_size(sizes) == 150);
  CHECK(mean_of(sizes, 100'000) == Approx(150).epsilon(0.02));
}

TEST_CASE("what cannot flow is told, each at its place") {
  std::vector<TrafficSpec> traffic(4);
  traffic[0].from.nodes = {0, 9};
  traffic[1].to.outside = true;
  traffic[2].from.nodes = traffic[2].to.nodes = {1};
  traffic[3].pattern = FlowPattern::permutation;
  traffic[3].to.nodes = {0, 1};
  const auto errors = traffic_errors(traffic, 4, 5, false);
  REQUIRE(errors.size() == 4);
  CHECK(errors[0].pointer == "/traffic/0/from");
  CHECK(errors[0].message == "node 9 does not exist: nodes are 0 to 4, including servers");
  CHECK(errors[1].pointer == "/traffic/1/to");
  CHECK(errors[2].message == "a flow from a node to itself crosses no link");
  CHECK(errors[3].pointer == "/traffic/3/pattern");
}
