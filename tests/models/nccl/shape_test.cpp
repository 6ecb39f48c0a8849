#include "models/nccl/peers.hpp"
#include "models/nccl/shape.hpp"
#include "tests/models/nccl/machines.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <rapidcheck.h>

using namespace gradflight;
using namespace gradflight::nccl;

namespace {

Tuning shaped(const Machine& machine) { return tune(machine, machines::searched(machine)); }

Shape shape_with(const Tuning& tuning, Operation op, double bytes, Algorithm a, Protocol p) {
  return shape_of(tuning, op, bytes, choose(tuning, op, bytes, {a, p, 0}));
}

constexpr double mib = 1 << 20;

} // namespace

TEST_CASE("64 MiB in rings of eight A100: one loop on each of 24 channels") {
  const Tuning tuning = shaped(machines::a100(1, 0, 0));
  const Shape shape = shape_with(tuning, Operation::all_reduce, 64 * mib, Algorithm::ring, Protocol::simple);
  REQUIRE(shape.channels.size() == 24);
  CHECK(shape.chunks_per_loop == 8);
  CHECK(shape.slices_per_chunk == 2);
  CHECK(shape.chunks_in_buffer == 2);
  // 128 MiB of traffic in 24 parts are 170.7 cells of 32 KiB, which rounds up to 171 cells of 16 KiB of data.
  const ChannelShape& first = shape.channels.front();
  CHECK(first.bytes == 171 * 16384);
  CHECK(first.chunk == 2 * mib);
  CHECK(first.loops == 1);
  CHECK(shape.channels.back().bytes == 64 * mib - 23 * 171 * 16384);
}

TEST_CASE("1 GiB in the same rings: three loops") {
  const Tuning tuning = shaped(machines::a100(1, 0, 0));
  const Shape shape = shape_with(tuning, Operation::all_reduce, 1024 * mib, Algorithm::ring, Protocol::simple);
  REQUIRE(shape.channels.size() == 24);
  CHECK(shape.channels.front().loops == 3); // 42.7 MiB, with 16 MiB per loop
}

TEST_CASE("chunks of protocols and algorithms") {
  const Tuning tuning = shaped(machines::h100(1));
  const auto chunk = [&](Operation op, double bytes, Algorithm a, Protocol p) {
    return shape_with(tuning, op, bytes, a, p).channels.front().chunk;
  };
  const double big = 4096 * mib;
  CHECK(chunk(Operation::all_reduce, big, Algorithm::ring, Protocol::ll) == 32768);
  CHECK(chunk(Operation::all_reduce, big, Algorithm::ring, Protocol::ll128) == 576000);
  CHECK(chunk(Operation::all_reduce, big, Algorithm::tree, Protocol::simple) == 512 * 1024);
  CHECK(chunk(Operation::broadcast, big, Algorithm::ring, Protocol::simple) == 512 * 1024);
  CHECK(chunk(Operation::all_reduce, big, Algorithm::nvls, Protocol::simple) == 128 * 1024);
  // 16 MiB: below 64 times and 8 times, but not below 2 times the eight heads' chunks.
  CHECK(chunk(Operation::all_reduce, 16 * mib, Algorithm::nvls, Protocol::simple) == 32 * 1024);
  CHECK(chunk(Operation::all_reduce, 1 * mib, Algorithm::nvls, Protocol::simple) == 16 * 1024);
  CHECK(wire_factor(Protocol::ll) == 2);
}

TEST_CASE("a few bytes take one channel, and nothing takes none") {
  const Tuning tuning = shaped(machines::a100(2, 8, 200));
  CHECK(shape_with(tuning, Operation::all_reduce, 4, Algorithm::tree, Protocol::ll).channels.size() == 1);
  CHECK(shape_with(tuning, Operation::all_gather, 64, Algorithm::ring, Protocol::ll).channels.size() == 1);
  CHECK(shape_with(tuning, Operation::all_reduce, 0, Algorithm::tree, Protocol::ll).channels.empty());
}

TEST_CASE("how releases split 98 KiB of LL among the channels of eight A100") {
  // 512 threads of 64 bytes each make 32 KiB for a channel, so 98 KiB have data for three.
  const Machine machine = machines::a100(1, 0, 0);
  const Graphs graphs = machines::searched(machine);
  using Kibs = std::vector<double>;
  const auto shares = [&](int release) {
    const Tuning tuning = tune(machine, graphs, release);
    Kibs kibs;
    for (const ChannelShape& channel :
         shape_with(tuning, Operation::all_reduce, 98 * 1024, Algorithm::ring, Protocol::ll).channels)
      kibs.push_back(channel.bytes / 1024);
    return kibs;
  };
  CHECK(shares(8) == Kibs(3, 98 / 3.0));
  CHECK(shares(21) == Kibs(3, 98 / 3.0));
  CHECK(shares(22) == Kibs{32.75, 32.75, 32.5}); // 131 cells of 256 bytes
  CHECK(shares(23) == Kibs{40, 40, 18});         // 5 of 8 KiB
  CHECK(shares(25) == Kibs{40, 40, 18});
  CHECK(shares(26) == Kibs{10, 10, 10, 10, 10, 10, 10, 10, 10, 8}); // 5 of 2 KiB
  CHECK(shares(28) == shares(26));
  CHECK(shares(29) == Kibs{12, 12, 12, 12, 12, 12, 12, 12, 2}); // 3 of 4 KiB
  CHECK(shares(30) == shares(29));
}

TEST_CASE("channels carry all of a call, in chunks of its protocol") {
  const Machine a100 = machines::a100(2, 4, 100);
  const Graphs graphs = machines::searched(a100);
  const Tuning tunings[] = {
      tune(a100, graphs),    shaped(machines::h100(1)), shaped(machines::first_gpus(machines::h100(8), 1)),
      tune(a100, graphs, 8), tune(a100, graphs, 22),    tune(a100, graphs, 25)};
  REQUIRE(rc::check("sizes", [&] {
    const Tuning& tuning = tunings[*rc::gen::inRange(0, 6)];
    const auto op = *rc::gen::element(Operation::all_reduce, Operation::all_gather, Operation::reduce_scatter,
                                      Operation::broadcast, Operation::reduce);
    const auto a = *rc::gen::arbitrary<std::uint8_t>() % 7;
    const auto p = *rc::gen::arbitrary<std::uint8_t>() % 3;
    const double bytes = static_cast<double>(*rc::gen::inRange<std::int64_t>(1, std::int64_t{1} << 33)) * tuning.ranks;
    const Choice choice = choose(tuning, op, bytes, {static_cast<Algorithm>(a), static_cast<Protocol>(p), 0});
    RC_PRE(choice.refused.empty());
    const Shape shape = shape_of(tuning, op, bytes, choice);
    RC_ASSERT(static_cast<int>(shape.channels.size()) <= std::max(choice.most, choice.channels));
    const bool blocks = op == Operation::all_gather || op == Operation::reduce_scatter;
    double sum = 0;
    for (const ChannelShape& channel : shape.channels) {
      RC_ASSERT(channel.bytes > 0);
      RC_ASSERT(channel.loops >= 1);
      const double in_loop = blocks ? channel.chunk : channel.chunk * shape.chunks_per_loop;
      RC_ASSERT(channel.bytes > (channel.loops - 1) * in_loop);
      RC_ASSERT(channel.bytes <= channel.loops * in_loop);
      sum += channel.bytes;
    }
    RC_ASSERT(std::abs(sum * (blocks ? tuning.ranks : 1) - bytes) < 1);
  }));
}

TEST_CASE("the number of channels that a call uses, if forced, gives the same call") {
  const Machine machine = machines::h100(4);
  const Graphs graphs = machines::searched(machine);
  const Tuning tuning = tune(machine, graphs), oldest = tune(machine, graphs, 8);
  const auto same = [](const Tuning& by, Operation op, double bytes, Algorithm a, Protocol p) {
    const Choice choice = choose(by, op, bytes, {a, p, 0});
    const Shape shape = shape_of(by, op, bytes, choice);
    const Choice forced = choose(by, op, bytes, {a, p, static_cast<int>(shape.channels.size())});
    const Shape again = shape_of(by, op, bytes, forced);
    const auto alike = [](const ChannelShape& x, const ChannelShape& y) {
      return x.bytes == y.bytes && x.chunk == y.chunk && x.loops == y.loops;
    };
    return choice.threads == forced.threads && std::ranges::equal(shape.channels, again.channels, alike);
  };
  // LL spreads 256 KiB over eight channels, four times as many as have enough data.
  CHECK(shape_with(tuning, Operation::broadcast, 262144, Algorithm::ring, Protocol::ll).channels.size() == 8);
  CHECK(same(tuning, Operation::broadcast, 262144, Algorithm::ring, Protocol::ll));
  for (const int forced : {1, 2, 3, 4, 6, 8, 16}) {
    const Choice choice = choose(tuning, Operation::broadcast, 262144, {Algorithm::ring, Protocol::ll, forced});
    CHECK(static_cast<int>(shape_of(tuning, Operation::broadcast, 262144, choice).channels.size()) == forced);
  }
  REQUIRE(rc::check("sizes", [&] {
    const auto op = *rc::gen::element(Operation::all_reduce, Operation::all_gather, Operation::reduce_scatter,
                                      Operation::broadcast, Operation::reduce);
    const auto p = *rc::gen::element(Protocol::ll, Protocol::ll128, Protocol::simple);
    const double bytes = static_cast<double>(*rc::gen::inRange<std::int64_t>(1, std::int64_t{1} << 26)) * tuning.ranks;
    const Tuning& by = *rc::gen::arbitrary<bool>() ? tuning : oldest;
    RC_ASSERT(same(by, op, bytes, Algorithm::ring, p));
    if (op == Operation::all_reduce) RC_ASSERT(same(by, op, bytes, Algorithm::tree, p));
  }));
}

TEST_CASE("channels and chunks of sends: LL for little inside a node, 128 KiB over the network") {
  const Machine machine = machines::h100(2);
  const PeerPlan plan = plan_peers(machine, machines::searched(machine));
  CHECK(plan.channels == 16);
  CHECK(plan.step == 131072);
  CHECK(plan.most_per_peer == 4); // 48 GB/s with 14 each
  CHECK(plan.least_per_peer == 1);
  CHECK(plan.group == 8);
  const PeerShape little = peer_shape(plan, 4096, false);
  CHECK(little.protocol == Protocol::ll);
  CHECK(little.channels == 1);
  CHECK(peer_shape(plan, 4096, true).protocol == Protocol::simple);
  CHECK(peer_shape(plan, 4096, true).chunk == 32768);
  const PeerShape much = peer_shape(plan, 64 * mib, true);
  CHECK(much.channels == 4);
  CHECK(much.part == 16 * mib);
  CHECK(much.chunk == 131072);
  const Machine one = machines::h100(1);
  CHECK(plan_peers(one, machines::searched(one)).step == 524288);
}
