// What changes cost a place's work: by hand, and in many periods compared with a sum over short parts of them.
#include "platforms/code/platform.hpp"
#include "sim/engine/changes/changes.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <utility>
#include <vector>

using namespace gradflight;

namespace {

using Kind = PlatformChange::What;
using ByEntry = std::map<std::pair<Kind, std::int32_t>, double>;

Platform single_node() {
  PlatformSpec spec;
  spec.nodes = 1;
  spec.network.link.bandwidth = ByteRate(1e9);
  return build_platform(spec, 0);
}

PlatformChange entry_at(std::int32_t entry, Kind what, double at, double value, double period = 0) {
  PlatformChange change{.what = what};
  change.at = at;
  change.value = value;
  change.period = period;
  change.entry = entry;
  return change;
}

void add_costs_of(const Speeds& speeds, double from, double to, ByEntry& all) {
  std::vector<Speeds::Cost> costs;
  speeds.find_costs(0, from, to, costs);
  for (const Speeds::Cost& cost : costs) all[{cost.what, cost.entry}] += cost.seconds;
}

} // namespace

TEST_CASE("costs of changes: a slow GPU loses a part of its time, a GPU that is down all of it, a fast one gains") {
  const Platform platform = single_node();
  const std::vector<PlatformChange> changes{
      entry_at(0, Kind::compute_speed, 10, 0.5), entry_at(1, Kind::place_state, 20, 0),
      entry_at(2, Kind::place_state, 32, 1), entry_at(3, Kind::compute_speed, 40, 2)};
  ByEntry costs;
  add_costs_of(Speeds(changes, platform), 0, 50, costs);
  CHECK(costs == ByEntry{{{Kind::compute_speed, 0}, 9}, {{Kind::place_state, 1}, 12}, {{Kind::compute_speed, 3}, -10}});
}

TEST_CASE("costs of changes in many periods are those of each") {
  const Platform platform = single_node();
  const std::vector<PlatformChange> changes{
      entry_at(0, Kind::compute_speed, 0.25, 0.5, 1), entry_at(1, Kind::place_state, 0.4, 0),
      entry_at(2, Kind::place_state, 500.6, 1), entry_at(3, Kind::compute_speed, 0.75, 2, 1)};
  const Speeds speeds(changes, platform);
  ByEntry at_once, in_parts;
  add_costs_of(speeds, 0.125, 1000.125, at_once);
  for (int part = 0; part < 4000; ++part) add_costs_of(speeds, 0.125 + 0.25 * part, 0.375 + 0.25 * part, in_parts);
  REQUIRE(at_once.size() == 3);
  for (const auto& [entry, seconds] : at_once) CHECK(seconds == Approx(in_parts.at(entry)).epsilon(1e-9));
}
