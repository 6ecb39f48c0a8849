#include "models/nccl/peers.hpp"
#include "models/nccl/primitive_costs.hpp"
#include "models/schedules/nccl/nccl_call.hpp"
#include "tests/models/nccl/machines.hpp"

#include <catch2/catch.hpp>

using namespace gradflight;

TEST_CASE("threads copy at a rate by their clock and the bytes that they load at a time") {
  using nccl::Generation;
  CHECK(nccl::channel_copy_rate(Generation::hopper) == Approx(48));
  CHECK(nccl::channel_copy_rate(Generation::ampere) == Approx(48 * 1.41 / 1.98));
  CHECK(nccl::channel_copy_rate(Generation::volta) == Approx(48 * 1.53 / 1.98 / 2));
  const auto copies = [](int nodes, nccl::Protocol protocol) {
    nccl::Machine machine = nccl::machines::h100(nodes);
    machine.nvls = false;
    const nccl::Graphs graphs = nccl::machines::searched(machine);
    const nccl::Tuning tuning = nccl::tune(machine, graphs);
    const nccl::Choice choice =
        nccl::choose(tuning, Operation::all_reduce, 1 << 30, {nccl::Algorithm::ring, protocol, 0});
    return make_nccl_call(machine, graphs, tuning, Operation::all_reduce, 1 << 28, 4, choice).hops.copy_rate;
  };
  CHECK(copies(1, nccl::Protocol::simple) > 0);
  CHECK(copies(2, nccl::Protocol::simple) > 0);
  CHECK(copies(2, nccl::Protocol::ll128) == 0); // lines are copied as they arrive
}

TEST_CASE("a slice's fixed time takes as many cycles on every GPU") {
  using nccl::Generation;
  CHECK(nccl::primitive_us(Generation::hopper, true)[0] == Approx(0.85)); // measured on a GH200
  CHECK(nccl::primitive_us(Generation::ampere, true)[0] == Approx(0.85 * 1.98 / 1.41));
  CHECK(nccl::primitive_us(Generation::volta, true)[0] == Approx(0.85 * 1.98 / 1.53));
  CHECK(nccl::primitive_us(Generation::ampere, false)[3] == Approx(4.35 * 1.695 / 1.41)); // on a GeForce RTX 3090
}

TEST_CASE("LL's channels carry what their threads do, and at most their part of NCCL's bound") {
  const nccl::Machine machine = nccl::machines::a100(1, 0, 0);
  const nccl::Graphs graphs = nccl::machines::searched(machine);
  const nccl::Tuning tuning = nccl::tune(machine, graphs, 8);
  const auto rate = [&](std::int64_t bytes) {
    const nccl::Choice choice = nccl::choose(tuning, Operation::all_reduce, static_cast<double>(bytes),
                                             {nccl::Algorithm::ring, nccl::Protocol::ll, 0});
    return make_nccl_call(machine, graphs, tuning, Operation::all_reduce, bytes / 4, 4, choice)
        .hops.inside.threads_rate;
  };
  CHECK(rate(8192) == Approx(128 * 8 / 0.5e-6));     // 128 threads of 64 bytes
  CHECK(rate(32768) == Approx(87.7e9 / 24));         // 512 threads could carry 8.2 GB/s
  CHECK(rate(4 * 32768) == Approx(4 * 87.7e9 / 24)); // four channels
}
