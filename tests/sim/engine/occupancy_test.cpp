#include "sim/engine/streams/occupancy.hpp"

#include <catch2/catch.hpp>

using namespace gradflight;

TEST_CASE("a wait is shared out to the works that the resource is busy with") {
  Occupancy gpu;
  gpu.add({BusyWith::compute}, 0, 10);
  gpu.add({BusyWith::codec}, 1, 13);
  gpu.add({BusyWith::codec}, 2, 14);
  gpu.add({BusyWith::host}, 3, 20);
  CHECK(gpu.until() == 20);
  PathDetails waited;
  gpu.add_wait(4, waited);
  CHECK(waited.queued(BusyWith::compute) == 6);
  CHECK(waited.queued(BusyWith::codec) == 4);
  CHECK(waited.queued(BusyWith::host) == 6);
  PathDetails later;
  gpu.add_wait(12, later);
  CHECK(later.queued(BusyWith::compute) == 0);
  CHECK(later.queued(BusyWith::codec) == 2);
  CHECK(later.queued(BusyWith::host) == 6);
}

TEST_CASE("a resource that was idle has no earlier works") {
  Occupancy gpu;
  gpu.add({BusyWith::compute}, 0, 10);
  gpu.add({BusyWith::codec}, 1, 13);
  gpu.add({BusyWith::reduction}, 13, 15);
  gpu.add({BusyWith::compute, 0.5}, 14, 17);
  PathDetails waited;
  gpu.add_wait(13, waited);
  CHECK(waited.queued(BusyWith::compute) == 2);
  CHECK(waited.queued(BusyWith::codec) == 0);
  CHECK(waited.queued(BusyWith::reduction) == 2);
  CHECK(waited.straggling == 1);
}
