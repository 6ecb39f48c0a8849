// The effect of each part of a protocol on an exchange, separately.
#include "scenarios/language/types/scenario.hpp"
#include "sim/engine/network/messaging.hpp"
#include "tests/support/forked.hpp"

#include <catch2/catch.hpp>

using namespace gradflight;
using namespace gradflight::test;

namespace {

constexpr double rate = 1e6; // bytes per second on every link
constexpr double limit = 1e12;
constexpr std::int64_t elements = 250'000; // 1 MB: one second on a link

/// Returns a protocol without effects: no framing, no acknowledgements, no send buffer; all messages are eager.
ProtocolSpec plain() {
  ProtocolSpec p;
  p.eager_limit = Bytes(limit);
  p.frame = p.frame_payload = Bytes(1000);
  p.header = p.acknowledgement = p.window = p.send_buffer = Bytes(0);
  p.slow_start = Seconds(0);
  return p;
}

Scenario with(const ProtocolSpec& protocol, int p, Algorithm algorithm, double latency = 0) {
  Scenario s = star(p, elements, algorithm, 0);
  s.platform.network.link = {ByteRate(rate), Seconds(latency), {}, {}};
  s.platform.protocol = protocol;
  return s;
}

double time_of(const Scenario& s) {
  const ForkedRun o = run(s);
  INFO(o.message);
  REQUIRE(!o.failed);
  REQUIRE(o.received_bytes == o.wire_bytes);
  REQUIRE(sum(o.path) == Approx(o.time).epsilon(1e-12));
  return o.time;
}

} // namespace

TEST_CASE("a protocol that adds nothing changes no time") {
  for (const Algorithm algorithm : {Algorithm::ring, Algorithm::recursive_doubling, Algorithm::halving_doubling,
                                    Algorithm::parameter_server, Algorithm::hierarchical}) {
    Scenario s = with(plain(), 8, algorithm, 1e-3);
    const double under = time_of(s);
    s.platform.protocol.reset();
    CHECK(under == Approx(time_of(s)).epsilon(1e-12));
  }
}

TEST_CASE("framing and efficiency leave less of the links") {
  ProtocolSpec p = plain();
  p.frame = Bytes(1514);
  p.frame_payload = Bytes(1448);
  p.efficiency = 0.9;
  CHECK(time_of(with(p, 4, Algorithm::ring)) == Approx(1.5 * 1514 / 1448 / 0.9).epsilon(1e-12));
}

TEST_CASE("acknowledgements load the way back, and ride on data in an exchange with one peer") {
  ProtocolSpec p = plain();
  p.acknowledgement = Bytes(50); // for two frames of 1000: 2.5 % of the other direction
  CHECK(time_of(with(p, 4, Algorithm::ring)) == Approx(1.5 * 1.025).epsilon(1e-12));
  CHECK(time_of(with(p, 2, Algorithm::ring)) == Approx(1.0).epsilon(1e-12));
  CHECK(time_of(with(p, 4, Algorithm::halving_doubling)) == Approx(1.5).epsilon(1e-12));
  // One direction at a time: acknowledgements have a free link.
  CHECK(time_of(with(p, 1, Algorithm::parameter_server)) == Approx(2.0).epsilon(1e-12));
}

TEST_CASE("large messages are announced and asked for") {
  ProtocolSpec p = plain();
  p.eager_limit = Bytes(1000);
  const double alpha = 2e-3; // two links of 1 ms
  CHECK(time_of(with(p, 1, Algorithm::parameter_server, 1e-3)) == Approx(2 * (1 + 3 * alpha)).epsilon(1e-12));
  p.eager_limit = Bytes(limit);
  CHECK(time_of(with(p, 1, Algorithm::parameter_server, 1e-3)) == Approx(2 * (1 + alpha)).epsilon(1e-12));
}

TEST_CASE("large messages between changing partners are half-duplex after the first step") {
  ProtocolSpec p = plain();
  p.eager_limit = Bytes(1000);
  p.window = Bytes(5000);
  p.send_buffer = Bytes(10'000);
  // Halving and doubling among 4: 1/2, 1/4, 1/4, 1/2 of the vector; the first step has a common start. In the last
  // step, two ranks start while the last window of their previous message is leaving. Both share the links.
  const double window = 5e-3;
  CHECK(time_of(with(p, 4, Algorithm::halving_doubling)) ==
        Approx(0.5 + 2 * (0.25 + 0.25 + 0.5) + window).epsilon(1e-9));
  CHECK(time_of(with(p, 4, Algorithm::recursive_doubling)) == Approx(1 + 2).epsilon(1e-9));
  // The same partner in all steps: both are always ready together.
  CHECK(time_of(with(p, 2, Algorithm::halving_doubling)) == Approx(1.0).epsilon(1e-9));
  // A ring sends and receives on different connections, so requests do not wait behind data.
  CHECK(time_of(with(p, 4, Algorithm::ring)) == Approx(1.5).epsilon(1e-9));
  p.eager_limit = Bytes(limit);
  CHECK(time_of(with(p, 4, Algorithm::halving_doubling)) == Approx(1.5).epsilon(1e-9));
}

TEST_CASE("a late rank makes even the first step half-duplex, a little late one does not") {
  ProtocolSpec p = plain();
  p.eager_limit = Bytes(1000);
  const auto late_by = [&](double seconds) {
    Scenario s = with(p, 2, Algorithm::recursive_doubling, 1e-3);
    s.workload.layers[0].backward = 1;
    s.platform.node_overrides.push_back({});
    s.platform.node_overrides[0].nodes = {1};
    s.platform.node_overrides[0].compute_speed = 1 / (1 + seconds);
    return time_of(s) - (1 + seconds);
  };
  const double alpha = 2e-3;
  CHECK(late_by(1e-3) == Approx(1 + 3 * alpha).epsilon(1e-6)); // within alpha: announcements cross
  // The late rank's request waits behind the data of the other rank.
  CHECK(late_by(0.1) == Approx(2 + 3 * alpha).epsilon(1e-6));
}

TEST_CASE("a message's header counts against the eager limit") {
  ProtocolSpec p = plain();
  p.eager_limit = Bytes(1e6 + 56);
  p.header = Bytes(56);
  const double alpha = 2e-3;
  CHECK(time_of(with(p, 1, Algorithm::parameter_server, 1e-3)) == Approx(2 * (1 + alpha)).epsilon(1e-12));
  p.header = Bytes(57);
  CHECK(time_of(with(p, 1, Algorithm::parameter_server, 1e-3)) == Approx(2 * (1 + 3 * alpha)).epsilon(1e-12));
}

TEST_CASE("a sender goes on once its buffer holds the rest, and its next message when the window does") {
  ProtocolSpec p = plain();
  p.window = Bytes(100'000);
  p.send_buffer = Bytes(200'000);
  const auto marks = [&](double wire) {
    const auto [goes_on, behind] = Messaging(p).marks(wire, rate);
    return std::pair(goes_on, behind);
  };
  CHECK(marks(50'000) == std::pair(50'000.0, 0.0));
  CHECK(marks(100'000) == std::pair(100'000.0, 0.0));
  CHECK(marks(150'000) == std::pair(150'000.0, 50'000.0));
  CHECK(marks(1e6) == std::pair(200'000.0, 100'000.0)); // the window does not change
  // A tree of 4 with two messages up. On the way down, the root's second message shares its link with the last window
  // of the first. So the first arrives a window later, and is then forwarded.
  Scenario s = with(p, 4, Algorithm::gtopk);
  training(s).exchange.density = 0.5; // lists of 1 MB
  CHECK(time_of(s) == Approx(2 + (1 + 0.1) + 1).epsilon(1e-9));
  // With x bytes sent, the window is w + x. Of 800 kB, the buffer holds the rest when x is 200 kB.
  p.slow_start = Seconds(10);
  CHECK(marks(800'000) == std::pair(600'000.0, 300'000.0));
  p.slow_start = Seconds(0.2); // at most the link's rate times this
  CHECK(marks(800'000) == std::pair(400'000.0, 200'000.0));
}

TEST_CASE("messages that fit the window leave a rank's link one after another") {
  ProtocolSpec p = plain();
  p.window = Bytes(2e6);
  p.send_buffer = Bytes(4e6);
  // In a tree of 4, the root's first message arrives after a second, and is forwarded while the second one leaves.
  Scenario s = with(p, 4, Algorithm::gtopk);
  training(s).exchange.density = 0.5;
  CHECK(time_of(s) == Approx(4).epsilon(1e-9));
  // With a buffer but no window, messages are not ordered: both share the link from the start.
  p.window = Bytes(1);
  p.send_buffer = Bytes(4e6);
  CHECK(time_of(with(p, 4, Algorithm::ring)) == Approx(1.5).epsilon(1e-9));
  CHECK(time_of(s) == Approx(4).epsilon(1e-9)); // the scenario has a copy of the first protocol
  s.platform.protocol = p;
  CHECK(time_of(s) == Approx(2 + 2 + 1).epsilon(1e-5));
}

TEST_CASE("a connection carries one message after another") {
  ProtocolSpec p = plain();
  p.window = Bytes(100'000);
  p.send_buffer = Bytes(300'000);
  // Two buckets to one server: the second starts while the first is leaving, and does not share its link.
  Scenario s = with(p, 1, Algorithm::parameter_server);
  s.workload.layers = {{"a", 0, 0, {{"a", elements}}}, {"b", 0, 0, {{"b", elements}}}};
  training(s).granularity = {Granularity::Kind::tensor};
  CHECK(time_of(s) == Approx(4).epsilon(1e-9));
}

TEST_CASE("every sender's first bytes pass at once, whatever acknowledgements flow") {
  // A star of 4 at 10 Mbps. A burst must not make a ring slower, and each rank gains at most the burst.
  ProtocolSpec p;
  Scenario s = star(4, 16384, Algorithm::ring, 0);
  s.platform.network.link = {ByteRate(1.25e6), Seconds(0), {}, {}};
  s.platform.message_overhead = Seconds(9e-6);
  s.platform.protocol = p;
  const double without = time_of(s);
  s.platform.protocol->burst = Bytes(3200);
  const double with_burst = time_of(s);
  CHECK(with_burst < without - 0.99 * 3200 / 1.25e6 * 1448 / 1514);
  CHECK(with_burst > without - 2 * 3200 / 1.25e6);
  s.platform.protocol->acknowledgement = Bytes(0);
  CHECK(time_of(s) < with_burst);
}

TEST_CASE("announcements that race cross if one says so") {
  ProtocolSpec p = plain();
  p.eager_limit = Bytes(1000);
  CHECK(time_of(with(p, 4, Algorithm::recursive_doubling)) == Approx(1 + 2).epsilon(1e-9));
  p.announcements = Announcements::cross;
  CHECK(time_of(with(p, 4, Algorithm::recursive_doubling)) == Approx(2).epsilon(1e-9));
}

TEST_CASE("a flow beside the job takes its share of each link, and no more") {
  Scenario s = star(2, elements, Algorithm::ring, 0);
  s.platform.network.link = {ByteRate(rate), Seconds(0), {}, {}};
  CHECK(run(s).time == Approx(1).epsilon(1e-9));
  s.traffic = {steady_flow("f", 0, 1)};
  CHECK(run(s).time == Approx(2).epsilon(1e-9)); // one of the ring's two links has half of its rate
  s.traffic.push_back(steady_flow("g", 0, 1));
  CHECK(run(s).time == Approx(3).epsilon(1e-9));
  s.traffic = {steady_flow("f", 1, 0), steady_flow("g", 0, 1)};
  CHECK(run(s).time == Approx(2).epsilon(1e-9));
  // Each push and the flow share a server's link with max-min fairness.
  Scenario server = star(2, elements, Algorithm::parameter_server, 0);
  server.platform.network.link = {ByteRate(rate), Seconds(0), {}, {}};
  server.traffic = {steady_flow("f", 0, 2)};
  CHECK(run(server).time == Approx(3 + 2).epsilon(1e-9)); // up: two pushes and the flow; down: two replies
}

TEST_CASE("an idle link lets a burst pass at once, and earns it back at its rate") {
  ProtocolSpec p = plain();
  p.burst = Bytes(200'000);
  // Push and pull use different directions, and both were idle before.
  CHECK(time_of(with(p, 1, Algorithm::parameter_server)) == Approx(2 * 0.8).epsilon(1e-9));
  // A ring's links are idle only for alpha between its steps.
  CHECK(time_of(with(p, 2, Algorithm::ring, 0.05)) == Approx((0.5 - 0.2 + 0.1) + (0.5 - 0.1 + 0.1)).epsilon(1e-9));
  p.burst = Bytes(2e6);
  CHECK(time_of(with(p, 1, Algorithm::parameter_server)) == 0);
}

TEST_CASE("beside compute a message that was held back is slowed as any other") {
  ProtocolSpec p = plain();
  p.eager_limit = Bytes(0);
  Scenario s = with(p, 4, Algorithm::recursive_doubling, 0.1);
  s.platform.rate_while_computing = 0.5;
  s.workload.layers = {{"behind", 0, 100, {}}, {"first", 0, 1, {{"w", elements}}}};
  training(s).overlap = {OverlapKind::layerwise, 1};
  const ForkedRun slowed = run(s);
  // The exchange ends with the backward pass. Without the reduced rate, each part would also do so.
  s.workload.layers[0].backward = 0;
  training(s).overlap = {OverlapKind::none, 1};
  s.platform.rate_while_computing.reset();
  const ForkedRun alone = run(s);
  CHECK(slowed.communication_time == Approx(2 * alone.communication_time).epsilon(1e-9));
}

TEST_CASE("results under a protocol repeat to the last bit") {
  Scenario s = with({}, 8, Algorithm::hierarchical, 1e-5);
  training(s).exchange.levels = {HierarchyLevel{}};
  training(s).exchange.levels[0].group_size = 4;
  s.platform.protocol->burst = Bytes(3200);
  CHECK(run(s).time == run(s).time);
}
