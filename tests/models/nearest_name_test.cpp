#include "models/nearest_name.hpp"

#include <catch2/catch.hpp>

using gradflight::nearest_name;

TEST_CASE("the nearest known name is found") {
  const std::vector<std::string> names{"star", "racks", "fat_tree", "torus", "dragonfly", "graph"};
  CHECK(nearest_name("sta", names) == "star");
  CHECK(nearest_name("satr", names) == "star"); // neighbours swapped
  CHECK(nearest_name("fattree", names) == "fat_tree");
  CHECK(nearest_name("Torus", names) == "torus");
  CHECK(nearest_name("dragonfyl", names) == "dragonfly");
  CHECK(nearest_name("mesh", names).empty());
  CHECK(nearest_name("", names).empty());
  CHECK(nearest_name("star", {}).empty());
  CHECK(nearest_name(std::string(1000, 'x'), names).empty());
}

TEST_CASE("letters count for more than their case") {
  CHECK(nearest_name("mbps", {"Gbps", "Mbps"}) == "Mbps");
  CHECK(nearest_name("MB", {"mb", "MB"}) == "MB");
}
