// Who sends the messages of all-to-all, gather, scatter and send/receive to other nodes.
#include "models/schedules/nccl/nccl_call.hpp"
#include "tests/models/nccl/machines.hpp"

#include <catch2/catch.hpp>
#include <memory>
#include <set>
#include <vector>

using namespace gradflight;

namespace {

constexpr std::int64_t vector_elements = 1 << 20;

NcclCall exchange(const nccl::Machine& machine, Operation op) {
  const nccl::Graphs& graphs = nccl::machines::searched(machine);
  return make_nccl_exchange(machine, graphs, nccl::tune(machine, graphs), op, vector_elements, 4);
}

/// Returns the rank that sends to the network for each rank that `member` sends to, no_rank: itself.
std::vector<int> relays(const GroupSchedule& schedule, int member) {
  std::vector<int> by(static_cast<std::size_t>(schedule.ranks()), no_rank);
  for (std::int64_t i = 0; i < schedule.steps(0, member); ++i)
    if (const Step step = schedule.step(0, member, i).step; step.to >= 0)
      by[static_cast<std::size_t>(step.to)] = step.by;
  return by;
}

constexpr int own = no_rank;

} // namespace

TEST_CASE("messages of NCCL leave by the NIC of the peer's number, which the GPU beside it sends for") {
  nccl::Machine machine = nccl::machines::h100(2);
  const NcclCall alltoall = exchange(machine, Operation::alltoall), gather = exchange(machine, Operation::gather),
                 scatter = exchange(machine, Operation::scatter), sendrecv = exchange(machine, Operation::sendrecv);
  CHECK(relays(*alltoall.schedule, 0) == std::vector{own, own, own, own, own, own, own, own, own, 1, 2, 3, 4, 5, 6, 7});
  CHECK(relays(*alltoall.schedule, 10) ==
        std::vector{8, 9, own, 11, 12, 13, 14, 15, own, own, own, own, own, own, own, own});
  CHECK(relays(*scatter.schedule, 0) == relays(*alltoall.schedule, 0)); // so the root uses all eight NICs
  CHECK(relays(*gather.schedule, 10).front() == 8);
  CHECK(relays(*sendrecv.schedule, 7)[8] == 0);
  CHECK(relays(*sendrecv.schedule, 6)[7] == own);

  // Two GPUs share a NIC: the first one sends for both. Without GPUDirect or PXN each sends itself.
  CHECK(relays(*exchange(nccl::machines::a100(2, 4, 100), Operation::scatter).schedule, 0) ==
        std::vector{own, own, own, own, own, own, own, own, own, own, 2, 2, 4, 4, 6, 6});
  machine.gpudirect = false;
  CHECK(relays(*exchange(machine, Operation::scatter).schedule, 0) == std::vector<int>(16, own));
  machine.gpudirect = true;
  machine.pxn = false;
  CHECK(relays(*exchange(machine, Operation::scatter).schedule, 0) == std::vector<int>(16, own));
}

TEST_CASE("each NIC of a scatter's root carries the channels of its own peers") {
  nccl::Machine machine = nccl::machines::h100(2);
  machine.nvls = false;
  // A peer on the other node for each NIC: 256 KiB in two channels of 14 GB/s on a PCIe link of 48 GB/s.
  CHECK(exchange(machine, Operation::scatter).hops.between.bytes_on(48e9) == Approx(48.0 / 28));
  machine.pxn = false; // eight peers for one NIC: 16 channels
  CHECK(exchange(machine, Operation::scatter).hops.between.bytes_on(48e9) == Approx(12.5 / 12));
}

TEST_CASE("a message of several channels is divided over the NICs that its GPU uses in turn") {
  nccl::Machine machine = nccl::machines::h100(2);
  machine.gpus.resize(1);
  machine.nics.resize(2);
  for (nccl::Nic& nic : machine.nics) nic.pcie_switch = machine.gpus.front().pcie_switch;
  machine.nvls = false;
  const std::unique_ptr<GroupSchedule> schedule = exchange(machine, Operation::sendrecv).schedule;
  REQUIRE(schedule->lanes() == 2);
  std::set<std::int16_t> out, in;
  std::int64_t sent = 0;
  std::vector<Piece> pieces;
  for (int lane = 0; lane < 2; ++lane)
    for (std::int64_t i = 0; i < schedule->steps(lane, 0); ++i) {
      const Step step = schedule->step(lane, 0, i).step;
      if (step.to == no_rank) continue;
      CHECK(step.out.count == vector_elements / 2);
      out.insert(step.nics.out);
      in.insert(step.nics.in);
      sent += step.out.count;
      schedule->contents(lane, 0, i, pieces);
    }
  CHECK(out == std::set<std::int16_t>{0, 1});
  CHECK(in == out);
  CHECK(sent == vector_elements);
  REQUIRE(pieces.size() == 2);
  CHECK(pieces[0].range == Range{0, vector_elements / 2});
  CHECK(pieces[1].range == Range{vector_elements / 2, vector_elements / 2});
}

TEST_CASE("messages inside a node stay whole where those between nodes are divided") {
  nccl::Machine machine = nccl::machines::h100(2);
  machine.nics.resize(4); // at the first four GPUs; the others are equally far from all of them
  const std::unique_ptr<GroupSchedule> schedule = exchange(machine, Operation::alltoall).schedule;
  const std::int64_t block = vector_elements / machine.ranks();
  std::vector<std::int64_t> sent(static_cast<std::size_t>(machine.ranks())), received = sent;
  for (int lane = 0; lane < schedule->lanes(); ++lane)
    for (int member = 0; member < machine.ranks(); ++member)
      for (std::int64_t i = 0; i < schedule->steps(lane, member); ++i) {
        const Step step = schedule->step(lane, member, i).step;
        if (step.to != no_rank && step.to / 8 == member / 8) CHECK(step.out.count == block);
        if (step.to != no_rank) sent[static_cast<std::size_t>(member)] += step.out.count;
        if (step.from != no_rank) received[static_cast<std::size_t>(member)] += step.in.count;
      }
  CHECK(sent == std::vector<std::int64_t>(16, 15 * block));
  CHECK(received == sent);
}
