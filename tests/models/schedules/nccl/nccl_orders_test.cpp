// Who sends a ring's messages to the next node.
#include "models/schedules/nccl/nccl_orders.hpp"
#include "models/schedules/parts/schedule.hpp"
#include "tests/models/nccl/machines.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace gradflight;

namespace {

std::vector<int> relays_of_first_ring(const nccl::Machine& machine) {
  return ring_relays(machine, nccl::machines::searched(machine).ring, 0);
}

} // namespace

TEST_CASE("a ring's last GPU sends to the network itself unless PXN is its better way") {
  // Three of eight GPUs with a NIC each. The ring 0 2 1 leaves by NIC 0; GPU 1 reaches it over NVLink and GPU 0.
  const nccl::Machine three = nccl::machines::first_gpus(nccl::machines::h100(2), 3);
  REQUIRE(nccl::machines::searched(three).ring.channels.front().gpus == std::vector<int>{0, 2, 1});
  CHECK(relays_of_first_ring(three) == std::vector<int>{no_rank, 0, no_rank, no_rank, 3, no_rank});

  const auto all_send = [](const nccl::Machine& machine) {
    const std::vector<int> relays = relays_of_first_ring(machine);
    return std::ranges::count(relays, no_rank) == machine.ranks();
  };
  CHECK(all_send(nccl::machines::a100(2, 8, 200))); // ring 0 7 ... 1: GPU 1 is on the switch of NIC 0, too
  nccl::Machine p3dn = nccl::machines::v100_cube_mesh();
  p3dn.nodes = 2;
  p3dn.nics = {{12, 0, 0, 0, 0}};
  p3dn.gpudirect = false; // so no GPU can receive data for the NIC from another one
  CHECK(all_send(p3dn));
}
