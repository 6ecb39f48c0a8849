// The links of an operation's messages: with their costs, its closed form is the simulated time.
#include "analysis/run/forms/call_links.hpp"

#include "models/schedules/make_schedule.hpp"
#include "platforms/code/platform.hpp"
#include "sim/group/plain_group.hpp"
#include "sim/group/simulate_group.hpp"
#include "tests/scenarios/support.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <fmt/format.h>
#include <variant>

using namespace gradflight;
using namespace gradflight::test;

namespace {

/// The first GPUs of a node, or the first GPU of each node.
struct RankedPlatform {
  PlatformSpec spec;
  Platform platform;
  int apart; ///< places from one rank to the next

  RankedPlatform(const std::string& json, bool in_a_node)
      : spec(parse_scenario(fmt::format(R"({{"platform":{},"workload":{{"tensors":[{{"name":"g","bytes":"4MB"}}]}},)"
                                        R"("training":{{"exchange":{{"algorithm":"ring"}}}}}})",
                                        json),
                            "ranked.json", {})
                 .platform),
        platform(build_platform(spec, 0)), apart(in_a_node ? 1 : platform.gpus_per_node()) {}
  [[nodiscard]] double message_bytes() const { return spec.message_bytes ? spec.message_bytes->value() : 0; }
  [[nodiscard]] std::vector<std::int32_t> places(int ranks) const {
    std::vector<std::int32_t> places;
    for (int rank = 0; rank < ranks; ++rank) places.push_back(rank * apart);
    return places;
  }
};

/// Returns the links of an operation with 4-byte elements, and all that its form assumes of them.
CallLinks links_on(const RankedPlatform& on, const Collective& row, const GroupSpec& spec) {
  CallLinks used = call_links(row, spec, on.platform, on.places(spec.ranks)).value();
  used.links.element_bytes = 4;
  used.links.add_message_bytes(on.message_bytes());
  return used;
}

double seconds_of(const RankedPlatform& on, const Collective& row, const GroupSpec& spec) {
  const auto schedule = make_group_schedule(row, spec);
  GroupWork work{
      schedule.get(), std::string(operation_name(spec.op)), on.places(spec.ranks), 4, on.message_bytes(), {}};
  if (schedule->members() > schedule->ranks())
    work.place.push_back(reducing_switch(on.platform, on.places(spec.ranks)).value());
  return simulate_group(on.spec, on.platform, work).time;
}

GroupForm group_form_on(const RankedPlatform& on, const Collective& row, const GroupSpec& spec) {
  return std::get<GroupForm>(group_form(row, spec, links_on(on, row, spec).links));
}

/// A switch of the network that reduces between nodes of one GPU, whose PCIe links have no latency.
const std::string sharp_star = R"({ "nodes": 8, "network": { "topology": "star" }, "reduce_bandwidth": "2GB/s",
  "node": { "gpus": 1, "gpu": "A100", "intra": "pcie", "pcie": { "bandwidth": "100GB/s", "latency": "0us" },
            "nics": 1, "nic": { "bandwidth": "8Gbps", "latency": "1us" }, "sharp": true } })";
const std::string slow_host =
    R"({ "nodes": 8, "network": { "topology": "star" }, "message_overhead": "2us", "message_bytes": "300B",
  "node": { "gpus": 1, "gpu": "A100", "intra": "pcie", "pcie": { "bandwidth": "1GB/s", "latency": "0.5us" },
            "nics": 1, "nic": { "bandwidth": "400Gbps", "latency": "1us" }, "sharp": true } })";

const std::string slow_down = R"({ "nodes": 8, "reduce_bandwidth": "2GB/s",
  "network": { "topology": "star", "link": { "bandwidth": "8Gbps", "latency": "1us" } },
  "overrides": [ { "link": "node0.down", "bandwidth": "1Gbps" }, { "link": "node5.up", "latency": "9us" } ] })";

} // namespace

TEST_CASE("operations in a switch cost the links between each rank and the switch") {
  const std::vector<RankedPlatform> all = [] {
    std::vector<RankedPlatform> platforms;
    platforms.emplace_back(sharp_star, false);
    platforms.emplace_back(slow_host, false);
    platforms.emplace_back(R"({ "machine": "dgx-h100", "nodes": 8, "node": { "sharp": true } })", false);
    platforms.emplace_back(R"({ "machine": "dgx-h100", "nodes": 1, "reduce_bandwidth": "300GB/s" })", true);
    return platforms;
  }();
  int exact = 0;
  for (const RankedPlatform& on : all)
    for (const char* name : {"in_switch", "nvls"})
      for (std::size_t op = 0; op < operation_names.size(); ++op) {
        const Collective& row = *group_collective(name);
        if (!row.group.serves(static_cast<Operation>(op))) continue;
        for (int p = 2; p <= 8; ++p)
          for (const std::int64_t chunk : {0, 1000, 700, 100}) {
            const auto operation = static_cast<Operation>(op);
            const GroupSpec spec{operation, p, p / 2, operation == Operation::barrier ? 0 : 840 * p, chunk, 1};
            const GroupForm form = group_form_on(on, row, spec);
            const double time = seconds_of(on, row, spec);
            INFO(name << ' ' << operation_names[op] << ", p = " << p << ", chunks of " << chunk);
            if (!form.exact()) {
              CHECK(form.cost.total() <= time * (1 + 1e-9));
              continue;
            }
            ++exact;
            CHECK(std::abs(time - form.cost.total()) <= 1e-9 * time);
          }
      }
  CHECK(exact > 500);
}

TEST_CASE("two chunks of 2000 B up to a switch and down again: three messages of 1 us and 2 us") {
  const RankedPlatform on(sharp_star, false);
  const GroupSpec spec{Operation::all_reduce, 4, 0, 1000, 500, 1};
  CHECK(group_form_on(on, *group_collective("in_switch"), spec).cost.total() == Approx(9e-6).epsilon(1e-12));
}

TEST_CASE("links without messages do not count") {
  const RankedPlatform on(slow_down, false);
  const auto form = [&](const char* algorithm, Operation op) {
    return group_form_on(on, *group_collective(algorithm), {op, 4, 0, 1000, 0, 1}).cost.total();
  };
  // Nobody sends to the root, which sends two messages of 4000 B in turn, or one of 1000 B to each of the others.
  CHECK(form("binomial_tree", Operation::broadcast) == Approx(12e-6).epsilon(1e-12));
  CHECK(form("spread", Operation::scatter) == Approx(5e-6).epsilon(1e-12));
  CHECK(form("binomial_tree", Operation::reduce) == Approx(2 * (2e-6 + 4000 / 125e6 + 4000 / 2e9)).epsilon(1e-12));
}

TEST_CASE("a form is exact where its conditions hold and the links of its messages are alike, whatever others are") {
  std::vector<RankedPlatform> all;
  all.emplace_back(slow_down, false);
  all.emplace_back(R"({ "nodes": 8, "network": { "topology": "torus", "torus": { "dimensions": [2, 2, 2] },
    "link": { "bandwidth": "8Gbps", "latency": "1us" } } })",
                   false);
  all.emplace_back(R"({ "nodes": 8, "message_overhead": "1us", "network": { "topology": "racks",
    "link": { "bandwidth": "8Gbps", "latency": "1us" },
    "racks": { "nodes_per_rack": 4, "uplink": { "bandwidth": "8Gbps", "latency": "3us" } } } })",
                   false);
  int exact = 0;
  for (const RankedPlatform& on : all)
    for (const Collective* row : group_collectives())
      for (std::size_t op = 0; op < operation_names.size(); ++op) {
        const auto operation = static_cast<Operation>(op);
        if (row->group.needs_switch || !row->group.serves(operation)) continue;
        for (int p = 2; p <= 8; ++p) {
          const GroupSpec spec{operation, p, p / 3, operation == Operation::barrier ? 0 : 840 * p, 0, 1};
          const CallLinks used = links_on(on, *row, spec);
          const GroupForm form = std::get<GroupForm>(group_form(*row, spec, used.links));
          if (!form.exact() || !std::ranges::all_of(used.assumptions, &Assumption::holds)) continue;
          ++exact;
          INFO(row->name << ' ' << operation_names[op] << ", p = " << p);
          CHECK(form.cost.total() == Approx(seconds_of(on, *row, spec)).epsilon(1e-9));
        }
      }
  CHECK(exact > 100);
}

TEST_CASE("schedules beyond the limit are not looked at") {
  const RankedPlatform on(slow_down, false);
  const GroupSpec spec{Operation::all_gather, 4, 0, 1000, 0, 1};
  const auto links = [&](const char* algorithm, const CallLinksLimit& limit) {
    return call_links(*group_collective(algorithm), spec, on.platform, on.places(4), limit).has_value();
  };
  CHECK(links("ring", {12, 4}));
  CHECK(!links("ring", {11, 4}));
  CHECK(!links("ring", {12, 3}));
}
