#include "models/rccl/disjoint_rings.hpp"
#include "models/rccl/msccl.hpp"
#include "models/rccl/rccl.hpp"
#include "models/schedules/nccl/nccl_call.hpp"
#include "tests/models/nccl/machines.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <string>

using namespace gradflight;
using namespace gradflight::nccl;

namespace {

/// Eight MI300X with a link between each pair, and a NIC of 400 Gbit/s each.
Machine mi300x(int nodes) {
  Machine machine = machines::h100(nodes);
  machine.generation = Generation::ampere;
  machine.switch_links = 0;
  machine.links = mesh_links(8, 1);
  machine.nvlink = xgmi_rate;
  machine.vendor = Vendor::amd;
  machine.nvls = false;
  return machine;
}

} // namespace

TEST_CASE("a mesh of eight MI300X: rings carry seven links of 48 GB/s, LL a twelfth") {
  const Machine machine = mi300x(1);
  const Tuning tuning = tune_rccl(machine, machines::searched(machine));
  const auto cost = [&](Operation op, Algorithm a, Protocol p) { return tuning.cost(op, a, p); };
  const Cost ring_simple = cost(Operation::all_reduce, Algorithm::ring, Protocol::simple);
  CHECK(ring_simple.latency_us == Approx(17 + 14 * 2.1));
  CHECK(ring_simple.bandwidth == Approx(336.0 * 8 / 14));
  const Cost ring_ll = cost(Operation::all_reduce, Algorithm::ring, Protocol::ll);
  CHECK(ring_ll.latency_us == Approx(12 + 14 * 0.8));
  CHECK(ring_ll.bandwidth == Approx(336 * 0.08 * 8 / 14));
  CHECK(cost(Operation::all_reduce, Algorithm::tree, Protocol::ll).bandwidth == Approx(336 * 0.06 / 2));
  CHECK(cost(Operation::all_reduce, Algorithm::tree, Protocol::simple).bandwidth == 0);
  CHECK(cost(Operation::all_reduce, Algorithm::ring, Protocol::ll128).bandwidth == 0);
  CHECK(cost(Operation::broadcast, Algorithm::ring, Protocol::ll).bandwidth == Approx(336 * 0.08 * 1.65));
  // A tree with LL reaches its full bandwidth at 64 KiB, and a tenth of it at 1 KiB.
  CHECK(*time_us(tuning, Operation::all_reduce, 65536, Algorithm::tree, Protocol::ll) ==
        Approx(12 + 14 * 0.9 + 65.536 / (336 * 0.06 / 2)));
  CHECK(*time_us(tuning, Operation::all_reduce, 1024, Algorithm::tree, Protocol::ll) ==
        Approx(12 + 14 * 0.9 + 1.024 / (336 * 0.06 / 2 * 0.1)));
  CHECK(choose(tuning, Operation::all_reduce, 1024).protocol == Protocol::ll);
  CHECK(choose(tuning, Operation::all_reduce, 1 << 28).protocol == Protocol::simple);
  CHECK(choose(tuning, Operation::all_reduce, 1024).threads == 256);
  CHECK(choose(tuning, Operation::all_reduce, 1, {Algorithm::nvls, {}, 0}).refused ==
        "nvls cannot do all_reduce: RCCL has rings and trees only");
}

TEST_CASE("between nodes RCCL counts what rings reach by size") {
  const Machine machine = mi300x(4);
  const Tuning tuning = tune_rccl(machine, machines::searched(machine));
  const Cost& ring = tuning.cost(Operation::all_reduce, Algorithm::ring, Protocol::simple);
  CHECK(ring.latency_us == Approx(17 + (62 - 8) * 6 + 8 * 320));
  const double bytes = 1 << 20; // a tenth of the bandwidth at 1 MiB, and all of it from 1 GiB on
  CHECK(*time_us(tuning, Operation::all_reduce, bytes, Algorithm::ring, Protocol::simple) ==
        Approx(ring.latency_us + bytes / 1000 / (0.1 * ring.bandwidth)));
  CHECK(*time_us(tuning, Operation::all_reduce, bytes * 1024, Algorithm::ring, Protocol::simple) ==
        Approx(ring.latency_us + bytes * 1024 / 1000 / ring.bandwidth));
}

TEST_CASE("a message of RCCL with LL has twice its bytes, or waits for the threads of its channels") {
  const Machine machine = mi300x(1);
  Graphs graphs = machines::searched(machine);
  use_disjoint_rings(machine, graphs);
  const Tuning tuning = tune_rccl(machine, graphs);
  const auto bytes_on_links = [&](int channels, Protocol protocol) {
    const Choice choice = choose(tuning, Operation::all_reduce, 1 << 18, {Algorithm::ring, protocol, channels});
    return make_nccl_call(machine, graphs, tuning, Operation::all_reduce, 1 << 16, 4, choice)
        .hops.inside.bytes_on(48e9);
  };
  // 256 threads move 8 bytes in 0.5 us each, 4.096 GB/s. Four of 28 channels share a link of 48 GB/s, eight of 56.
  CHECK(bytes_on_links(28, Protocol::ll) == Approx(48 / (4 * 4.096)));
  CHECK(bytes_on_links(56, Protocol::ll) == Approx(2));
  CHECK(bytes_on_links(28, Protocol::simple) == 1);
}

TEST_CASE("MSCCL's schedules serve calls of eight GPUs in a full mesh, by size and number of elements") {
  const auto choice = [](Operation op, std::int64_t elements, const Machine& machine = mi300x(1)) -> std::string {
    const auto found = msccl_choice(machine, op, elements, 4);
    return found ? fmt::format("{} {}", protocol_name(found->protocol), found->blocks) : "none";
  };
  CHECK(choice(Operation::all_reduce, 128) == "none"); // no multiple of 256
  CHECK(choice(Operation::all_reduce, 256) == "LL 4");
  CHECK(choice(Operation::all_reduce, 384) == "none");
  CHECK(choice(Operation::all_reduce, 16384) == "LL 4"); // 64 KiB
  CHECK(choice(Operation::all_reduce, 16384 + 256) == "none");
  CHECK(choice(Operation::all_reduce, 16384 + 512) == "LL 8");
  CHECK(choice(Operation::all_reduce, 131072) == "Simple 8");  // 512 KiB
  CHECK(choice(Operation::all_reduce, 1 << 22) == "Simple 8"); // 16 MiB
  CHECK(choice(Operation::all_reduce, (1 << 22) + 512) == "none");
  CHECK(choice(Operation::alltoall, 2304) == "LL 1"); // 9 KiB
  CHECK(choice(Operation::alltoall, 2304 + 8) == "none");
  CHECK(choice(Operation::alltoall, 131072) == "LL 4");
  CHECK(choice(Operation::alltoall, 1 << 20) == "Simple 4");
  CHECK(choice(Operation::alltoall, 1 << 23) == "Simple 8");
  CHECK(choice(Operation::alltoall, 1 << 24) == "none");
  CHECK(choice(Operation::all_gather, 4096) == "none");
  CHECK(choice(Operation::all_reduce, 4096, mi300x(2)) == "none");
  const std::array four{0, 1, 2, 3};
  CHECK(choice(Operation::all_reduce, 4096, with_gpus(mi300x(1), four)) == "none");
  Machine cut = mi300x(1);
  cut.links[1] = cut.links[8] = 0;
  CHECK(choice(Operation::all_reduce, 4096, cut) == "none");
  cut.links.clear();
  CHECK(choice(Operation::all_reduce, 4096, cut) == "none");
}

TEST_CASE("the rings of eight MI300X use each direction of each link once") {
  Graphs graphs = machines::searched(mi300x(1));
  use_disjoint_rings(mi300x(1), graphs);
  REQUIRE(graphs.ring.count() == 14); // seven rings twice
  CHECK(graphs.channels == 28);
  std::vector<int> channels(64, 0);
  for (const SearchedChannel& channel : graphs.ring.channels) {
    REQUIRE(channel.gpus.size() == 8);
    for (std::size_t i = 0; i < 8; ++i)
      ++channels[static_cast<std::size_t>(8 * channel.gpus[i] + channel.gpus[(i + 1) % 8])];
  }
  for (std::size_t a = 0; a < 8; ++a)
    for (std::size_t b = 0; b < 8; ++b) CHECK(channels[8 * a + b] == (a == b ? 0 : 2));
  CHECK(disjoint_rings(3) == std::vector<std::vector<int>>{{0, 1, 2}, {0, 2, 1}});
  CHECK(disjoint_rings(4).empty());
  CHECK(disjoint_rings(6).empty());
}
