// NCCL's rings and trees: every element arrives exactly once where it belongs, for all channels, chunks and slices.
#include "models/schedules/nccl/nccl_call.hpp"
#include "models/schedules/nccl/nccl_orders.hpp"
#include "models/schedules/nccl/nccl_ring.hpp"
#include "models/schedules/nccl/nccl_tree.hpp"
#include "models/schedules/nccl/nvls_tree.hpp"
#include "tests/models/nccl/machines.hpp"
#include "tests/models/schedules/operations/group_machine.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <rapidcheck.h>
#include <set>

using namespace gradflight;
using namespace gradflight::test;

namespace {

std::vector<int> shuffled_ranks(int p) {
  std::vector<int> ranks(static_cast<std::size_t>(p));
  std::iota(ranks.begin(), ranks.end(), 0);
  for (std::size_t i = ranks.size(); i-- > 1;) std::swap(ranks[i], ranks[*rc::gen::inRange<std::size_t>(0, i + 1)]);
  return ranks;
}

/// Divides `elements` into shares, some of them empty.
template <class Lane> void cut_shares(std::vector<Lane>& lanes, std::int64_t elements) {
  std::int64_t given = 0;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    const std::int64_t left = elements - given;
    lanes[i].offset = given;
    lanes[i].elements = i + 1 == lanes.size() ? left : *rc::gen::inRange<std::int64_t>(0, left + 1);
    lanes[i].chunk = *rc::gen::inRange<std::int64_t>(1, 40);
    given += lanes[i].elements;
  }
}

GroupSpec spec_with(Operation op, int p, std::int64_t elements) {
  GroupSpec spec;
  spec.op = op;
  spec.ranks = p;
  spec.elements = elements;
  return spec;
}

/// Returns several nodes of GPUs with an NVSwitch, and a NIC for each GPU or for two.
nccl::Machine some_machine() {
  nccl::Machine machine;
  machine.nodes = *rc::gen::inRange(1, 6);
  const int gpus = *rc::gen::inRange(machine.nodes == 1 ? 2 : 1, 9);
  machine.gpus.resize(static_cast<std::size_t>(gpus));
  machine.switch_links = 12;
  machine.nvls = false;
  machine.nics.resize(static_cast<std::size_t>(std::max(1, gpus / *rc::gen::inRange(1, 3))));
  return machine;
}

} // namespace

TEST_CASE("NCCL's rings carry out their operations") {
  REQUIRE(rc::check("rings over any orders, shares, chunks and slices", [] {
    const int p = *rc::gen::inRange(2, 12);
    const auto op = *rc::gen::element(Operation::all_reduce, Operation::all_gather, Operation::reduce_scatter);
    const std::int64_t block = *rc::gen::inRange<std::int64_t>(1, 300);
    std::vector<RingLane> lanes(*rc::gen::inRange<std::size_t>(1, 4));
    for (RingLane& lane : lanes) lane.order = shuffled_ranks(p);
    cut_shares(lanes, block);
    const NcclRing ring(op, p, lanes, *rc::gen::inRange(1, 4));
    carry_out(spec_with(op, p, op == Operation::all_reduce ? block : block * p), ring, 7);
  }));
}

TEST_CASE("NCCL's trees carry out their operations") {
  REQUIRE(rc::check("trees of any shape, shares and chunks", [] {
    const int p = *rc::gen::inRange(2, 12);
    const auto op = *rc::gen::element(Operation::all_reduce, Operation::broadcast, Operation::reduce);
    const std::int64_t elements = *rc::gen::inRange<std::int64_t>(1, 300);
    std::vector<TreeLane> trees(*rc::gen::inRange<std::size_t>(1, 4));
    for (TreeLane& tree : trees) {
      tree.parent.assign(static_cast<std::size_t>(p), no_rank);
      for (int rank = 1; rank < p; ++rank) tree.parent[static_cast<std::size_t>(rank)] = *rc::gen::inRange(0, rank);
    }
    cut_shares(trees, elements);
    carry_out(spec_with(op, p, elements), NcclTree(op, p, trees), 7);
  }));
}

TEST_CASE("channels that take the GPUs of each node in another order do alike") {
  /// A tree over nodes of two GPUs; GPU `head` of each talks to the parent.
  const auto tree_of = [](const std::vector<int>& parent, int head) {
    TreeLane tree;
    for (int rank = 0; rank < 2 * static_cast<int>(parent.size()); ++rank) {
      const int node = rank / 2, above = parent[static_cast<std::size_t>(node)];
      tree.parent.push_back(rank % 2 != head ? 2 * node + head : above == no_rank ? no_rank : 2 * above + head);
    }
    return tree;
  };
  const auto any_nodes = [](int nodes) {
    std::vector<int> parent(static_cast<std::size_t>(nodes), no_rank);
    for (int node = 1; node < nodes; ++node) parent[static_cast<std::size_t>(node)] = *rc::gen::inRange(0, node);
    return parent;
  };
  REQUIRE(rc::check("every step of every member", [&] {
    const auto op = *rc::gen::element(Operation::all_reduce, Operation::broadcast, Operation::reduce);
    const int nodes = *rc::gen::inRange(1, 5);
    const std::vector<int> parent = any_nodes(nodes);
    const bool same_nodes = *rc::gen::arbitrary<bool>();
    std::vector<TreeLane> trees{tree_of(parent, 0), tree_of(same_nodes ? parent : any_nodes(nodes), 1)};
    const std::int64_t elements = *rc::gen::inRange<std::int64_t>(1, 60), chunk = *rc::gen::inRange<std::int64_t>(1, 9);
    for (TreeLane& tree : trees) {
      tree.elements = elements;
      tree.chunk = chunk;
    }
    const NcclTree schedule(op, 2 * nodes, trees);
    const int ways = schedule.lanes() / 2;
    for (int way = 0; way < ways; ++way) {
      const std::vector<int> alike = schedule.doing_alike(ways + way, way);
      RC_ASSERT(!alike.empty() || !same_nodes);
      if (alike.empty()) continue;
      const auto counterpart = [&](int member) {
        return member == no_rank ? no_rank : alike[static_cast<std::size_t>(member)];
      };
      for (int member = 0; member < schedule.members(); ++member) {
        if (same_nodes) RC_ASSERT(counterpart(member) == (member ^ 1));
        RC_ASSERT(schedule.steps(way, member) == schedule.steps(ways + way, counterpart(member)));
        for (std::int64_t i = 0; i < schedule.steps(way, member); ++i) {
          const LaneStep here = schedule.step(way, member, i);
          const LaneStep there = schedule.step(ways + way, counterpart(member), i);
          RC_ASSERT(counterpart(here.step.to) == there.step.to);
          RC_ASSERT(counterpart(here.step.from) == there.step.from);
          RC_ASSERT(here.step.out == there.step.out);
          RC_ASSERT(here.step.in == there.step.in);
          RC_ASSERT(here.primitive == there.primitive);
          RC_ASSERT((here.after_lane < 0 ? here.after_lane : here.after_lane + ways) == there.after_lane);
          RC_ASSERT(here.after_steps == there.after_steps);
        }
      }
    }
    for (int lane = 0; lane < 2 * ways; ++lane)
      for (int model = 0; model < ways; ++model)
        RC_ASSERT((lane - model) % ways == 0 || schedule.doing_alike(lane, model).empty());
    RC_ASSERT(schedule.with_lanes(ways == 2 ? std::vector{2, 3} : std::vector{1})
                  ->same_messages(NcclTree(op, 2 * nodes, {trees[1]})));
  }));
}

TEST_CASE("NCCL's rings and trees send by the primitives of its kernels") {
  using enum Primitive;
  const auto sent = [](const GroupSchedule& schedule, int lane, int member) {
    std::vector<Primitive> primitives;
    for (std::int64_t i = 0; i < schedule.steps(lane, member); ++i)
      if (const LaneStep next = schedule.step(lane, member, i); next.step.to != no_rank)
        primitives.push_back(next.primitive);
    return primitives;
  };
  const auto of_ring = [&](Operation op) { return sent(NcclRing(op, 4, {{{0, 1, 2, 3}, {}, 4, 1, 0, 1}}, 1), 0, 2); };
  CHECK(of_ring(Operation::all_reduce) ==
        std::vector{send, reduce_send, reduce_send, reduce_copy_send, copy_send, copy_send});
  CHECK(of_ring(Operation::reduce_scatter) == std::vector{send, reduce_send, reduce_send, send, reduce_send,
                                                          reduce_send, send, reduce_send, reduce_send, send,
                                                          reduce_send, reduce_send});
  const NcclRing slices(Operation::all_gather, 3, {{{0, 1, 2}, {}, 4, 4, 0, 1}}, 2);
  CHECK(sent(slices, 0, 0) == std::vector{copy_send, copy_send, copy_send, copy_send}); // out of place
  const NcclTree tree(Operation::all_reduce, 4, {{{no_rank, 0, 1, 1}, {}, 1, 1, 0, 1}});
  CHECK(sent(tree, 0, 0).empty());
  CHECK(sent(tree, 1, 0) == std::vector{reduce_copy_send});
  CHECK(sent(tree, 0, 1) == std::vector{reduce_send});
  CHECK(sent(tree, 1, 1) == std::vector{copy_send, copy_send});
  CHECK(sent(tree, 0, 3) == std::vector{send});
  CHECK(sent(NcclTree(Operation::broadcast, 3, {{{no_rank, 0, 1}, {}, 1, 1, 0, 1}}), 0, 0) == std::vector{send});
  CHECK(sent(NcclTree(Operation::reduce, 3, {{{no_rank, 0, 1}, {}, 1, 1, 0, 1}}), 0, 1) == std::vector{reduce_send});
}

TEST_CASE("a ring's loop ends with steps that only receive before the next loop sends") {
  const int slices = 2, rounds = 2, loops = 3;
  const NcclRing ring(Operation::all_gather, 3, {{{0, 1, 2}, {}, 4 * loops, 4, 0, 1}}, slices);
  const std::int64_t steps = rounds * slices + slices - 1;
  REQUIRE(ring.steps(0, 0) == loops * steps);
  CHECK(ring.period_steps(0, 0) == steps);
  int kept = 0;
  for (std::int64_t i = 0; i < ring.steps(0, 0); ++i) {
    const LaneStep next = ring.step(0, 0, i);
    CHECK((next.step.to == no_rank) == (i % steps == steps - 1)); // the last slice arrives, and nothing leaves
    CHECK((next.step.from == no_rank) == (i % steps == 0));
    kept += next.is_destination ? 1 : 0;
  }
  CHECK(kept == loops * slices);
}

TEST_CASE("a slice takes its channel's threads what NPKit has measured, and no longer than a hop") {
  nccl::Machine machine = nccl::machines::h100(2);
  machine.nvls = false;
  const auto hops = [&](nccl::Algorithm algorithm, nccl::Protocol protocol) {
    const nccl::Graphs graphs = nccl::machines::searched(machine);
    const nccl::Tuning tuning = nccl::tune(machine, graphs);
    const nccl::Choice choice = nccl::choose(tuning, Operation::all_reduce, 1 << 30, {algorithm, protocol, 0});
    return make_nccl_call(machine, graphs, tuning, Operation::all_reduce, 1 << 28, 4, choice).hops;
  };
  const auto at = [](const ByPrimitive& of, Primitive p) { return of[static_cast<std::size_t>(p)]; };
  const HopCosts ring = hops(nccl::Algorithm::ring, nccl::Protocol::simple);
  CHECK(at(ring.inside.busy, Primitive::reduce_send) == Approx(1.63e-6));
  CHECK(*std::ranges::max_element(ring.inside.busy) < ring.inside.seconds);
  CHECK(at(ring.between.busy, Primitive::send) == 0); // a NIC works in parallel with them
  CHECK(at(ring.between.stored, Primitive::reduce_copy_send) == Approx(1 / 23e9));
  CHECK(at(hops(nccl::Algorithm::tree, nccl::Protocol::ll128).between.stored, Primitive::send) == Approx(1 / 36.7e9));
  const HopCosts ll_hops = hops(nccl::Algorithm::tree, nccl::Protocol::ll);
  CHECK(at(ll_hops.inside.busy, Primitive::reduce_send) == 0);
  // Threads with LL are slower than a NIC; wire_bytes includes this. They also wait for the NIC's own time.
  CHECK(at(ll_hops.between.stored, Primitive::send) <= 1 / 8.192e9);
}

TEST_CASE("NVLS trees carry out an all-reduce") {
  REQUIRE(rc::check("any nodes, GPUs, heads, elements and chunks", [] {
    NvlsTreeSpec spec;
    spec.nodes = *rc::gen::inRange(2, 8);
    spec.gpus = *rc::gen::inRange(2, 6); // with a single GPU, a switch returns its own data
    spec.heads = shuffled_ranks(spec.gpus);
    spec.heads.resize(*rc::gen::inRange<std::size_t>(1, spec.heads.size() + 1));
    spec.elements = *rc::gen::inRange<std::int64_t>(1, 300);
    spec.chunk = *rc::gen::inRange<std::int64_t>(1, 40);
    const NvlsTree schedule(spec);
    carry_out(spec_with(Operation::all_reduce, schedule.ranks(), spec.elements), schedule, 7);
  }));
}

TEST_CASE("NCCL's calls carry out their operations on machines, by every algorithm and protocol") {
  REQUIRE(rc::check("calls", [] {
    const nccl::Machine machine = some_machine();
    const int p = machine.ranks();
    if (p < 2 || p > 40) return;
    const nccl::Graphs graphs = nccl::machines::searched(machine);
    const nccl::Tuning tuning = nccl::tune(machine, graphs);
    const auto op = *rc::gen::element(Operation::all_reduce, Operation::all_gather, Operation::reduce_scatter,
                                      Operation::broadcast, Operation::reduce);
    const std::int64_t elements = p * *rc::gen::element<std::int64_t>(1, 3, 50, 700);
    nccl::Forced forced;
    forced.algorithm = *rc::gen::element(nccl::Algorithm::ring, nccl::Algorithm::tree);
    forced.protocol = *rc::gen::element(nccl::Protocol::ll, nccl::Protocol::ll128, nccl::Protocol::simple);
    const nccl::Choice choice = nccl::choose(tuning, op, 4.0 * static_cast<double>(elements), forced);
    if (!choice.refused.empty()) return;
    const NcclCall call = make_nccl_call(machine, graphs, tuning, op, elements, 4, choice);
    RC_ASSERT(call.schedule != nullptr);
    RC_ASSERT(call.hops.inside.wire_bytes >= 1);
    RC_ASSERT(call.hops.between.wire_bytes >= 1);
    carry_out(spec_with(op, p, elements), *call.schedule, 7);
  }));
}

TEST_CASE("NCCL's ring keeps to rails, and its trees have one root") {
  nccl::Machine machine;
  machine.nodes = 4;
  machine.gpus.resize(8);
  machine.switch_links = 12;
  machine.nics.resize(8);
  machine.nvls = false;
  const nccl::Graphs graphs = nccl::machines::searched(machine);
  for (int channel = 0; channel < graphs.channels; ++channel) {
    std::vector<int> order = ring_order(machine, graphs.ring, channel);
    REQUIRE(order.size() == 32);
    int crossings = 0;
    for (std::size_t i = 0; i < 32; ++i) crossings += order[i] / 8 != order[(i + 1) % 32] / 8 ? 1 : 0;
    CHECK(crossings == 4); // each node is entered once
    std::ranges::sort(order);
    for (int rank = 0; rank < 32; ++rank) CHECK(order[static_cast<std::size_t>(rank)] == rank);
    const std::vector<int> parents = tree_parents(machine, graphs.tree, channel, graphs.channels / 2);
    CHECK(std::ranges::count(parents, no_rank) == 1);
  }
  CHECK(chain_parents({2, 0, 1}, false) == std::vector<int>{no_rank, 0, 1});
  CHECK(chain_parents({2, 0, 1}, true) == std::vector<int>{no_rank, 2, 0});
}

TEST_CASE("a channel goes by the NICs that the search gave it, and all channels by all NICs") {
  const auto nics_of_machine = [](const nccl::Machine& machine) {
    const nccl::Graphs graphs = nccl::machines::searched(machine);
    std::set<int> used;
    for (int channel = 0; channel < graphs.channels; ++channel) {
      const std::vector<int> order = ring_order(machine, graphs.ring, channel);
      const auto nics = channel_nics(machine, graphs.ring, channel);
      REQUIRE(nics.size() == order.size());
      const auto nic = [&](std::size_t seat) { return nics[static_cast<std::size_t>(order[seat % order.size()])]; };
      const auto gpus = static_cast<std::size_t>(machine.gpu_count());
      for (std::size_t first = 0; first < order.size(); first += gpus) {
        CHECK(nic(first + gpus - 1) == nic(first + gpus)); // the ring stays on a rail
        used.insert(nic(first));
      }
    }
    return used;
  };
  nccl::Machine two_ports;
  two_ports.nodes = 2;
  two_ports.gpus.resize(1);
  two_ports.gpus[0].pcie_rate = 48;
  two_ports.nics.resize(2);
  CHECK(nics_of_machine(two_ports) == std::set{0, 1});
  CHECK(nics_of_machine(nccl::machines::four_a100(4)) == std::set{0, 1});
  CHECK(nics_of_machine(nccl::machines::h100(2)).size() == 8);
  CHECK(channel_nics(nccl::machines::h100(1), nccl::machines::searched(nccl::machines::h100(1)).ring, 0).empty());
}

TEST_CASE("a message gets as many channels as NCCL gives it, and takes more of a link that they cannot fill") {
  nccl::Machine machine = nccl::machines::h100(1);
  machine.nvls = false;
  const auto costs = [&](int nodes, int gpus, Operation op, double mebibytes) {
    std::vector<int> used(static_cast<std::size_t>(gpus));
    std::iota(used.begin(), used.end(), 0);
    nccl::Machine some = nccl::with_gpus(machine, used);
    some.nodes = nodes;
    const nccl::Graphs graphs = nccl::machines::searched(some);
    return make_nccl_exchange(some, graphs, nccl::tune(some, graphs), op, static_cast<std::int64_t>(mebibytes * 262144),
                              4)
        .hops;
  };
  const double links = 18 * 20.6, port = 12.5 / 12;
  // Inside a node: four channels of 24 GB/s for 32 MiB among eight GPUs, eight among four GPUs, and 32 from 512 MiB on.
  CHECK(costs(1, 8, Operation::sendrecv, 32).inside.bytes_on(links * 1e9) == Approx(links / (4 * 24)).epsilon(1e-12));
  CHECK(costs(1, 4, Operation::sendrecv, 32).inside.bytes_on(links * 1e9) == Approx(links / (8 * 24)).epsilon(1e-12));
  CHECK(costs(1, 8, Operation::sendrecv, 1024).inside.bytes_on(links * 1e9) == Approx(1).epsilon(1e-12));
  CHECK(costs(1, 8, Operation::alltoall, 256).inside.bytes_on(links * 1e9) == Approx(1).epsilon(1e-12));
  // A link that is slower than the four channels takes a message's own bytes. One that is faster does not make them so.
  CHECK(costs(1, 8, Operation::sendrecv, 32).inside.bytes_on(24e9) == 1);
  CHECK(costs(1, 8, Operation::sendrecv, 32).inside.bytes_on(960e9) == Approx(10).epsilon(1e-12));
  // Between nodes: four channels of 14 GB/s fill a NIC; the two remaining ones among ten nodes do not.
  CHECK(costs(2, 1, Operation::sendrecv, 32).between.bytes_on(50e9) == Approx(port).epsilon(1e-12));
  // The NIC's link carries 50 GB/s, its PCIe link only 48.
  CHECK(costs(10, 1, Operation::sendrecv, 32).between.bytes_on(48e9) == Approx(48.0 / 28).epsilon(1e-12));
  CHECK(costs(10, 1, Operation::alltoall, 320).between.bytes_on(48e9) == Approx(port).epsilon(1e-12));
}

TEST_CASE("a NIC faster than the way to it takes no more of that way") {
  const auto bytes = [](double gbit, nccl::Protocol protocol, Operation op) {
    nccl::Machine machine = nccl::machines::a100(2, 8, gbit);
    for (nccl::Nic& nic : machine.nics) nic.pcie_rate = 0;
    REQUIRE(nccl::mistakes_of(machine).empty());
    const nccl::Graphs graphs = nccl::machines::searched(machine);
    const nccl::Tuning tuning = nccl::tune(machine, graphs);
    const std::int64_t elements = std::int64_t{1} << 28;
    if (op == Operation::alltoall)
      return make_nccl_exchange(machine, graphs, tuning, op, elements, 4).hops.between.bytes_on(24e9);
    nccl::Forced forced;
    forced.algorithm = nccl::Algorithm::ring;
    forced.protocol = protocol;
    const nccl::Choice choice = nccl::choose(tuning, op, 4.0 * static_cast<double>(elements), forced);
    return make_nccl_call(machine, graphs, tuning, op, elements, 4, choice).hops.between.bytes_on(24e9);
  };
  const double port = 12.5 / 12;
  // Two channels of 12 GB/s fill the PCIe link of 24 GB/s, independent of the NIC's rate.
  for (const double gbit : {200.0, 400.0, 8000.0, 2e8}) {
    CHECK(bytes(gbit, nccl::Protocol::simple, Operation::all_reduce) == Approx(port).epsilon(1e-12));
    CHECK(bytes(gbit, nccl::Protocol::simple, Operation::alltoall) == Approx(port).epsilon(1e-12));
    // All channels carry LL's bound of 22.5 GB/s between two nodes, by eight PCIe links of 24 GB/s.
    CHECK(bytes(gbit, nccl::Protocol::ll, Operation::all_reduce) == Approx(8 * 24 / 22.5).epsilon(1e-12));
  }
}

namespace {

/// Returns the bytes on the links between nodes per byte of a large all-reduce by trees.
double tree_bytes(const nccl::Machine& machine) {
  REQUIRE(nccl::mistakes_of(machine).empty());
  const nccl::Graphs& graphs = nccl::machines::searched(machine);
  const nccl::Tuning tuning = nccl::tune(machine, graphs);
  const std::int64_t elements = std::int64_t{1} << 28;
  const nccl::Choice choice = nccl::choose(tuning, Operation::all_reduce, 4.0 * static_cast<double>(elements),
                                           {.algorithm = nccl::Algorithm::tree, .protocol = nccl::Protocol::simple});
  return make_nccl_call(machine, graphs, tuning, Operation::all_reduce, elements, 4, choice)
      .hops.between.bytes_on(1e12);
}

} // namespace

TEST_CASE("faster NICs take no more of PCIe links that several messages share") {
  nccl::Machine pairs; // two GPUs on each of two PCIe switches, and a NIC on the first; all data pass host memory
  pairs.generation = nccl::Generation::volta;
  pairs.nodes = 2;
  pairs.gpudirect = false;
  pairs.socket_rate = 62.4;
  for (int gpu = 0; gpu < 4; ++gpu) pairs.gpus.push_back({-1, gpu / 2, gpu / 2, 12, 0});
  pairs.pcie_switches = {{0, 12}, {1, 12}};
  // The uplink of the NIC's switch carries what leaves, what arrives, and the messages to the other pair of GPUs. It
  // leaves the NIC 3.9 GB/s, which both channels of 3 GB/s fill.
  for (const double gbit : {50.0, 60.0, 75.0, 100.0, 400.0}) {
    pairs.nics = {{nccl::network_rate(gbit), 0, 0, 0, 0}};
    CHECK(tree_bytes(pairs) == Approx(12.5 / 12).epsilon(1e-12));
  }
  nccl::Machine two_nics; // for each GPU, behind its one PCIe link of 48 GB/s
  two_nics.generation = nccl::Generation::hopper;
  two_nics.nodes = 2;
  two_nics.switch_links = 18;
  two_nics.gpus.resize(2);
  for (nccl::Gpu& gpu : two_nics.gpus) gpu.pcie_rate = 48;
  for (const double gbit : {200.0, 300.0, 400.0, 800.0}) {
    two_nics.nics.assign(4, {nccl::network_rate(gbit), 0, 0, -1, 0});
    CHECK(tree_bytes(two_nics) == Approx(12.5 / 12).epsilon(1e-12));
  }
}
