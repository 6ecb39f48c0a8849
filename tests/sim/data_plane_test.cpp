// Tensors through the schedules: exact sums without a codec, bounded errors with one, sizes that are those of the
// codec.
#include "models/codecs/catalogue.hpp"
#include "tests/support/forked.hpp"
#include "workloads/npy.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>

using namespace gradflight;
using namespace gradflight::test;

namespace {

namespace fs = std::filesystem;

/// Gradients of `workers` workers at two points, in a folder of its own that goes away with it.
class Captured {
public:
  Captured(int workers, std::int64_t elements, bool whole_numbers) : elements_(elements), workers_(workers) {
    char name[] = "/tmp/gradflight-test-XXXXXX";
    directory_ = mkdtemp(name);
    std::mt19937 random(7);
    for (const char* point : {"first", "second"}) {
      fs::create_directory(fs::path(directory_) / point);
      for (int w = 0; w < workers; ++w) {
        const std::size_t shape[] = {static_cast<std::size_t>(elements)};
        const auto header = npy_header(shape);
        std::ofstream file(fs::path(directory_) / point / ("worker-" + std::to_string(w) + ".npy"), std::ios::binary);
        file.write(reinterpret_cast<const char*>(header.data()), static_cast<std::streamsize>(header.size()));
        for (std::int64_t i = 0; i < elements; ++i) {
          // Whole numbers of few bits sum without rounding in any order.
          const auto drawn = static_cast<float>(static_cast<int>(random() % 2001) - 1000);
          const float value = whole_numbers ? drawn : drawn / 10007.0F;
          file.write(reinterpret_cast<const char*>(&value), sizeof value);
        }
      }
    }
  }
  ~Captured() { fs::remove_all(directory_); }
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;

  [[nodiscard]] GradientFiles files() const { return {directory_, {"first", "second"}, workers_, elements_}; }

private:
  std::string directory_;
  std::int64_t elements_;
  int workers_;
};

constexpr std::int64_t elements = 1037;

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
  const Captured captured(13, elements, true);
  for (const int p : {1, 2, 3, 5, 8, 13})
    for (const Algorithm algorithm : {Algorithm::parameter_server, Algorithm::ring, Algorithm::recursive_doubling,
                                      Algorithm::halving_doubling, Algorithm::binomial_tree, Algorithm::hierarchical}) {
      Scenario s = with_tensors(p, captured, algorithm);
      for (const auto granularity :
           {Granularity::Kind::model, Granularity::Kind::tensor, Granularity::Kind::segments}) {
        training(s).granularity.kind = granularity;
        training(s).granularity.segments = 4;
        const Outcome o = run(s);
        INFO("p " << p << " algorithm " << static_cast<int>(algorithm) << ": " << o.message);
        REQUIRE(!o.failed);
        REQUIRE(o.max_error == 0);
        REQUIRE(o.wire_bytes == o.payload_bytes);
      }
    }
}

TEST_CASE("every variant of servers, hierarchies and rings sums exactly") {
  const Captured captured(8, elements, true);
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
    const Outcome o = run(s, engine);
    INFO(o.message);
    REQUIRE(!o.failed);
    REQUIRE(o.max_error == 0);
  }
}

TEST_CASE("with a codec the aggregate is within the codec's guarantee times hops, and messages weigh its bytes") {
  const int p = 5;
  const Captured captured(p, elements, false);
  for (const int bound : {-6, -10}) {
    Scenario s = with_tensors(p, captured, Algorithm::ring);
    training(s).compression.codec = codec_named("inceptionn");
    training(s).compression.codec->error_bound_log2 = bound;
    const Outcome o = run(s);
    REQUIRE(o.max_error > 0);
    REQUIRE(o.max_error < (2 * (p - 1)) * std::ldexp(1.0, bound)); // p - 1 partial sums, then p - 1 hops of the whole
    REQUIRE(o.wire_bytes < o.payload_bytes);
    REQUIRE(o.push_wire == o.wire_bytes);
  }
  // fp16: two bytes an element, whatever the values.
  Scenario s = with_tensors(p, captured, Algorithm::halving_doubling);
  training(s).compression.codec = codec_named("fp16");
  const Outcome o = run(s);
  REQUIRE(o.wire_bytes == o.payload_bytes / 2);
  REQUIRE(o.relative_l2_error < 1e-3);
}

TEST_CASE("a server's legs: each worker's push, one shared pull") {
  const int p = 4;
  const Captured captured(p, elements, false);
  Scenario s = with_tensors(p, captured, Algorithm::parameter_server);
  training(s).compression.codec = codec_named("threelc");
  const Outcome both = run(s);
  REQUIRE(both.push_wire > 0);
  REQUIRE(both.pull_wire < both.payload_bytes / 2 / 10); // a quarter of a byte a value and better
  training(s).compression.pull = false;
  const Outcome push = run(s);
  REQUIRE(push.push_wire == both.push_wire);
  REQUIRE(push.pull_wire == push.payload_bytes / 2);
  REQUIRE(push.relative_l2_error < both.relative_l2_error);
  // The relays of a tree hand on what the server has encoded: as many bytes as to each worker directly.
  training(s).compression.pull = true;
  training(s).exchange.pull = Pull::binomial;
  const Outcome tree = run(s);
  REQUIRE(tree.pull_wire == both.pull_wire);
  REQUIRE(tree.max_error == both.max_error);
}

TEST_CASE("top-k exchanges send their lists, and everyone ends with the same sum") {
  const Captured captured(8, elements, false);
  for (const int p : {2, 5, 8}) {
    Scenario s = with_tensors(p, captured, Algorithm::topk_allgather);
    const double list = 4 + 8 * std::floor(0.05 * elements);
    const Outcome all = run(s);
    REQUIRE(all.wire_bytes == 3 * p * (p - 1) * list);
    REQUIRE(all.relative_l2_error > 0);
    REQUIRE(all.relative_l2_error < 2); // residuals of earlier steps come on top of this one's gradient
    training(s).exchange.all_gather = AllGather::ring;
    const Outcome ring = run(s);
    REQUIRE(ring.wire_bytes == all.wire_bytes);
    REQUIRE(ring.relative_l2_error == all.relative_l2_error);
    training(s).exchange.algorithm = Algorithm::gtopk;
    const Outcome tree = run(s);
    REQUIRE(tree.wire_bytes == 3 * 2 * (p - 1) * list);
    REQUIRE(tree.relative_l2_error >= all.relative_l2_error); // k entries for everyone instead of up to p k
  }
  // All entries: nothing is left out, so both are the sum.
  Scenario s = with_tensors(8, captured, Algorithm::topk_allgather);
  training(s).exchange.density = 1;
  REQUIRE(run(s).relative_l2_error < 1e-6);
  training(s).exchange.algorithm = Algorithm::gtopk;
  REQUIRE(run(s).relative_l2_error < 1e-6);
}
