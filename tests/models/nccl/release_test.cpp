// Costs of different NCCL releases on the same machine, derived by hand from their constants.
#include "models/nccl/tuning.hpp"
#include "tests/models/nccl/machines.hpp"

#include <catch2/catch.hpp>
#include <rapidcheck.h>

using namespace gradflight;
using namespace gradflight::nccl;

namespace {

Tuning tuned_by(const Machine& machine, int release) { return tune(machine, machines::searched(machine), release); }

void check_released(const Cost& cost, double latency_us, double bandwidth) {
  CHECK(cost.latency_us == Approx(latency_us).epsilon(1e-12));
  CHECK(cost.bandwidth == Approx(bandwidth).epsilon(1e-12));
}

/// Four superchips, each with GPU, CPU and NIC; GPUs are connected in pairs.
Machine superchips(int nodes) {
  Machine machine;
  machine.generation = Generation::hopper;
  machine.vendor = Vendor::arm;
  machine.nodes = nodes;
  machine.links = mesh_links(4, 6);
  for (int gpu = 0; gpu < 4; ++gpu) {
    machine.gpus.push_back({-1, gpu, -1, 24, 200});
    machine.nics.push_back({24, 0, gpu, -1, 0});
  }
  return machine;
}

} // namespace

TEST_CASE("2.8 on eight A100 behind NVSwitches") {
  // Twelve channels of 20 GB/s; this release limits the sum to 235 GB/s.
  const Tuning tuning = tuned_by(machines::a100(1, 0, 0), 8);
  const auto cost = [&](Algorithm a, Protocol p) { return tuning.cost(Operation::all_reduce, a, p); };
  check_released(cost(Algorithm::ring, Protocol::ll), 3.6 + 14 * 0.47, 235.0 / 4 * 8 / 14);
  check_released(cost(Algorithm::ring, Protocol::ll128), 10 + 14 * 1.9, 12 * 16.9 * 8 / 14);
  check_released(cost(Algorithm::ring, Protocol::simple), 8.4 + 14 * 3.4, 235.0 * 8 / 14);
  check_released(cost(Algorithm::tree, Protocol::ll), 4.4 + 14 * 0.52, 235 * 0.92 / 3.8 / 2);
  check_released(cost(Algorithm::tree, Protocol::ll128), 4.4 + 14 * 1.25, 235 * 0.92 * 7 / 9 / 2);
  check_released(cost(Algorithm::tree, Protocol::simple), 14 * 28.0, 235 * 0.92 / 2);
  check_released(tuning.cost(Operation::all_gather, Algorithm::ring, Protocol::ll), 3.6 + 7 * 0.47, 235.0 / 3 * 8 / 7);
  check_released(tuning.cost(Operation::broadcast, Algorithm::ring, Protocol::ll128), 10 + 1.9, 235 * 0.92);
  // Trees with LL128 reach 0.5 of their bandwidth at 512 KiB, and 0.6 from 2.10 on.
  const double bytes = 1 << 19;
  CHECK(*time_us(tuning, Operation::all_reduce, bytes, Algorithm::tree, Protocol::ll128) ==
        Approx(21.9 + bytes / 1000 / (235 * 0.92 * 7 / 9 / 2 * 0.5)).epsilon(1e-12));
}

TEST_CASE("between nodes: what 2.18 and 2.23 brought") {
  Machine machine = machines::a100(4, 8, 200); // rings 8 x 24
  machine.vendor = Vendor::intel;
  const Graphs graphs = machines::searched(machine);
  const auto latency = [&](int release, Algorithm a, Protocol p) {
    return tune(machine, graphs, release).cost(Operation::all_reduce, a, p).latency_us;
  };
  // 62 steps: 56 inside nodes and 6 between; from 2.12 to 2.22, eight are between.
  CHECK(latency(8, Algorithm::ring, Protocol::ll) == Approx(3.6 + 56 * 0.47 * 1.8 + 6 * 2.7));
  CHECK(latency(16, Algorithm::ring, Protocol::ll) == Approx(3.6 + 54 * 0.47 * 1.8 + 8 * 2.7));
  CHECK(latency(18, Algorithm::ring, Protocol::ll) == Approx(6.6 + 54 * 1.0 + 8 * 2.7)); // a post takes 1 us
  CHECK(latency(23, Algorithm::ring, Protocol::ll) == Approx(6.6 + 56 * 1.0 + 6 * 2.7));
  CHECK(latency(16, Algorithm::ring, Protocol::simple) == Approx(8.4 + 54 * 3.4 + 8 * 9.6));
  CHECK(latency(18, Algorithm::tree, Protocol::simple) == Approx(2 * (7 * 4.0 + 2 * 14)));
  CHECK(latency(21, Algorithm::tree, Protocol::simple) == Approx(2 * (7 * 28.0 + 2 * 28)));
  CHECK(latency(23, Algorithm::tree, Protocol::simple) == Approx(8.4 + 2 * (7 * 4.0 + 2 * 14)));
  // The ring with Simple is slower above a size limit: first by the total bytes, later by those per channel and rank.
  const auto slower = [&](int release, double bytes) {
    const Tuning tuning = tune(machine, graphs, release);
    const Cost& cost = tuning.cost(Operation::all_reduce, Algorithm::ring, Protocol::simple);
    return (*time_us(tuning, Operation::all_reduce, bytes, Algorithm::ring, Protocol::simple) -
            bytes / 1000 / cost.bandwidth) /
           cost.latency_us;
  };
  CHECK(slower(8, 131071) == Approx(1));
  CHECK(slower(8, 131072) == Approx(1.9));
  CHECK(slower(18, 131072) == Approx(1.4));
  CHECK(slower(30, 1000) == Approx(1));
}

TEST_CASE("LL128 reaches NICs behind C2C from 2.27 on") {
  const auto serves = [](int release) {
    return tuned_by(superchips(2), release).cost(Operation::all_reduce, Algorithm::ring, Protocol::ll128).bandwidth > 0;
  };
  CHECK_FALSE(serves(23));
  CHECK_FALSE(serves(26));
  CHECK(serves(27));
  CHECK(serves(30));
}

TEST_CASE("NVLS begins with 2.17, gathers from 2.19 on, and is weighed by its links from 2.27 on") {
  const Machine machine = machines::h100(1); // eight heads of 40 GB/s
  const auto nvls = [&](int release, Operation op) {
    return tuned_by(machine, release).cost(op, Algorithm::nvls, Protocol::simple);
  };
  CHECK(nvls(16, Operation::all_reduce).bandwidth == 0);
  check_released(nvls(17, Operation::all_reduce), 23, 8 * 40 * 5.0 / 6);
  check_released(nvls(23, Operation::all_reduce), 25, 8 * 40 * 5.0 / 6);
  check_released(nvls(30, Operation::all_reduce), 25, 8 * 40 * 0.85 * 7 / 8 * 2 * 8 / 14);
  CHECK(nvls(18, Operation::all_gather).bandwidth == 0);
  CHECK(nvls(19, Operation::all_gather).bandwidth > 0);
}

TEST_CASE("releases by name") {
  CHECK(release_named("2.8") == 8);
  CHECK(release_named("2.18.3") == 18);
  CHECK(release_named("2.30.7") == 30);
  for (const char* wrong : {"", "2", "2.", "2.7", "2.31", "3.0", "2.18.", "2.18.x", "2.18.3.1", "2.-8", "2.18 ", "18"})
    CHECK_FALSE(release_named(wrong));
}

TEST_CASE("the newest release is what is told without one: every release serves every table") {
  std::vector<std::pair<Machine, Graphs>> searched;
  for (const Machine& machine : {machines::a100(2, 4, 100), machines::h100(1), machines::four_a100(8),
                                 machines::v100_cube_mesh(), superchips(4)})
    searched.emplace_back(machine, machines::searched(machine));
  REQUIRE(rc::check("machines and releases", [&] {
    const auto& [machine, graphs] = *rc::gen::elementOf(searched);
    const int release = *rc::gen::inRange(oldest_release, newest_release + 1);
    const Tuning one = tune(machine, graphs, release), newest = tune(machine, graphs);
    for (const Operation op : {Operation::all_reduce, Operation::all_gather, Operation::reduce_scatter,
                               Operation::broadcast, Operation::reduce}) {
      const Choice choice = choose(one, op, 1 << *rc::gen::inRange(0, 31));
      RC_ASSERT(choice.refused.empty());
      RC_ASSERT(choice.time_us > 0);
      if (release == newest_release)
        RC_ASSERT(one.cost(op, choice.algorithm, choice.protocol).bandwidth ==
                  newest.cost(op, choice.algorithm, choice.protocol).bandwidth);
    }
  }));
}
