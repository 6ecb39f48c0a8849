// Closed forms for a codec with a placement: exact if their assumptions hold, and with a named cause otherwise.
#include "analysis/run/forms/closed_form.hpp"
#include "models/schedules/parts/collective.hpp"
#include "tests/support/forked.hpp"

#include <catch2/catch.hpp>
#include <cmath>

using namespace gradflight;
using namespace gradflight::test;
using Catch::Contains;

namespace {

struct Compared {
  ClosedForm form;
  ForkedRun run;
  [[nodiscard]] double off() const { return std::abs(run.time - form.terms.time) / run.time; }
};

Compared compared(const Scenario& s, EngineKind engine = EngineKind::hybrid) {
  const Platform platform = build_platform(s.platform, extra_nodes(s));
  const ClosedFormAnswer answer = closed_form(s, platform);
  REQUIRE(answer.form);
  return {*answer.form, run(s, engine)};
}

void require_exact_codec(const Scenario& s, EngineKind engine = EngineKind::hybrid) {
  const Compared c = compared(s, engine);
  const FormTerms& t = c.form.terms;
  INFO(c.form.name << ", p = " << s.workers() << ": " << c.form.cause() << "; simulated " << c.run.time << ", form "
                   << t.time);
  REQUIRE(c.form.all_hold());
  REQUIRE(c.off() <= 1e-9);
  REQUIRE(std::abs(t.alpha + t.beta + t.gamma + t.compute + t.other - t.time) <= 1e-9 * t.time);
}

Scenario placed(Scenario s, CodecPlacement placement, double ratio) {
  CompressionSpec& c = training(s).compression;
  c.ratio = ratio;
  c.placement = placement;
  if (placement == CodecPlacement::nic) {
    s.platform.nic.emplace();
  } else {
    c.encode_bandwidth = ByteRate(3e9);
    c.decode_bandwidth = ByteRate(5e9);
  }
  return s;
}

constexpr CodecPlacement placements[] = {CodecPlacement::nic, CodecPlacement::gpu, CodecPlacement::cpu};

} // namespace

TEST_CASE("all-reduces with a placed codec are exact, wire-bound and engine-bound") {
  for (const Algorithm algorithm : algorithms()) {
    const auto* const* form = std::get_if<const StepsForm*>(&collective(algorithm).form);
    if (form == nullptr || sends_lists({algorithm})) continue;
    for (const int p : {2, 4, 8})
      for (const std::int64_t elements : {64, 64'000, 6'400'000})
        for (const double gbps : {1.0, 10.0, 100.0})
          for (const CodecPlacement placement : placements) {
            Scenario s = placed(star(p, elements, algorithm), placement, 5.5);
            s.platform.network.link.bandwidth = ByteRate(gbps * 1e9 / 8);
            require_exact_codec(s);
          }
  }
}

TEST_CASE("rings of any p, several steps and compute with a placed codec are exact") {
  for (const CodecPlacement placement : placements)
    for (const int p : {3, 5, 7}) {
      Scenario s = placed(star(p, 105'000, Algorithm::ring), placement, 9.1);
      s.workload.layers[0].forward = 1e-3;
      s.workload.layers[0].backward = 2e-3;
      training(s).iterations = 3;
      require_exact_codec(s);
    }
}

TEST_CASE("a NIC does not compete with computing: layer-wise overlap stays exact") {
  Scenario s = placed(star(4, 1, Algorithm::ring), CodecPlacement::nic, 5.5);
  s.workload.layers = {{"a", 1e-3, 2e-3, {{"w", 400'000}}}, {"b", 1e-3, 1e-3, {{"v", 800'000}}}};
  training(s).granularity.kind = Granularity::Kind::tensor;
  training(s).overlap.kind = OverlapKind::layerwise;
  training(s).iterations = 4;
  require_exact_codec(s);
  s = placed(s, CodecPlacement::gpu, 5.5);
  const Compared c = compared(s);
  CHECK_FALSE(c.form.all_hold());
  CHECK_THAT(c.form.cause(), Contains("no host cost competes with compute (the codec runs on the GPU"));
  CHECK(c.off() > 1e-6);
}

TEST_CASE("parameter servers with a placed codec are exact") {
  for (const CodecPlacement placement : placements)
    for (const int p : {1, 2, 3, 7})
      for (const bool colocated : {false, true})
        for (const Pull pull : {Pull::flat, Pull::binomial})
          for (const bool pull_leg : {false, true})
            for (const double gbps : {1.0, 10.0, 100.0}) {
              Scenario s = placed(star(p, 420'000, Algorithm::parameter_server), placement, 5.5);
              s.platform.network.link.bandwidth = ByteRate(gbps * 1e9 / 8);
              training(s).exchange.pull = pull;
              training(s).exchange.colocated = colocated;
              training(s).compression.pull = pull_leg;
              s.workload.update = 1e-3;
              const int nodes = p + (colocated ? 0 : 1);
              const bool full = (nodes & (nodes - 1)) == 0;
              if (placement != CodecPlacement::nic && pull == Pull::binomial && !full) continue;
              require_exact_codec(s);
            }
}

TEST_CASE("several servers behind compressing NICs are exact where they share evenly") {
  for (const int servers : {2, 4}) {
    Scenario s = placed(star(4, 400'000, Algorithm::parameter_server), CodecPlacement::nic, 11.0);
    training(s).exchange.servers = servers;
    require_exact_codec(s);
    training(s).exchange.colocated = servers == 4;
    require_exact_codec(s);
  }
}

TEST_CASE("software codecs are the same in both engines") {
  for (const CodecPlacement placement : {CodecPlacement::gpu, CodecPlacement::cpu})
    for (const Algorithm algorithm : {Algorithm::ring, Algorithm::parameter_server, Algorithm::binomial_tree})
      require_exact_codec(placed(star(4, 40'000, algorithm), placement, 4), EngineKind::simgrid);
}

TEST_CASE("where a form with a placed codec does not hold, the cause is named") {
  const auto cause = [](const Scenario& s) {
    const Compared c = compared(s);
    CHECK_FALSE(c.form.all_hold());
    return c.form.cause();
  };
  Scenario s = placed(star(4, 40'000, Algorithm::ring), CodecPlacement::nic, 4);
  s.platform.gpus_per_node = 2;
  CHECK_THAT(cause(s), Contains("every message has the engines of its two NICs to itself"));
  s = placed(star(4, 40'000, Algorithm::ring), CodecPlacement::nic, 4);
  training(s).exchange.pieces = 2;
  CHECK_THAT(cause(s), Contains("blocks travel whole (they travel in 2 pieces)"));
  s = placed(star(4, 40'000, Algorithm::parameter_server), CodecPlacement::cpu, 4);
  training(s).exchange.servers = 2;
  CHECK_THAT(cause(s), Contains("one server where the codec computes"));
  s = placed(star(4, 40'000, Algorithm::hierarchical), CodecPlacement::nic, 4);
  training(s).exchange.levels = {{2, GroupReduce::ring, GroupBroadcast::binomial, false}};
  CHECK_THAT(cause(s), Contains("no codec takes time"));
  s = placed(star(3, 42'000, Algorithm::binomial_tree), CodecPlacement::cpu, 4);
  CHECK_THAT(cause(s), Contains("per-message costs meet in every step"));
}
