#include "base/nearest_name.hpp"

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

TEST_CASE("a name that holds a candidate with a number in it means that one") {
  const std::vector<std::string> names{"A100", "H100", "H200", "MI300X", "llama3-8b", "ring"};
  CHECK(nearest_name("H100 80GB HBM3", names) == "H100");
  CHECK(nearest_name("NVIDIA A100-SXM4-40GB", names) == "A100");
  CHECK(nearest_name("Meta-Llama-3-8B-Instruct", names) == "llama3-8b");
  CHECK(nearest_name("AMD Instinct MI300X OAM", names) == "MI300X");
  CHECK(nearest_name("a string of a ring and more", names).empty());
}
