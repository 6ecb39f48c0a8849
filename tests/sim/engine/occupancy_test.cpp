#include "sim/engine/streams/occupancy.hpp"

#include <catch2/catch.hpp>

using namespace gradflight;

TEST_CASE("a resource knows the path of its last work") {
  Occupancy gpu;
  CHECK(gpu.path() == nullptr);
  TracedPath path;
  at(path, Part::compute) = 12;
  gpu.add(12, path);
  at(path, Part::compute) = 15;
  gpu.add(15, path);
  CHECK(gpu.until() == 15);
  REQUIRE(gpu.path() != nullptr);
  CHECK(at(*gpu.path(), Part::compute) == 15);
}
