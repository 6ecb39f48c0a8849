// Calls that repeat earlier ones give the same results as simulated ones. They are simulated if anything could make
// them differ.
#include "scenarios/language/decode/load.hpp"
#include "sim/result/timeline.hpp"
#include "sim/simulate.hpp"
#include "tests/support/effort.hpp"
#include "tests/support/random_scenario.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <rapidcheck.h>

using namespace gradflight;
using namespace gradflight::test;

namespace {

struct DrawnCalls {
  std::string machine = "dgx-a100", exchange = R"("algorithm":"nccl")", training = R"("overlap":"layerwise")";
  int nodes = 2;
  std::vector<std::string> layers;
  std::string more; ///< further JSON of the scenario
};

std::string layer_text(double seconds, int bytes) {
  return fmt::format(R"({{"name":"l","forward":"1ms","backward":"{}s","tensors":[{{"name":"t","bytes":"{}B"}}]}})",
                     seconds, bytes);
}

Scenario drawn_scenario(const DrawnCalls& drawn) {
  return parse_scenario(
      fmt::format(R"({{"platform":{{"machine":"{}","nodes":{}}},"workload":{{"layers":[{}],"update":"100us"}},)"
                  R"("training":{{"exchange":{{{}}},"granularity":"layer",{}}}{}}})",
                  drawn.machine, drawn.nodes, fmt::join(drawn.layers, ","), drawn.exchange, drawn.training, drawn.more),
      "drawn.json");
}

/// Returns equal layers with calls that are hidden by passes, that wait for each other, or both in part.
DrawnCalls draw_calls(Dice& dice) {
  DrawnCalls drawn;
  drawn.machine = dice.one_of<std::string>({"dgx-a100", "dgx-a100", "mahti", "alps"});
  drawn.nodes = dice.in(1, is_sanitized ? 2 : 3);
  const std::string algorithm = dice.one_of<std::string>({"nccl", "nccl:ring", "nccl:tree", "mpi"});
  drawn.exchange = fmt::format(R"("algorithm":"{}","barrier":{})", algorithm, dice.chance(20));
  const double usual = dice.one_of<double>({2e-3, 5e-4, 1e-4, 3e-5}) * dice.real(0.5, 1);
  const int bytes = 8 * dice.in(500, is_sanitized ? 25'000 : 250'000);
  for (int l = dice.in(2, 8); l > 0; --l)
    drawn.layers.push_back(
        layer_text(dice.chance(80) ? usual : dice.real(0, 1e-3), dice.chance(80) ? bytes : bytes / 2));
  drawn.training = fmt::format(R"("overlap":"{}","iterations":{},"accumulation":{})",
                               dice.chance(80) ? "layerwise" : "none", dice.in(1, 3), dice.in(1, 2));
  if (dice.chance(20)) drawn.training += R"(,"compression":{"ratio":3})";
  return drawn;
}

RunResult result_with(Scenario s, bool shortcuts) {
  s.engine.shortcuts = shortcuts;
  return simulate(s, build_platform(s.platform, extra_nodes(s)));
}

template <class Parts> bool near_parts(const Parts& a, const Parts& b, double scale) {
  return std::ranges::equal(a, b, [scale](double x, double y) { return std::abs(x - y) <= 1e-12 * scale; });
}

/// Compares all values of time, bytes and links in a result.
void assert_same_result(const RunResult& a, const RunResult& b) {
  RC_ASSERT(a.time == b.time);
  RC_ASSERT(a.iteration_time == b.iteration_time);
  RC_ASSERT(a.messages == b.messages);
  const auto numbers = [](const RunResult& r) {
    return std::array{r.compute_time, r.communication_time, r.exposed_communication_time,
                      r.iteration_details.straggling};
  };
  RC_ASSERT(near_parts(numbers(a), numbers(b), b.time));
  const auto bytes = [](const RunResult& r) { return std::array{r.payload_bytes, r.wire_bytes, r.received_bytes}; };
  RC_ASSERT(near_parts(bytes(a), bytes(b), b.wire_bytes));
  RC_ASSERT(near_parts(a.path, b.path, b.time));
  RC_ASSERT(near_parts(a.iteration_path, b.iteration_path, b.time));
  RC_ASSERT(near_parts(a.iteration_held, b.iteration_held, b.time));
  RC_ASSERT(a.iterations.size() == b.iterations.size());
  for (std::size_t i = 0; i < a.iterations.size(); ++i) {
    RC_ASSERT(a.iterations[i].end == b.iterations[i].end);
    RC_ASSERT(near_parts(a.iterations[i].path, b.iterations[i].path, b.time));
    RC_ASSERT(near_parts(a.iterations[i].held, b.iterations[i].held, b.time));
  }
  RC_ASSERT(a.links.size() == b.links.size());
  for (std::size_t l = 0; l < a.links.size(); ++l) {
    RC_ASSERT(std::abs(a.links[l].bytes - b.links[l].bytes) <= 1e-12 * b.wire_bytes);
    RC_ASSERT(std::abs(a.links[l].busy - b.links[l].busy) <= 1e-12 * b.time);
  }
  // If links delay a message equally, rounding decides which one is named; only their sum is the same.
  const auto waiting_seconds = [](const RunResult& r) {
    double sum = 0;
    for (const auto& delay : r.delays) sum += delay.seconds;
    return sum;
  };
  RC_ASSERT(std::abs(waiting_seconds(a) - waiting_seconds(b)) <= 1e-12 * b.time);
}

/// Returns eight equal layers, with calls much shorter than a layer.
DrawnCalls alike_calls() {
  DrawnCalls drawn;
  drawn.layers.assign(8, layer_text(2e-3, 400'000));
  return drawn;
}

} // namespace

TEST_CASE("calls that repeat earlier ones, and those that are simulated, over 100 random scenarios") {
  std::int64_t repeated = 0;
  REQUIRE(rc::check("the same to 1e-12", [&] {
    Dice dice(*rc::gen::arbitrary<std::uint32_t>());
    const DrawnCalls drawn = draw_calls(dice);
    RC_LOG() << drawn.machine << " " << drawn.nodes << " " << drawn.exchange << " " << drawn.training << " "
             << fmt::format("{}", fmt::join(drawn.layers, ",")) << "\n";
    const Scenario s = drawn_scenario(drawn);
    const RunResult off = result_with(s, false), on = result_with(s, true);
    assert_same_result(on, off);
    RC_ASSERT(off.repeated_messages == 0);
    repeated += on.repeated_messages;
  }));
  CHECK(repeated > 0);
}

TEST_CASE("a call is simulated once where equal calls do not meet") {
  DrawnCalls drawn = alike_calls();
  const RunResult one = simulate(drawn_scenario(drawn), build_platform(drawn_scenario(drawn).platform, 0));
  CHECK(one.repeated_messages == one.messages / 8 * 6); // the first call begins at another time than the others
  drawn.training += R"(,"iterations":2)"; // in the second iteration ranks begin at different times, or paths had delays
  const Scenario two = drawn_scenario(drawn);
  const RunResult both = simulate(two, build_platform(two.platform, 0));
  CHECK(both.repeated_messages >= one.repeated_messages);
  CHECK(both.repeated_messages < both.messages);
}

// Rings between DGX A100s depend on ties. If time continued from the beginning of the run, they would differ by 1e-7.
TEST_CASE("a call takes as long whenever it begins") {
  const auto last_call = [](int layers, double pass) {
    DrawnCalls drawn;
    drawn.exchange = R"("algorithm":"nccl:ring")";
    drawn.layers.assign(static_cast<std::size_t>(layers), layer_text(pass, 4'000'000));
    return result_with(drawn_scenario(drawn), false).time - layers * (1e-3 + pass) - 1e-4;
  };
  const double soon = last_call(3, 2e-3);
  CHECK(soon > 1e-5);
  for (const int layers : {4, 5, 7})
    for (const double pass : {0.00123, 0.0123457, 1.0 / 30}) CHECK(std::abs(last_call(layers, pass) - soon) < 1e-15);
}

TEST_CASE("calls are simulated where something else could decide what they do") {
  DrawnCalls drawn = alike_calls();
  SECTION("streams side by side") { drawn.training += R"(,"streams":2)"; }
  SECTION("host work") {
    drawn.training += R"(,"costs":[{"name":"c","at":"before_exchange","on":"gpu","per_element":"0.01ns"}])";
  }
  SECTION("a pipeline") { drawn.training = R"("overlap":{"pipelined":2})"; }
  SECTION("a sharded exchange") {
    drawn.exchange = R"("algorithm":"sharded","stage":1,"library":"nccl")";
    drawn.training = R"("overlap":"layerwise")";
  }
  SECTION("changes") { drawn.more = R"(,"changes":[{"at":"1s","nodes":"0","compute_speed":0.5}])"; }
  SECTION("other traffic") { drawn.more = R"(,"traffic":[{"name":"t","from":0,"to":1,"bytes":"1MB","start":"1ms"}])"; }
  SECTION("shortcuts off") { drawn.more = R"(,"engine":{"shortcuts":false})"; }
  Scenario s = drawn_scenario(drawn);
  SECTION("jitter") { s.platform.jitter = Jitter{.cv = 0.1}; }
  SECTION("messages that compute slows") { s.platform.rate_while_computing = 0.5; }
  SECTION("a straggler") {
    s.platform.node_overrides.resize(1);
    s.platform.node_overrides[0].nodes = {1};
    s.platform.node_overrides[0].compute_speed = 0.5;
  }
  SimulateOptions options;
  Timeline timeline;
  SECTION("a timeline") { options.timeline = &timeline; }
  const RunResult result = simulate(s, build_platform(s.platform, extra_nodes(s)), options);
  CHECK(result.messages > 0);
  CHECK(result.repeated_messages == 0);
}

TEST_CASE("a timeline has the times of a run without one") {
  const Scenario s = drawn_scenario(alike_calls());
  const Platform platform = build_platform(s.platform, 0);
  Timeline timeline;
  SimulateOptions options;
  options.timeline = &timeline;
  const RunResult recorded = simulate(s, platform, options), plain = simulate(s, platform);
  CHECK(recorded.time == plain.time);
  double last = 0;
  for (const auto& interval : timeline.intervals) last = std::max(last, interval.end);
  CHECK(last == Approx(plain.time).epsilon(1e-12));
  CHECK(std::ssize(timeline.transfers) == recorded.messages);
  CHECK(std::ranges::all_of(timeline.transfers, [&](const auto& t) { return t.posted <= t.end && t.end <= last; }));
}
