#include "platforms/code/doubtful_values.hpp"

#include "platforms/code/spec/spec.hpp"
#include "tests/support/gpu_types.hpp"

#include <catch2/catch.hpp>

using namespace gradflight;
using namespace gradflight::test;

namespace {

/// A machine of eight A100 at an NVSwitch, on PCIe of the fourth generation.
PlatformSpec sound_machine() {
  PlatformSpec platform;
  platform.nodes = 2;
  NodeSpec node;
  node.gpus = 8;
  node.gpu = gpu_named("A100");
  node.intra = NodeFabric::nvswitch;
  node.nic = {ByteRate(25e9), Seconds(1e-6), {}, {}};
  platform.node = node;
  return platform;
}

} // namespace

TEST_CASE("gigabytes in place of gigabits, and other values that are possible but doubtful") {
  using Texts = std::vector<std::string>;
  PlatformSpec platform = sound_machine();
  NodeSpec& node = *platform.node;
  CHECK(doubtful_values(platform).empty());
  node.nic.bandwidth = ByteRate(50e9); // less than twice PCIe's 26.5 GB/s
  CHECK(doubtful_values(platform).empty());
  node.nic.bandwidth = ByteRate(200e9);
  CHECK(doubtful_values(platform) ==
        Texts{"a NIC's cable has 1.6 Tbps (200 GB/s), but its PCIe link only 26.5328 GB/s; check the units of "
              "platform.node.nic and platform.node.pcie, bits (Gbps) or bytes (GB/s)"});
  node.pcie.bandwidth = ByteRate(200e9);
  CHECK(doubtful_values(platform).empty());
  node.nic.bandwidth = ByteRate(25e3);
  CHECK(doubtful_values(platform) == Texts{"a NIC's cable has 200 Kbps (25 KB/s); check the unit of "
                                           "platform.node.nic.bandwidth, bits (Gbps) or bytes (GB/s)"});
  node.nic.bandwidth = ByteRate(100e6 / 8);
  CHECK(doubtful_values(platform).empty());
  node.nic.latency = Seconds(1);
  CHECK(doubtful_values(platform) == Texts{"a message is on a cable for 1 s; check platform.node.nic.latency"});
  platform.network.link.latency = Seconds(2);
  platform.node.reset();
  CHECK(doubtful_values(platform) == Texts{"a message is on a cable for 2 s; check platform.network.link.latency"});
}

TEST_CASE("a mesh that leaves links of its GPUs unused is doubtful") {
  const auto doubts = [](const char* gpu, int gpus, NodeFabric intra, std::vector<GpuPair> pairs = {}) {
    PlatformSpec platform = sound_machine();
    platform.node->gpu = gpu_named(gpu);
    platform.node->gpus = gpus;
    platform.node->intra = intra;
    platform.node->pairs = std::move(pairs);
    return doubtful_values(platform);
  };
  CHECK(doubts("A100", 4, NodeFabric::nvlink_mesh).empty());                                    // 3 x 4 of 12 links
  CHECK(doubts("V100", 8, NodeFabric::cube_mesh).empty());                                      // 6 of 6
  CHECK(doubts("MI300X", 8, NodeFabric::xgmi_mesh).empty());                                    // 7 of 7
  CHECK(doubts("A100", 3, NodeFabric::nvlink_mesh, {{0, 1, 4}, {1, 2, 4}, {0, 2, 4}}).empty()); // as written
  CHECK(doubts("A100", 8, NodeFabric::nvlink_mesh).front() ==
        "the mesh uses only 7 of the 12 links of a GPU; check platform.node.intra");
  CHECK(doubts("A100", 8, NodeFabric::cube_mesh).front() ==
        "the mesh uses only 6 of the 12 links of a GPU; check platform.node.intra");
}
