// Scenarios for tests of properties, and comparisons up to rounding errors.
#pragma once

#include "sim/simulate.hpp"
#include "tests/support/random_scenario.hpp"

#include <algorithm>
#include <cmath>
#include <rapidcheck.h>
#include <vector>

namespace gradflight::test::metamorphic {

inline constexpr double rounding = 1e-12;

inline RunResult result_of(const Scenario& s) { return simulate(s, build_platform(s.platform, extra_nodes(s))); }

inline bool near(double a, double b) { return std::abs(a - b) <= rounding * std::max(std::abs(a), std::abs(b)); }

inline TrainingSpec& training_of(Scenario& s) { return s.phases.back().training; }

inline bool synchronous(const ExchangeSpec& x) {
  return x.consistency == Consistency::synchronous && x.backup_workers == 0;
}

/// Avoids decisions that rounding errors may change: those of reactive servers, which depend on the order of arrivals,
/// and those with several streams.
inline Scenario drawn(std::uint32_t seed) {
  Scenario s = random_scenario(seed);
  TrainingSpec& t = training_of(s);
  t.streams = 1;
  if (!synchronous(t.exchange)) t.exchange = {};
  return s;
}

inline Scenario drawn() { return drawn(*rc::gen::arbitrary<std::uint32_t>()); }

/// On a star with one GPU per node, no two of their messages share a link.
inline const std::vector<Algorithm> without_contention{Algorithm::ring, Algorithm::recursive_doubling,
                                                       Algorithm::halving_doubling, Algorithm::binomial_tree};

/// A star of equal cables with one GPU per node, some of them stragglers; one tensor with a size that all block counts
/// divide.
inline Scenario symmetric_star(Dice& dice, int p, Algorithm algorithm) {
  Scenario s;
  s.platform.nodes = p;
  s.platform.network.link = {ByteRate(dice.real(1e8, 2e9)), Seconds(dice.real(0, 1e-4)), {}, {}};
  if (dice.chance(70)) s.platform.reduce_bandwidth = ByteRate(dice.real(5e8, 1e10));
  for (int layers = dice.in(1, 3); layers > 0; --layers)
    s.workload.layers.push_back({"l", dice.real(0, 1e-3), dice.real(0, 2e-3), {{"t", 840LL * 64 * dice.in(1, 50)}}});
  s.workload.update = dice.real(0, 1e-3);
  for (int node = 0; node < p; ++node) {
    NodeOverride o;
    o.nodes = {node};
    if (dice.chance(30)) o.compute_speed = dice.real(0.4, 1.5);
    if (dice.chance(30)) o.bandwidth = ByteRate(dice.real(5e7, 2e9));
    if (o.compute_speed || o.bandwidth) s.platform.node_overrides.push_back(o);
  }
  s.phases.push_back({"main", {}});
  TrainingSpec& t = training_of(s);
  t.exchange.algorithm = algorithm;
  t.granularity.kind = dice.chance(50) ? Granularity::Kind::tensor : Granularity::Kind::model;
  t.overlap.kind = dice.chance(50) ? OverlapKind::none : OverlapKind::layerwise;
  t.iterations = dice.in(1, 4);
  return s;
}

inline void require_like(const RunResult& a, const RunResult& b) {
  RC_LOG() << "times " << a.time << " and " << b.time << "\n";
  RC_ASSERT(near(a.time, b.time));
  RC_ASSERT(a.messages == b.messages);
  RC_ASSERT(a.iterations.size() == b.iterations.size());
  for (std::size_t i = 0; i < a.iterations.size(); ++i) RC_ASSERT(near(a.iterations[i].end, b.iterations[i].end));
}

} // namespace gradflight::test::metamorphic
