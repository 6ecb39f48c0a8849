#include "models/nccl/graph.hpp"
#include "tests/models/nccl/machines.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <rapidcheck.h>
#include <set>

using namespace gradflight::nccl;

namespace {

/// Checks that each channel contains every GPU once.
void check_orders(const Graph& graph, int gpus) {
  for (const SearchedChannel& channel : graph.channels)
    REQUIRE(std::set<int>(channel.gpus.begin(), channel.gpus.end()).size() == static_cast<std::size_t>(gpus));
}

/// Returns the largest load of an NVLink over its rate, for rings that use only NVLinks.
double nvlink_load(const Machine& machine, const Graph& rings) {
  std::map<std::pair<int, int>, double> loads;
  const int gpus = machine.gpu_count();
  for (const SearchedChannel& ring : rings.channels)
    for (int i = 0; i < gpus; ++i)
      loads[{ring.gpus[static_cast<std::size_t>(i)], ring.gpus[static_cast<std::size_t>((i + 1) % gpus)]}] +=
          rings.intra;
  double most = 0;
  for (const auto& [pair, load] : loads) {
    const int links = machine.links[static_cast<std::size_t>(pair.first * gpus + pair.second)];
    RC_ASSERT(links > 0);
    most = std::max(most, load / (links * machine.link_rate()));
  }
  return most;
}

} // namespace

TEST_CASE("the cube mesh of eight V100 carries one, four and six rings of an NVLink each among 2, 4 and 8 GPUs") {
  const std::map<int, int> rings = {{2, 1}, {3, 2}, {4, 4}, {5, 2}, {6, 2}, {7, 4}, {8, 6}};
  for (const auto& [gpus, count] : rings) {
    const Graphs graphs = machines::searched(machines::first_gpus(machines::v100_cube_mesh(), gpus));
    CAPTURE(gpus);
    CHECK(graphs.ring.count() == count);
    CHECK(graphs.ring.intra == 20);
    CHECK(graphs.channels == 2 * count);
    check_orders(graphs.ring, gpus);
    check_orders(graphs.tree, gpus);
  }
}

TEST_CASE("rings over any GPUs of the cube mesh load no NVLink above its rate") {
  REQUIRE(rc::check("subsets", [] {
    const auto chosen = *rc::gen::suchThat(rc::gen::unique<std::vector<int>>(rc::gen::inRange(0, 8)),
                                           [](const std::vector<int>& set) { return set.size() >= 2; });
    const Machine machine = with_gpus(machines::v100_cube_mesh(), chosen);
    const Graphs graphs = machines::searched(machine);
    RC_ASSERT(graphs.ring.count() >= 1);
    if (graphs.ring.intra_type == PathType::nvlink) RC_ASSERT(nvlink_load(machine, graphs.ring) <= 1 + 1e-9);
  }));
}

TEST_CASE("behind an NVSwitch rings fill a GPU's NVLinks, in at least twelve channels") {
  struct Case {
    Generation generation;
    int links, channels;
    double speed;
  };
  for (const Case& c : {Case{Generation::ampere, 12, 12, 20}, Case{Generation::hopper, 18, 12, 30},
                        Case{Generation::blackwell, 18, 16, 45}, Case{Generation::volta, 6, 6, 20}})
    for (const int gpus : {2, 4, 8}) {
      Machine machine = machines::eight_gpus(c.generation, 24);
      machine.switch_links = c.links;
      const Graphs graphs = machines::searched(machines::first_gpus(machine, gpus));
      CAPTURE(static_cast<int>(c.generation), gpus);
      CHECK(graphs.ring.count() == c.channels);
      CHECK(graphs.ring.intra == c.speed);
      CHECK(graphs.channels == 2 * c.channels);
      CHECK((graphs.nvls.count() == (c.generation >= Generation::hopper ? gpus : 0)));
    }
}

TEST_CASE("an NVLink mesh of four carries twelve rings: three orders and their ways back, four links a pair") {
  const Machine machine = machines::four_a100(1);
  const Graphs graphs = machines::searched(machine);
  CHECK(graphs.ring.count() == 12);
  CHECK(graphs.ring.intra == 20);
  CHECK(nvlink_load(machine, graphs.ring) <= 1);
}

TEST_CASE("between nodes every NIC takes a channel") {
  const Graphs many = machines::searched(machines::a100(2, 8, 200));
  CHECK(many.ring.count() == 8);
  CHECK(many.ring.inter == 24);
  const Graphs few = machines::searched(machines::a100(2, 4, 100));
  CHECK(few.ring.count() == 4);
  CHECK(few.ring.inter == 12);
  for (const Graph* graph : {&many.ring, &few.ring, &many.tree, &few.tree}) {
    std::set<int> nics;
    for (const SearchedChannel& channel : graph->channels) {
      nics.insert(channel.nic_in);
      CHECK(channel.nic_out == channel.nic_in);
    }
    CHECK(static_cast<int>(nics.size()) == graph->count());
    check_orders(*graph, 8);
  }
}

TEST_CASE("eight NICs of 400 Gbit/s are kept busy by rings that cross them in pairs") {
  const Graphs graphs = machines::searched(machines::h100(2));
  REQUIRE(graphs.ring.count() == 8);
  CHECK(graphs.ring.inter == 48);
  CHECK(graphs.ring.cross_nic == 2);
  for (std::size_t c = 0; c < 8; ++c) CHECK(graphs.ring.channels[c].nic_out == graphs.ring.channels[c ^ 1].nic_in);
  CHECK(graphs.channels == 16);
  CHECK(graphs.tree.pattern == Pattern::tree);
  CHECK(graphs.nvls.count() == 8);
}

TEST_CASE("one GPU a node splits its NIC's rate over two channels") {
  const Graphs graphs = machines::searched(machines::first_gpus(machines::h100(10), 1));
  CHECK(graphs.ring.count() == 2);
  CHECK(graphs.ring.inter == 24);
  CHECK(graphs.channels == 4);
  CHECK(graphs.nvls_channels == 0);
}

TEST_CASE("across sockets PCIe leaves one ring at the rate between them") {
  Machine machine;
  machine.gpus.resize(2);
  machine.gpus[1].socket = 1;
  machine.socket_rate = 10;
  const Graphs graphs = machines::searched(machine);
  CHECK(graphs.ring.count() == 1);
  CHECK(graphs.ring.intra == 10);
  CHECK(graphs.ring.intra_type == PathType::sockets);
}

TEST_CASE("without GPUDirect the way to the NIC is by the CPU") {
  Machine machine = machines::a100(2, 8, 200);
  machine.gpudirect = false;
  const Graphs graphs = machines::searched(machine);
  CHECK(graphs.ring.inter_type >= PathType::host);
  CHECK(graphs.ring.count() * graphs.ring.inter < 8 * 24);
}

TEST_CASE("a Grace Hopper reaches its own NIC by C2C") {
  Machine machine;
  machine.generation = Generation::hopper;
  machine.links = mesh_links(4, 6);
  machine.vendor = Vendor::arm;
  machine.nodes = 2;
  for (int gpu = 0; gpu < 4; ++gpu) {
    machine.gpus.push_back({-1, gpu, -1, 24, 180});
    machine.nics.push_back({24, 0, gpu, -1, 24});
  }
  const Graphs graphs = machines::searched(machine);
  CHECK(graphs.ring.count() == 4);
  CHECK(graphs.ring.inter == 24);
  CHECK(graphs.tree.inter_type == PathType::c2c_nic);
}

TEST_CASE("all that is wrong with a machine is said") {
  Machine machine;
  machine.nodes = 2;
  CHECK(mistakes_of(machine).size() == 2); // no GPU, no NIC
  machine = machines::four_a100(1);
  CHECK(mistakes_of(machine).empty());
  machine.links[1] = 3;
  machine.gpus[2].pcie_switch = 1;
  machine.gpus[3].pcie_rate = 0;
  machine.nics[0].latency_us = -1;
  const std::vector<std::string> found = mistakes_of(machine);
  REQUIRE(found.size() == 4);
  CHECK(found[0] == "3 NVLinks from GPU 0 to 1, 4 back");
  CHECK(found[1] == "GPU 2 is below PCIe switch 1, but a node has 0 switches");
  machine = machines::four_a100(1);
  machine.nics.resize(257, machine.nics.front());
  CHECK(mistakes_of(machine) == std::vector<std::string>{"257 NICs in a node: at most 256"});
}
