#include "scenarios/language/tables/node_numbers.hpp"

#include "platforms/code/changes.hpp"

#include <catch2/catch.hpp>
#include <rapidcheck.h>
#include <set>

using namespace gradflight;

TEST_CASE("sets of nodes are read and written") {
  CHECK(parse_node_numbers("3") == std::vector{3});
  CHECK(parse_node_numbers("7, 0-3,2") == std::vector{0, 1, 2, 3, 7});
  CHECK(format_node_numbers({0, 1, 2, 3, 7}) == "0-3,7");
  for (const auto* text : {"", "a", "1-", "-1", "3-1", "1,", ",1", "1;2", "1000000", "0-1000000", "99999999999", "1 2"})
    CHECK_FALSE(parse_node_numbers(text));
  REQUIRE(rc::check("any set reads back", [] {
    const auto set = *rc::gen::nonEmpty(rc::gen::container<std::set<int>>(rc::gen::inRange(0, 100)));
    const std::vector<int> nodes(set.begin(), set.end());
    RC_ASSERT(parse_node_numbers(format_node_numbers(nodes)) == nodes);
  }));
}
