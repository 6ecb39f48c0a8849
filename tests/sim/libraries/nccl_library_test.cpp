// What NCCL and RCCL compute before their first call.
#include "sim/libraries/nccl_library.hpp"

#include "models/nccl/release_tables.hpp"
#include "models/rccl/disjoint_rings.hpp"
#include "scenarios/language/decode/load.hpp"

#include <catch2/catch.hpp>

using namespace gradflight;

TEST_CASE("GPUs send by another GPU's NIC from NCCL 2.12 on, and not with RCCL") {
  const PlatformSpec platform = load_platform("mi300x-8");
  CHECK(nccl_setup(platform, 2, 8, nccl::Library::nccl, 12)->machine.pxn);
  CHECK_FALSE(nccl_setup(platform, 2, 8, nccl::Library::nccl, 11)->machine.pxn);
  CHECK_FALSE(nccl_setup(platform, 2, 8, nccl::Library::rccl, nccl::newest_release)->machine.pxn);
}

TEST_CASE("RCCL's 28 channels on a mesh of eight GPUs are its disjoint rings") {
  const auto setup = nccl_setup(load_platform("mi300x-8"), 1, 8, nccl::Library::rccl, nccl::newest_release);
  CHECK(setup->tuning.channels == 28);
  REQUIRE(setup->graphs.ring.count() == 14); // each ring twice
  const auto rings = nccl::disjoint_rings(8);
  for (std::size_t i = 0; i < 14; ++i) CHECK(setup->graphs.ring.channels[i].gpus == rings.at(i % 7));
}

TEST_CASE("NCCL sees a GPU at the socket of its PCIe switch, however unevenly switches share sockets") {
  PlatformSpec platform = load_platform("dgx-a100");
  platform.node->gpus = platform.gpus_per_node = 6; // three switches of two GPUs at two sockets
  const auto setup = nccl_setup(platform, 2, 6, nccl::Library::nccl, nccl::newest_release);
  std::vector<int> sockets;
  for (const nccl::Gpu& gpu : setup->machine.gpus) sockets.push_back(gpu.socket);
  CHECK(sockets == std::vector<int>{0, 0, 0, 0, 1, 1});
  CHECK(setup->tuning.channels > 0);
}
