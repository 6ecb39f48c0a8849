#include "scenarios/language/types/scenario.hpp"
#include "sim/engine/network/delays.hpp"
#include "sim/simulate.hpp"
#include "tests/support/forked.hpp"

#include <catch2/catch.hpp>
#include <rapidcheck.h>

using namespace gradflight;
using namespace gradflight::test;

namespace {

std::vector<DirectedLink> some_links() {
  std::vector<DirectedLink> links;
  for (int i = 0; i < 5; ++i) links.push_back({"node" + std::to_string(i) + ".up", 1, 0, 0});
  return links;
}

bool same(const std::vector<LinkDelay>& a, const std::vector<LinkDelay>& b) {
  return std::ranges::equal(a, b, [](const LinkDelay& x, const LinkDelay& y) {
    return x.link == y.link && std::abs(x.seconds - y.seconds) <= 1e-12 * x.seconds;
  });
}

double total(const RunResult& r) {
  double seconds = 0;
  for (const LinkDelay& delay : r.delays) seconds += delay.seconds;
  return seconds;
}

RunResult simulated(const Scenario& s) { return simulate(s, build_platform(s.platform, extra_nodes(s))); }

} // namespace

TEST_CASE("delays: what every path knows stays as it is when they are compacted") {
  REQUIRE(rc::check("compaction", [] {
    const auto links = some_links();
    Delays delays(links, {});
    std::vector<DelayId> paths(4, 0);
    for (int i = *rc::gen::inRange(0, 200); i > 0; --i) {
      auto& path = paths[*rc::gen::inRange<std::size_t>(0, 4)];
      if (*rc::gen::inRange(0, 4) == 0)
        path = paths[*rc::gen::inRange<std::size_t>(0, 4)];
      else
        path = delays.add(path, *rc::gen::inRange(0, 5), *rc::gen::inRange(1, 9) * 0.1);
    }
    std::vector<std::vector<LinkDelay>> before;
    std::vector<DelayId*> all;
    for (DelayId& path : paths) {
      before.push_back(delays.links_on(path));
      all.push_back(&path);
    }
    delays.compact(all);
    // A tree of four leaves has at most seven segments.
    RC_ASSERT(delays.size() <= 7 * links.size());
    for (std::size_t p = 0; p < paths.size(); ++p) RC_ASSERT(same(delays.links_on(paths[p]), before[p]));
  }));
}

TEST_CASE("delays: the events that one path has and another lacks, also when they are compacted") {
  using What = PlatformChange::What;
  REQUIRE(rc::check("events", [] {
    const auto links = some_links();
    Delays delays(links, {});
    std::vector<DelayId> paths(3, 0);
    std::vector<std::vector<double>> costs(3, std::vector<double>(4, 0)), outages = costs; // by entry or number
    for (int number = 0; number < 4; ++number) delays.begin_outage(number, number);
    for (int i = *rc::gen::inRange(0, 100); i > 0; --i) {
      const auto p = *rc::gen::inRange<std::size_t>(0, 3), from = *rc::gen::inRange<std::size_t>(0, 3);
      const int which = *rc::gen::inRange(0, 4);
      const double seconds = *rc::gen::inRange(1, 9) * 0.1;
      switch (*rc::gen::inRange(0, 4)) {
      case 0:
        paths[p] = paths[from];
        costs[p] = costs[from];
        outages[p] = outages[from];
        break;
      case 1: paths[p] = delays.add(paths[p], which, seconds); break;
      case 2:
        paths[p] = delays.add_cost(paths[p], What::compute_speed, 0, which, seconds);
        costs[p][static_cast<std::size_t>(which)] += seconds;
        break;
      default:
        paths[p] = delays.add_outage(paths[p], which, seconds);
        outages[p][static_cast<std::size_t>(which)] += seconds;
      }
    }
    const auto agree = [&] {
      for (std::size_t a = 0; a < 3; ++a)
        for (std::size_t b = 0; b < 3; ++b) {
          const Delays::Events events = delays.events(paths[a], paths[b]);
          std::vector<double> own_costs(4, 0), own_outages(4, 0);
          for (const ChangeCost& cost : events.costs) own_costs[static_cast<std::size_t>(cost.entry)] = cost.seconds;
          for (const LinkDelay& wait : events.outages) own_outages[static_cast<std::size_t>(wait.link)] = wait.seconds;
          for (std::size_t i = 0; i < 4; ++i) {
            const double cost = costs[b][i] - costs[a][i], wait = outages[b][i] - outages[a][i];
            RC_ASSERT(std::abs(own_costs[i] - cost) <= 1e-12 * (costs[a][i] + costs[b][i]));
            RC_ASSERT(std::abs(own_outages[i] - wait) <= 1e-12 * (outages[a][i] + outages[b][i]));
          }
          if (a == b) RC_ASSERT(events.costs.empty() && events.outages.empty());
        }
    };
    agree();
    std::vector<DelayId*> all;
    for (DelayId& path : paths) all.push_back(&path);
    delays.compact(all);
    agree();
  }));
}

TEST_CASE("delays add up to the contention of the critical path, however long the run") {
  Scenario s = star(8, 1 << 16, Algorithm::halving_doubling);
  s.platform.gpus_per_node = 2;
  s.platform.network.topology = Topology::racks;
  s.platform.network.racks = {2, 3, {}};
  training(s).iterations = 1;
  const RunResult once = simulated(s);
  CHECK(total(once) == Approx(at(once.path, Part::contention)).epsilon(1e-9));
  training(s).iterations = 3000; // more than the number kept before compaction
  const RunResult often = simulated(s);
  CHECK(total(often) == Approx(at(often.path, Part::contention)).epsilon(1e-9));
  CHECK(total(often) == Approx(3000 * total(once)).epsilon(1e-6));
}

TEST_CASE("delays of messages whose rates change all the time add up, too") {
  Scenario s = star(6, 300'001, Algorithm::parameter_server);
  training(s).exchange.servers = 3;
  training(s).exchange.colocated = true;
  training(s).iterations = 5;
  for (int node = 0; node < 6; ++node) {
    NodeOverride o;
    o.nodes = {node};
    o.bandwidth = ByteRate(1e9 + 1e8 * node);
    s.platform.node_overrides.push_back(o);
  }
  const RunResult r = simulated(s);
  REQUIRE(at(r.path, Part::contention) > 0);
  CHECK(total(r) == Approx(at(r.path, Part::contention)).epsilon(1e-9));
}
