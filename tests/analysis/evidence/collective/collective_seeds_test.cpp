#include "analysis/evidence/collective/collective_seeds.hpp"

#include "base/percentile.hpp"
#include "scenarios/language/json/diagnostics.hpp"
#include "tests/support/temporary_directory.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fmt/format.h>

using namespace gradflight;
using namespace gradflight::test;

namespace {

/// An all-to-all of 16 nodes under 4 leaf switches, joined by 2 roots.
CollectiveRequest all_to_all(const std::string& platform) {
  CollectiveRequest request;
  request.ops = {Operation::alltoall};
  request.platform = platform;
  request.sizes = {1 << 20, 1 << 24};
  request.algorithm = "spread";
  return request;
}

CollectiveTable routed_table(const CollectiveRequest& request) {
  const CollectiveGroup group = make_group(request);
  return collective_table_over_seeds(request, Operation::alltoall, group, check_request(request, group));
}

} // namespace

TEST_CASE("several seeds of routing by hash give the middle time and the 90th percentile") {
  const TemporaryDirectory directory;
  const std::string tree = directory.write(
      "tree.json", R"({ "nodes": 16, "network": { "topology": "fat_tree", "link": { "bandwidth": "10Gbps" },
                    "fat_tree": { "levels": [ { "down": 4 }, { "down": 4, "up": 2 } ] } } })");
  CollectiveRequest request = all_to_all(tree);
  std::vector<std::vector<double>> times(2);
  for (int seed = 3; seed < 8; ++seed) {
    request.sets = {fmt::format(R"(platform.network.routing={{"ecmp": {{"seed": {}}}}})", seed)};
    const CollectiveTable one = routed_table(request);
    for (std::size_t i = 0; i < 2; ++i) times[i].push_back(one.rows[i].time_us);
    CHECK_FALSE(one.rows.front().time_90th_us);
  }
  request.sets = {R"(platform.network.routing={"ecmp": {"seed": 3}})"};
  request.seeds = 5;
  const CollectiveTable table = routed_table(request);
  CHECK(table.seeds == 5);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(table.rows[i].time_90th_us == percentile(times[i], 0.9));
    std::ranges::sort(times[i]);
    CHECK(times[i].front() < times[i].back());
    CHECK(table.rows[i].time_us == times[i][2]);
  }
  request.sets = {R"(platform.network.routing={"ecmp": {"seed": 9223372036854775803}})"};
  CHECK_THROWS_WITH(require_hash(request, make_group(request)), Catch::Contains("is too large for so many"));
  // What leaves a leaf switch, 4 x 12 blocks, takes both cables: no seed is faster than adaptive routing.
  request.sets = {"platform.network.routing=adaptive"};
  CHECK_THROWS_AS(require_hash(request, make_group(request)), InputErrors);
  request.seeds = 1;
  CHECK_NOTHROW(require_hash(request, make_group(request)));
  const double adaptive = routed_table(request).rows[1].time_us;
  CHECK(adaptive == Approx(1e6 * 4 * 12 * (1 << 20) / 2.5e9).epsilon(1e-9));
  CHECK(adaptive <= times[1].front());
}
