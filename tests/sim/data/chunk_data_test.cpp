// Compares chosen chunks with real gradients to a second implementation of GradientFlow's Algorithm 1 in float64.
#include "models/codecs/catalogue.hpp"
#include "scenarios/language/types/scenario.hpp"
#include "tests/sim/data/captured.hpp"
#include "tests/support/forked.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <numeric>

using namespace gradflight;
using namespace gradflight::test;

namespace {

constexpr std::int64_t chunked = 1037, chunk = 50, chunks = 21; // the last chunk has 37 elements
constexpr double share = 0.3, momentum = 0.5;                   // 7 chunks; halves are exact in float32
constexpr int step_count = 4;

Scenario chosen(const Captured& captured, int p, Algorithm algorithm) {
  Scenario s = star(p, 1, algorithm);
  s.workload.layers = {{"a", 1e-3, 1e-3, {{"w", 600}, {"b", 7}}}, {"c", 1e-3, 1e-3, {{"w", 430}}}};
  training(s).compression.tensors = captured.files();
  training(s).selection = ChunkSelection{1, chunk, momentum};
  if (algorithm == Algorithm::hierarchical)
    training(s).exchange.levels = {{3, GroupReduce::flat, GroupBroadcast::ring, true}};
  s.phases.insert(s.phases.begin(), s.phases[0]);
  s.phases[0].name = "dense";
  training(s).selection->share = share;
  training(s).iterations = step_count;
  return s;
}

/// Returns the gradients of all workers, last tensor first.
std::vector<std::vector<double>> read(const Captured& captured, const Workload& workload, int p, std::size_t point) {
  Gradients gradients(captured.files(), workload);
  std::vector<std::vector<double>> all;
  for (int w = 0; w < p; ++w) {
    const auto values = gradients.worker(point, w);
    all.emplace_back(values.begin(), values.end());
  }
  return all;
}

struct Expected {
  double max_error = 0, relative_l2 = 0, selected_mass = 0, kept_mass = 0;
  double selected_elements = 0;        ///< summed over the steps of the main phase
  std::vector<std::vector<bool>> sets; ///< important chunks of each step
};

Expected algorithm_1(const Captured& captured, const Workload& workload, int p) {
  const auto at = [](std::int64_t i) { return static_cast<std::size_t>(i); };
  std::vector<std::vector<double>> history(at(p), std::vector<double>(at(chunked), 0.0));
  std::vector<bool> important(at(chunks), true);
  Expected e;
  double errors = 0, exacts = 0, sent = 0, whole = 0;
  for (int step = -1; step < step_count; ++step) { // -1: the dense step before the others
    auto gradients = read(captured, workload, p, at(step + 1) % 2);
    std::vector<double> exact(at(chunked), 0.0), sum(at(chunked), 0.0);
    if (step >= 0) e.sets.push_back(important);
    for (std::size_t w = 0; w < at(p); ++w)
      for (std::size_t i = 0; i < at(chunked); ++i) {
        exact[i] += gradients[w][i];
        double& g = gradients[w][i];
        g += history[w][i];
        const bool goes = important[i / chunk];
        history[w][i] = goes ? 0 : momentum * g;
        if (goes) sum[i] += g;
        if (step < 0) continue;
        whole += std::abs(g);
        if (goes) sent += std::abs(g);
      }
    std::vector<double> norms(at(chunks), 0.0);
    for (std::size_t w = 0; w < at(p); ++w)
      for (std::size_t i = 0; i < at(chunked); ++i)
        norms[i / chunk] += important[i / chunk] ? std::abs(sum[i]) / p : std::abs(gradients[w][i]);
    for (std::size_t i = 0; i < at(chunked) && step >= 0; ++i) {
      e.max_error = std::max(e.max_error, std::abs(sum[i] - exact[i]));
      errors += (sum[i] - exact[i]) * (sum[i] - exact[i]);
      exacts += exact[i] * exact[i];
      e.selected_elements += important[i / chunk] ? 1 : 0;
    }
    std::vector<std::size_t> order(at(chunks));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return norms[a] > norms[b]; });
    std::fill(important.begin(), important.end(), false);
    for (std::size_t k = 0; k < 7; ++k) important[order[k]] = true;
  }
  e.relative_l2 = std::sqrt(errors / exacts);
  e.selected_mass = sent / whole;
  return e;
}

} // namespace

TEST_CASE("chosen chunks are those of Algorithm 1, and their sum is exact") {
  const int p = 4;
  const Captured captured(p, chunked, true);
  for (const Algorithm algorithm : {Algorithm::ring, Algorithm::recursive_doubling, Algorithm::halving_doubling,
                                    Algorithm::binomial_tree, Algorithm::hierarchical})
    for (const OverlapKind overlap : {OverlapKind::none, OverlapKind::layerwise})
      for (const double threshold : {0.0, 300.0}) {
        Scenario s = chosen(captured, p, algorithm);
        for (Phase& phase : s.phases) {
          phase.training.overlap.kind = overlap;
          if (threshold > 0) phase.training.granularity = {.kind = Granularity::Kind::fusion, .bytes = threshold};
        }
        const Expected e = algorithm_1(captured, s.workload, p);
        REQUIRE(e.sets.front() != e.sets[1]); // the set of important chunks changes
        const ForkedRun o = run(s);
        INFO("algorithm " << static_cast<int>(algorithm) << ", threshold " << threshold << ": " << o.message);
        REQUIRE(!o.failed);
        REQUIRE(o.max_error == e.max_error);
        REQUIRE(o.relative_l2_error == Approx(e.relative_l2).epsilon(1e-12));
        REQUIRE(o.selected_mass == Approx(e.selected_mass).epsilon(1e-12));
        REQUIRE(o.received_bytes == o.wire_bytes);
        if (algorithm == Algorithm::ring) // the selected elements and a norm for each chunk, twice around the ring
          REQUIRE(o.push_wire == 2 * (p - 1) * 4 * (e.selected_elements + step_count * chunks));
        const ForkedRun reference = run(s, EngineKind::simgrid);
        REQUIRE(reference.time == Approx(o.time).epsilon(1e-9));
        REQUIRE(reference.max_error == o.max_error);
      }
}

TEST_CASE("with every chunk chosen all ranks have the whole sum, whatever their number") {
  const Captured captured(8, chunked, true);
  for (const int p : {1, 3, 8}) {
    Scenario s = chosen(captured, p, Algorithm::ring);
    training(s).selection->share = 1;
    const ForkedRun o = run(s);
    REQUIRE(!o.failed);
    REQUIRE(o.max_error == 0);
    REQUIRE(o.selected_mass == 1);
    REQUIRE(o.push_wire == 2 * (p - 1) * 4 * step_count * (chunked + chunks));
  }
}

TEST_CASE("a codec halves the chunks but not their norms") {
  const int p = 4;
  const Captured captured(p, chunked, true);
  Scenario s = chosen(captured, p, Algorithm::ring);
  const Expected e = algorithm_1(captured, s.workload, p);
  for (Phase& phase : s.phases) phase.training.compression.codec = codec::default_settings("fp16");
  const ForkedRun o = run(s);
  REQUIRE(!o.failed);
  REQUIRE(o.push_wire < 2 * (p - 1) * (2 * e.selected_elements + 2 * step_count * chunk + 4 * step_count * chunks));
  REQUIRE(o.push_wire > 2 * (p - 1) * (2 * e.selected_elements - 2 * step_count * chunk + 4 * step_count * chunks));
}

TEST_CASE("local steps exchange chunks every k-th step, and the next phase goes on from the norms of the last") {
  const int p = 2;
  const Captured captured(p, chunked, true);
  Scenario s = chosen(captured, p, Algorithm::ring);
  training(s).every = 2;
  training(s).iterations = 2 * step_count;
  const Expected e = algorithm_1(captured, s.workload, p);
  const ForkedRun o = run(s);
  REQUIRE(!o.failed);
  REQUIRE(o.max_error == e.max_error);
  REQUIRE(o.relative_l2_error == Approx(e.relative_l2).epsilon(1e-12));
}

TEST_CASE("a gradient that is no number leaves the ranks agreed on the norms of its chunks") {
  const Captured captured(2, chunked, true);
  std::vector<float> values(chunked, 1);
  values[300] = std::numeric_limits<float>::quiet_NaN();
  captured.write(1, 0, values);
  const ForkedRun o = run(chosen(captured, 2, Algorithm::ring));
  CHECK(!o.failed);
  CHECK(std::isnan(o.max_error));
}
