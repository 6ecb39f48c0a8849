// Groups of links: the traffic of many similar links, and when JSON lists groups.
#include "analysis/run/result/link_groups.hpp"

#include "analysis/run/files/result_json.hpp"
#include "tests/analysis/run/result/outcome_example.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

using namespace gradflight;
using Json = nlohmann::ordered_json;

namespace {

/// A run of 4 s; link i of the first kind carries i bytes at 100 bytes/s.
RunResult with_links(int count) {
  RunResult result;
  result.time = 4;
  for (int i = 0; i < count; ++i) {
    LinkRole role;
    role.tier = LinkTier::nic;
    result.links.push_back({fmt::format("node{}.up", i), static_cast<double>(i), 0.5 * i, 100, role});
  }
  return result;
}

} // namespace

TEST_CASE("a group has sums, largest values and the mean of its links") {
  RunResult result = with_links(5);
  result.links.push_back({"node5.up", 1000, 2, 500, result.links.front().role}); // with a different bandwidth
  result.links.push_back({"rack0.up", 7, 1, 100, {}});
  const std::vector<LinkGroup> groups = groups_of(result);
  REQUIRE(groups.size() == 3);
  CHECK(groups[0].names == "node*.up");
  CHECK(groups[0].tier == LinkTier::nic);
  CHECK(groups[0].count == 5);
  CHECK(groups[0].used == 4);
  CHECK(groups[0].bytes == 10);
  CHECK(groups[0].most_bytes == 4);
  CHECK(groups[0].most_busy == 2);
  CHECK(groups[0].most_utilisation == 0.01);
  CHECK(groups[0].mean_utilisation == Approx(0.005).epsilon(1e-12));
  CHECK(groups[1].bandwidth == 500);
  CHECK(groups[1].mean_utilisation == 0.5);
  CHECK(groups[2].names == "rack*.up");
  CHECK(groups[2].tier == LinkTier::network);
}

TEST_CASE("JSON lists links one by one up to 10,000, unless it is told otherwise") {
  Outcome outcome = testing::example_outcome();
  const auto listed = [&](LinkListing listing) {
    list_links(outcome, listing);
    const Json result = Json::parse(result_json(outcome));
    CHECK(result.contains("links") != result.contains("link_groups"));
    return result.contains("links") ? "links" : "groups";
  };
  outcome.result.links = with_links(static_cast<int>(links_listed)).links;
  CHECK(listed(LinkListing::by_count) == std::string("links"));
  CHECK(listed(LinkListing::groups) == std::string("groups"));
  outcome.result.links = with_links(static_cast<int>(links_listed) + 1).links;
  CHECK(listed(LinkListing::by_count) == std::string("groups"));
  CHECK(listed(LinkListing::all) == std::string("links"));
}
