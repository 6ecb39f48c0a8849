#include "models/nccl/topology.hpp"
#include "tests/models/nccl/machines.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <stdexcept>

using namespace gradflight::nccl;

TEST_CASE("paths: the nearest type, then the widest") {
  const Topology cube(machines::v100_cube_mesh());
  CHECK(cube.path(0, 3).type == PathType::nvlink);
  CHECK(cube.path(0, 3).rate == 40);
  CHECK(cube.path(0, 5).type == PathType::nvlink_bridge); // through GPU 1 or 4
  CHECK(cube.path(0, 5).links.size() == 2);
  CHECK(cube.path(0, 5).rate == 20);
  CHECK(cube.total_rate() == 120);
  CHECK_FALSE(cube.split_nvlink());

  const Topology hopper(machines::h100(2));
  CHECK(hopper.path(3, hopper.nic(3)).type == PathType::pcie_switch);
  CHECK(hopper.path(0, hopper.nic(3)).type == PathType::pxn);  // sends through GPU 3
  CHECK(hopper.path(hopper.nic(3), 0).type == PathType::host); // receives without it
  CHECK(hopper.gpu_of(3) == 3);
  CHECK(hopper.widest_path(true) == 48);
}

TEST_CASE("without PXN or GPUDirect other ways are left") {
  Machine machine = machines::h100(2);
  machine.pxn = false;
  CHECK(Topology(machine).path(0, Topology(machine).nic(3)).type == PathType::host);
  machine.gpudirect = false;
  CHECK(Topology(machine).path(3, Topology(machine).nic(3)).type == PathType::host);
}

TEST_CASE("four NICs are shared out among eight GPUs, two each") {
  const Topology topology(machines::a100(2, 4, 100));
  for (int gpu = 0; gpu < 8; ++gpu) CHECK(topology.nic_of(gpu, 0) == gpu / 2);
}

TEST_CASE("GPUs with NVLink in two groups and none between them are a split machine") {
  Machine machine = machines::eight_gpus(Generation::ampere, 24);
  machine.links.assign(64, 0);
  for (int a = 0; a < 8; ++a)
    for (int b = 0; b < 8; ++b)
      if (a != b && a / 4 == b / 4) machine.links[static_cast<std::size_t>(8 * a + b)] = 4;
  CHECK(mistakes_of(machine).empty());
  CHECK(Topology(machine).split_nvlink());
}

TEST_CASE("some of a node's GPUs keep their numbers") {
  const std::array some = {6, 1};
  const Machine machine = with_gpus(machines::v100_cube_mesh(), some);
  CHECK(machine.gpus[0].device == 6);
  CHECK(machine.links == std::vector<int>(4, 0)); // GPUs 6 and 1 have no NVLink in common
  const std::array beyond = {8};
  CHECK_THROWS_AS(with_gpus(machines::v100_cube_mesh(), beyond), std::out_of_range);
}
