#include "models/nccl/tuning.hpp"
#include "tests/models/nccl/machines.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <rapidcheck.h>

using namespace gradflight;
using namespace gradflight::nccl;

namespace {

Tuning tuned(const Machine& machine) { return tune(machine, machines::searched(machine)); }

void check_cost(const Cost& cost, double latency_us, double bandwidth) {
  CHECK(cost.latency_us == Approx(latency_us).epsilon(1e-12));
  CHECK(cost.bandwidth == Approx(bandwidth).epsilon(1e-12));
}

constexpr Protocol ll = Protocol::ll, ll128 = Protocol::ll128, simple = Protocol::simple;

} // namespace

TEST_CASE("eight A100 behind NVSwitches: costs of rings and trees") {
  const Tuning tuning = tuned(machines::a100(1, 0, 0)); // twelve channels of 20 GB/s
  const auto cost = [&](Algorithm a, Protocol p) { return tuning.cost(Operation::all_reduce, a, p); };
  check_cost(cost(Algorithm::ring, ll), 6.6 + 14 * 0.6, 87.7 * 8 / 14);
  check_cost(cost(Algorithm::ring, ll128), 14 + 14 * 1.9, 240 * 0.92 * 8 / 14);
  check_cost(cost(Algorithm::ring, simple), 8.4 + 14 * 3.4, 240.0 * 8 / 14);
  check_cost(cost(Algorithm::tree, ll), 6.8 + 14 * 0.6, 240 * 0.92 / 3.8 / 2);
  check_cost(cost(Algorithm::tree, ll128), 14 + 14 * 1.25, 240 * 0.92 * 7 / 9 / 2);
  check_cost(cost(Algorithm::tree, simple), 8.4 + 14 * 4, 240 * 0.92 / 2);
  check_cost(tuning.cost(Operation::all_gather, Algorithm::ring, simple), 8.4 + 7 * 3.4, 240.0 * 8 / 7);
  check_cost(tuning.cost(Operation::broadcast, Algorithm::ring, simple), 8.4 + 3.4, 240);
  CHECK(cost(Algorithm::nvls, simple).bandwidth == 0);
  // 1 MiB in rings; 128 KiB in trees, which reach half of their bandwidth there.
  CHECK(*time_us(tuning, Operation::all_reduce, 1 << 20, Algorithm::ring, simple) ==
        Approx(56 + 1048.576 / (240.0 * 8 / 14)).epsilon(1e-12));
  CHECK(*time_us(tuning, Operation::all_reduce, 1 << 17, Algorithm::tree, simple) ==
        Approx(64.4 + 131.072 / (110.4 * 0.5)).epsilon(1e-12));
}

TEST_CASE("NVLS on Hopper: each link carries a vector and an eighth more") {
  const Tuning one = tuned(machines::h100(1)); // eight heads of 40 GB/s
  check_cost(one.cost(Operation::all_reduce, Algorithm::nvls, simple), 25, 8 * 40 * 0.85 * 7 / 8 * 2 * 8 / 14);
  check_cost(one.cost(Operation::all_gather, Algorithm::nvls, simple), 25, 8 * 40 * 0.85 * 7 / 8 * 7 / 8);
  CHECK(one.cost(Operation::all_reduce, Algorithm::nvls_tree, simple).bandwidth == 0);
  const Tuning two = tuned(machines::h100(2)); // at most 57.7 GB/s per head
  check_cost(two.cost(Operation::all_reduce, Algorithm::nvls_tree, simple), 25 + 2 * 20.9, 8 * 57.7 * 16 / 30);
  CHECK(two.cost(Operation::all_reduce, Algorithm::nvls, simple).bandwidth == 0); // the network does not reduce
  Machine sharp = machines::h100(4);
  sharp.collnet = true;
  const Tuning collnet = tuned(sharp);
  CHECK(collnet.cost(Operation::all_reduce, Algorithm::nvls, simple).bandwidth > 0);
  check_cost(collnet.cost(Operation::all_reduce, Algorithm::collnet_direct, simple), 2 * (3.7 + 7 * 0.4) + 31,
             collnet.cost(Operation::all_reduce, Algorithm::collnet_direct, simple).bandwidth);
  CHECK(collnet.cost(Operation::all_reduce, Algorithm::collnet_direct, simple).bandwidth > 0);
}

TEST_CASE("several nodes: the NIC's latency once, for Simple twice, and what it costs to post a message") {
  Machine machine = machines::a100(4, 8, 200); // rings 8 x 24, AMD
  for (Nic& nic : machine.nics) nic.latency_us = 3;
  const Tuning tuning = tuned(machine);
  const auto latency = [&](Algorithm a, Protocol p) { return tuning.cost(Operation::all_reduce, a, p).latency_us; };
  CHECK(latency(Algorithm::ring, ll) == Approx(6.6 + 56 * 2 + 6 * (2.7 + 3))); // 62 steps, 6 of them between nodes
  CHECK(latency(Algorithm::ring, simple) == Approx(8.4 + 56 * 6 + 6 * (14 + 6)));
  CHECK(latency(Algorithm::tree, ll128) == Approx(14 + 2 * (7 * 1.25 + 2 * (8.5 + 3))));
  const double bytes = 1 << 24;
  CHECK(*time_us(tuning, Operation::all_reduce, bytes, Algorithm::ring, simple) ==
        Approx(1.4 * latency(Algorithm::ring, simple) +
               bytes / 1000 / tuning.cost(Operation::all_reduce, Algorithm::ring, simple).bandwidth));
}

TEST_CASE("one GPU a node: PAT gathers in steps of a logarithm") {
  const Tuning tuning = tuned(machines::first_gpus(machines::h100(8), 1));
  CHECK(tuning.cost(Operation::all_gather, Algorithm::pat, simple).latency_us == Approx(8 + 3 * 14 / 3.5 + 8 * 2.8));
  CHECK(choose(tuning, Operation::all_gather, 1 << 16).algorithm != Algorithm::tree);
  CHECK(tuned(machines::h100(2)).cost(Operation::all_gather, Algorithm::pat, simple).bandwidth == 0);
}

TEST_CASE("LL128 is for NVLink, and for NICs near the GPUs") {
  CHECK(tuned(machines::a100(2, 8, 200)).cost(Operation::all_reduce, Algorithm::ring, ll128).bandwidth > 0);
  const Cost far = tuned(machines::four_a100(2)).cost(Operation::all_reduce, Algorithm::ring, ll128);
  CHECK(far.bandwidth == 0);
  CHECK(far.why_not == "LL128 needs NICs below the GPUs' PCIe switches (before Hopper)");
  Machine pcie;
  pcie.gpus.resize(2);
  CHECK(tuned(pcie).cost(Operation::all_reduce, Algorithm::ring, ll128).bandwidth == 0);
}

TEST_CASE("what is chosen, with the next best, and how wide it runs") {
  const Tuning tuning = tuned(machines::a100(1, 0, 0));
  const Choice small = choose(tuning, Operation::all_reduce, 1024);
  CHECK(small.algorithm == Algorithm::ring);
  CHECK(small.protocol == ll);
  CHECK(small.channels == 1);
  CHECK(small.why == "ring LL: 15.0 us against tree LL 15.2 us");
  const Choice large = choose(tuning, Operation::all_reduce, 1 << 30);
  CHECK(large.protocol == simple);
  CHECK(large.channels == 24);
  CHECK(large.threads == 544);
  // A channel needs 512 threads of 64 bytes each, so seven times these bytes keep seven channels busy.
  CHECK(choose(tuning, Operation::all_reduce, 512 * 64 * 7, {Algorithm::ring, simple, 0}).channels == 7);
  CHECK(choose(tuning, Operation::all_reduce, 1 << 30, {{}, {}, 5}).channels == 5);
}

TEST_CASE("what is prescribed and cannot serve is refused with the reason") {
  const Tuning tuning = tuned(machines::a100(1, 0, 0));
  CHECK(choose(tuning, Operation::broadcast, 1, {Algorithm::tree, {}, 0}).refused ==
        "tree cannot do broadcast: this operation uses rings only");
  CHECK(choose(tuning, Operation::all_reduce, 1, {Algorithm::nvls, simple, 0}).refused ==
        "nvls Simple cannot do all_reduce: NVLS needs at least two GPUs of a node on an NVSwitch with multicast "
        "(Hopper on)");
  // CollNet has one protocol. Without a forced protocol, this is no reason.
  CHECK(choose(tuning, Operation::all_reduce, 1, {Algorithm::collnet_chain, {}, 0}).refused ==
        "collnet_chain cannot do all_reduce: it needs a network that reduces (CollNet)");
  CHECK(choose(tuning, Operation::all_reduce, 1, {Algorithm::collnet_chain, ll, 0}).refused ==
        "collnet_chain LL cannot do all_reduce: it has the Simple protocol only");
  CHECK(choose(tuning, Operation::all_reduce, 1, {{}, {}, 65}).refused == "65 channels: expected 1 to 64");
  CHECK(choose(tuning, Operation::alltoall, 1).refused ==
        "no algorithm can do alltoall: this operation is made of sends and receives");
  CHECK(choose(tuning, Operation::all_reduce, 1, {Algorithm::tree, {}, 0}).refused.empty());
  CHECK(algorithm_named("NVLS_Tree") == Algorithm::nvls_tree);
  CHECK(protocol_named("ll128") == ll128);
  CHECK_FALSE(protocol_named("LL64"));
}

TEST_CASE("rings take longer for more bytes, and the choice is never slower than what it passes over") {
  const Tuning tunings[] = {tuned(machines::a100(2, 4, 100)), tuned(machines::h100(1)), tuned(machines::four_a100(8)),
                            tuned(machines::v100_cube_mesh())};
  REQUIRE(rc::check("sizes", [&] {
    const Tuning& tuning = tunings[*rc::gen::inRange(0, 4)];
    const auto bytes = static_cast<double>(*rc::gen::inRange<std::int64_t>(1, std::int64_t{1} << 34));
    for (const Operation op : {Operation::all_reduce, Operation::all_gather, Operation::reduce_scatter,
                               Operation::broadcast, Operation::reduce}) {
      const Choice choice = choose(tuning, op, bytes);
      RC_ASSERT(choice.refused.empty());
      RC_ASSERT(choice.channels >= 1);
      for (std::size_t a = 0; a < algorithm_names.size(); ++a)
        for (std::size_t p = 0; p < protocol_names.size(); ++p) {
          const auto time = time_us(tuning, op, bytes, static_cast<Algorithm>(a), static_cast<Protocol>(p));
          RC_ASSERT(!time || *time >= choice.time_us);
        }
      RC_ASSERT(*time_us(tuning, op, bytes + 1, Algorithm::ring, ll) >
                *time_us(tuning, op, bytes, Algorithm::ring, ll));
    }
  }));
}
