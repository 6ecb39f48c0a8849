// Tensors in the schedules: exact sums without a codec, bounded errors with one, and message sizes equal to the
// codec's.
#include "models/codecs/catalogue.hpp"
#include "scenarios/language/types/scenario.hpp"
#include "tests/sim/data/captured.hpp"
#include "tests/support/forked.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

using namespace gradflight;
using namespace gradflight::test;

namespace {

constexpr std::int64_t captured_elements = 1037;

Scenario with_tensors(int p, const Captured& captured, Algorithm algorithm) {
  Scenario s = star(p, 1, algorithm);
  s.workload.layers = {{"a", 0, 0, {{"w", 600}, {"b", 7}}}, {"c", 0, 0, {{"w", 430}}}};
  training(s).compression.tensors = captured.files();
  training(s).iterations = 3;
  training(s).exchange.density = 0.05;
  if (algorithm == Algorithm::hierarchical)
    training(s).exchange.levels = {{3, GroupReduce::ring, GroupBroadcast::binomial, false}};
  return s;
}

codec::Settings codec_named(const char* name) { return codec::default_settings(name); }

} // namespace

TEST_CASE("without a codec every rank ends with the exact sum, for every algorithm and p") {
  const Captured captured(13, captured_elements, true);
  for (const int p : {1, 2, 3, 5, 8, 13})
    for (const Algorithm algorithm : {Algorithm::parameter_server, Algorithm::ring, Algorithm::recursive_doubling,
                                      Algorithm::halving_doubling, Algorithm::binomial_tree, Algorithm::hierarchical}) {
      Scenario s = with_tensors(p, captured, algorithm);
      for (const auto granularity :
           {Granularity::Kind::model, Granularity::Kind::tensor, Granularity::Kind::segments}) {
        training(s).granularity.kind = granularity;
        training(s).granularity.segments = 4;
        const ForkedRun o = run(s);
        INFO("p " << p << " algorithm " << static_cast<int>(algorithm) << ": " << o.message);
        REQUIRE(!o.failed);
        REQUIRE(o.max_error == 0);
        REQUIRE(o.wire_bytes == o.payload_bytes);
      }
    }
}

TEST_CASE("every variant of servers, hierarchies and rings sums exactly") {
  const Captured captured(8, captured_elements, true);
  Scenario s = with_tensors(8, captured, Algorithm::parameter_server);
  ExchangeSpec& x = training(s).exchange;
  SECTION("several servers") { x.servers = 3; }
  SECTION("colocated servers") {
    x.servers = 4;
    x.colocated = true;
  }
  SECTION("binomial pull") { x.pull = Pull::binomial; }
  SECTION("binomial pull of several servers") {
    x.servers = 3;
    x.pull = Pull::binomial;
  }
  SECTION("pull at first use") {
    x.pull_at = PullAt::first_use;
    training(s).granularity.kind = Granularity::Kind::tensor;
    training(s).overlap.kind = OverlapKind::layerwise;
  }
  SECTION("a ring in pieces") {
    x.algorithm = Algorithm::ring;
    x.pieces = 3;
  }
  SECTION("aggregators of their own") {
    x.algorithm = Algorithm::hierarchical;
    x.levels = {{3, GroupReduce::flat, GroupBroadcast::flat, true},
                {3, GroupReduce::binomial, GroupBroadcast::ring, true}};
  }
  SECTION("rings at all levels") {
    x.algorithm = Algorithm::hierarchical;
    x.levels = {{4, GroupReduce::allreduce, GroupBroadcast::ring, false}};
  }
  SECTION("iterations in the pipeline, on several streams") {
    x.algorithm = Algorithm::halving_doubling;
    training(s).granularity.kind = Granularity::Kind::tensor;
    training(s).overlap = {OverlapKind::pipelined, 2};
    training(s).streams = 2;
  }
  for (const EngineKind engine : {EngineKind::hybrid, EngineKind::simgrid}) {
    const ForkedRun o = run(s, engine);
    INFO(o.message);
    REQUIRE(!o.failed);
    REQUIRE(o.max_error == 0);
  }
}

TEST_CASE("with a codec the aggregate is within the codec's guarantee times hops, and messages weigh its bytes") {
  const int p = 5;
  const Captured captured(p, captured_elements, false);
  for (const int bound : {-6, -10}) {
    Scenario s = with_tensors(p, captured, Algorithm::ring);
    training(s).compression.codec = codec_named("inceptionn");
    training(s).compression.codec->error_bound_log2 = bound;
    const ForkedRun o = run(s);
    REQUIRE(o.max_error > 0);
    // Errors of p - 1 partial sums, then of p - 1 hops with the whole sum.
    REQUIRE(o.max_error < (2 * (p - 1)) * std::ldexp(1.0, bound));
    REQUIRE(o.wire_bytes < o.payload_bytes);
    REQUIRE(o.push_wire == o.wire_bytes);
  }
  // fp16: two bytes per element, independent of the values.
  Scenario s = with_tensors(p, captured, Algorithm::halving_doubling);
  training(s).compression.codec = codec_named("fp16");
  const ForkedRun o = run(s);
  REQUIRE(o.wire_bytes == o.payload_bytes / 2);
  REQUIRE(o.relative_l2_error < 1e-3);
}

TEST_CASE("a server's legs: each worker's push, one shared pull") {
  const int p = 4;
  const Captured captured(p, captured_elements, false);
  Scenario s = with_tensors(p, captured, Algorithm::parameter_server);
  training(s).compression.codec = codec_named("threelc");
  const ForkedRun both = run(s);
  REQUIRE(both.push_wire > 0);
  REQUIRE(both.pull_wire < both.payload_bytes / 2 / 10); // at most a quarter of a byte per value
  training(s).compression.pull = false;
  const ForkedRun push = run(s);
  REQUIRE(push.push_wire == both.push_wire);
  REQUIRE(push.pull_wire == push.payload_bytes / 2);
  REQUIRE(push.relative_l2_error < both.relative_l2_error);
  // The relays of a tree forward the server's encoded data: the same number of bytes as directly to each worker.
  training(s).compression.pull = true;
  training(s).exchange.pull = Pull::binomial;
  const ForkedRun tree = run(s);
  REQUIRE(tree.pull_wire == both.pull_wire);
  REQUIRE(tree.max_error == both.max_error);
}

TEST_CASE("top-k exchanges send their lists, and everyone ends with the same sum") {
  const Captured captured(8, captured_elements, false);
  for (const int p : {2, 5, 8}) {
    Scenario s = with_tensors(p, captured, Algorithm::topk_allgather);
    const double list = 4 + 8 * std::floor(0.05 * captured_elements);
    const ForkedRun all = run(s);
    REQUIRE(all.wire_bytes == 3 * p * (p - 1) * list);
    REQUIRE(all.relative_l2_error > 0);
    REQUIRE(all.relative_l2_error < 2); // residuals of earlier steps are added to this step's gradient
    training(s).exchange.all_gather = AllGather::ring;
    const ForkedRun ring = run(s);
    REQUIRE(ring.wire_bytes == all.wire_bytes);
    REQUIRE(ring.relative_l2_error == all.relative_l2_error);
    training(s).exchange.algorithm = Algorithm::gtopk;
    const ForkedRun tree = run(s);
    REQUIRE(tree.wire_bytes == 3 * 2 * (p - 1) * list);
    REQUIRE(tree.relative_l2_error >= all.relative_l2_error); // k entries for all workers instead of up to p k
  }
  // The loss of the tree compared with the exact top-k of the sum; none with one worker.
  Scenario tree = with_tensors(8, captured, Algorithm::gtopk);
  const ForkedRun judged = run(tree);
  REQUIRE(judged.shared_indices > 0.05); // the share expected by chance
  REQUIRE(judged.shared_indices < 1);
  REQUIRE(judged.lost_mass > 0);
  REQUIRE(judged.lost_mass < 0.2);
  REQUIRE(judged.selected_mass > 0.05); // the largest 5 % have more than 5 % of the mass
  training(tree).exchange.density = 1;
  const ForkedRun everything = run(tree);
  REQUIRE(everything.shared_indices == 1);
  REQUIRE(everything.lost_mass < 1e-6); // sums in float32 instead of float64
  REQUIRE(everything.selected_mass == 1);
  // All entries are sent, so both give the sum.
  Scenario s = with_tensors(8, captured, Algorithm::topk_allgather);
  training(s).exchange.density = 1;
  REQUIRE(run(s).relative_l2_error < 1e-6);
  training(s).exchange.algorithm = Algorithm::gtopk;
  REQUIRE(run(s).relative_l2_error < 1e-6);
}

TEST_CASE("tensors left out of the compression travel as they are, at 4 bytes an element") {
  const int p = 4;
  const Captured captured(p, captured_elements, true);
  for (const Algorithm algorithm : {Algorithm::ring, Algorithm::recursive_doubling, Algorithm::parameter_server}) {
    Scenario s = with_tensors(p, captured, algorithm);
    training(s).compression.codec = codec_named("truncate"); // 2 bytes per value, with 8 exact bits
    training(s).granularity.kind = Granularity::Kind::segments;
    training(s).granularity.segments = 3;
    const ForkedRun all = run(s);
    REQUIRE(all.wire_bytes == all.payload_bytes / 2);
    REQUIRE(all.max_error > 0);
    training(s).compression.except = {"b", "w"};
    const ForkedRun none = run(s);
    REQUIRE(none.max_error == 0);
    REQUIRE(none.wire_bytes == none.payload_bytes);
    training(s).compression.except = {"b"}; // 7 elements of 1037, for all divisions into blocks
    const ForkedRun some = run(s);
    REQUIRE(some.wire_bytes == some.payload_bytes / 2 + some.payload_bytes / 2 * 7 / 1037);
    training(s).compression.except = {};
    training(s).compression.except_below = Bytes(430 * 4);
    REQUIRE(run(s).wire_bytes == some.wire_bytes);
  }
  // By tensor and pushed as a whole: an overhead for each tensor except the one left out. Residuals of the others stay
  // separate.
  Scenario s = with_tensors(p, captured, Algorithm::parameter_server);
  training(s).granularity.kind = Granularity::Kind::tensor;
  training(s).compression.codec = codec_named("threelc");
  training(s).compression.except = {"b"};
  const ForkedRun plain = run(s);
  training(s).compression.tensor_overhead = Bytes(10);
  const ForkedRun more = run(s);
  REQUIRE(more.wire_bytes == plain.wire_bytes + 3 * 2 * p * 2 * 10); // iterations, legs, workers, tensors
  REQUIRE(more.relative_l2_error == plain.relative_l2_error);
  training(s).granularity.kind = Granularity::Kind::model; // the rest is one stream with its own scale
  REQUIRE(run(s).max_error > 0);
}

TEST_CASE("errors are unknown where values are no numbers, and relative ones where the exact sum is 0") {
  const Captured captured(2, captured_elements, true);
  Scenario s = with_tensors(2, captured, Algorithm::ring);
  training(s).compression.codec = codec_named("quantize8");
  std::vector<float> up(captured_elements), down(captured_elements);
  for (std::size_t i = 0; i < up.size(); ++i) {
    up[i] = static_cast<float>(i % 100) + 1;
    down[i] = -up[i];
  }
  for (std::size_t point = 0; point < 2; ++point) {
    captured.write(point, 0, up);
    captured.write(point, 1, down);
  }
  const ForkedRun opposite = run(s); // the sums are 0, the sums of the decoded blocks are not
  CHECK(opposite.max_error > 0);
  CHECK(std::isnan(opposite.relative_l2_error));
  CHECK_FALSE(std::isnan(opposite.bias));
  training(s).compression.codec.reset();
  CHECK(run(s).relative_l2_error == 0); // nothing is wrong
  down[500] = std::numeric_limits<float>::quiet_NaN();
  captured.write(1, 1, down); // of three exchanges, the second one
  const ForkedRun broken = run(s);
  CHECK(!broken.failed);
  CHECK(std::isnan(broken.max_error));
  CHECK(std::isnan(broken.relative_l2_error));
  CHECK(std::isnan(broken.bias));
  captured.write(1, 1, {1, 2, 3}); // not its number of values
  const ForkedRun cut = run(s);
  CHECK(cut.failed);
  CHECK_THAT(cut.message, Catch::Contains("second/worker-1.npy: has 3 values, but the workload has 1037"));
}

TEST_CASE("bytes of exchanges have the numbers of their iterations over all phases") {
  const Captured captured(2, captured_elements, true);
  Scenario s = with_tensors(2, captured, Algorithm::ring);
  s.phases.insert(s.phases.begin(), s.phases[0]);
  s.phases[0].name = "first";
  s.phases[0].training.iterations = 4;
  CHECK(run(s).exchange_iterations == std::vector<std::int64_t>{4, 5, 6});
}
