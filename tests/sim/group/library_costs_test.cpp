// The costs of a library's messages beyond the links: rendezvous, the sender's threads, posts, copies of kept data, and
// consecutive calls.
#include "models/schedules/make_schedule.hpp"
#include "models/schedules/nccl/nccl_ring.hpp"
#include "models/schedules/nccl/nccl_tree.hpp"
#include "platforms/code/platform.hpp"
#include "scenarios/language/decode/load.hpp"
#include "sim/group/simulate_group.hpp"

#include <catch2/catch.hpp>

using namespace gradflight;

namespace {

/// Groups on two nodes of a machine, with one schedule at a time.
struct CostBench {
  PlatformSpec spec;
  Platform platform;

  explicit CostBench(const char* machine, double overhead = 0)
      : spec(load_platform(machine)),
        platform((spec.nodes = 4, spec.message_overhead = Seconds(overhead), build_platform(spec, 0))) {}

  [[nodiscard]] double seconds(const GroupSchedule& schedule, const std::vector<std::int32_t>& places,
                               const HopCosts& hops, int repeats = 1) const {
    GroupWork work{&schedule, "operation", places, 4, 0, hops, repeats};
    return simulate_group(spec, platform, work).time;
  }
  [[nodiscard]] RunResult run(const GroupSchedule& schedule, const std::vector<std::int32_t>& places,
                              const HopCosts& hops) const {
    return simulate_group(spec, platform, {&schedule, "operation", places, 4, 0, hops, 1});
  }
  [[nodiscard]] std::vector<std::int32_t> one_a_node(int ranks) const {
    std::vector<std::int32_t> places;
    for (int node = 0; node < ranks; ++node) places.push_back(node * platform.gpus_per_node());
    return places;
  }
};

std::unique_ptr<GroupSchedule> catalogue_schedule(const char* algorithm, Operation op, int ranks,
                                                  std::int64_t elements) {
  GroupSpec spec;
  spec.op = op;
  spec.ranks = ranks;
  spec.elements = elements;
  return make_group_schedule(*group_collective(algorithm), spec);
}

} // namespace

// A broadcast of 4 MB from GPU 0 to another GPU of its node, and of another node. Messages of the first kind put 4
// bytes on the links for each byte of data, of which 1 is the links'; those of the second kind put 3, of which 2 are.
TEST_CASE("bytes that a library's protocol adds are no link's") {
  const CostBench bench("alps");
  HopCosts hops;
  hops.inside.wire_bytes = 4;
  hops.between.wire_bytes = 3;
  hops.between.links_bytes = 2;
  const auto schedule = catalogue_schedule("binomial_tree", Operation::broadcast, 2, 1'000'000);
  const auto check = [&](std::int32_t to, LinkTier tier, double links_share) {
    const RunResult run = bench.run(*schedule, {0, to}, hops);
    const double beta = at(run.iteration_path, Part::beta);
    CHECK(beta > 0);
    CHECK(run.iteration_details.protocol == Approx((1 - links_share) * beta).epsilon(1e-12));
    CHECK(at(run.iteration_held, tier) == Approx(links_share * beta).epsilon(1e-12));
  };
  check(1, LinkTier::gpu_link, 0.25);
  check(bench.platform.gpus_per_node(), LinkTier::nic, 2.0 / 3);
}

// 4 MB from a GPU to another of its node. Channels that carry a quarter of the link's rate take four times as long. On
// a link of which the library's tables count a half, they fill half of it.
TEST_CASE("channels take time of a link that is faster than they are, and none of a slower one") {
  CostBench bench("alps");
  const auto schedule = catalogue_schedule("binomial_tree", Operation::broadcast, 2, 1'000'000);
  const double rate = bench.platform.cost(0, 1).bandwidth, alone = 4e6 / rate;
  HopCosts hops;
  const auto check = [&](double channels, double counted, double seconds, double of_links) {
    hops.inside.channels_rate = channels * rate;
    hops.inside.link_rate = counted * rate;
    const RunResult run = bench.run(*schedule, {0, 1}, hops);
    CHECK(at(run.iteration_path, Part::beta) == Approx(seconds).epsilon(1e-12));
    CHECK(at(run.iteration_held, LinkTier::gpu_link) == Approx(of_links).epsilon(1e-12));
  };
  check(2, 1, alone, alone);
  check(0.25, 1, 4 * alone, alone);
  check(0.25, 0.5, 2 * alone, alone);
  check(0.25, 8, 4 * alone, alone);
}

TEST_CASE("threads set the pace on any link that is faster than they are, and then no link holds a message up") {
  const CostBench bench("alps");
  const auto schedule = catalogue_schedule("binomial_tree", Operation::broadcast, 2, 1'000'000);
  const double rate = bench.platform.cost(0, 1).bandwidth, alone = 4e6 / rate;
  const auto check = [&](double threads, double seconds, double of_links) {
    HopCosts hops;
    hops.inside.channels_rate = hops.inside.link_rate = rate / 2; // as a library counts a slower link
    hops.inside.threads_rate = threads * rate;
    const RunResult run = bench.run(*schedule, {0, 1}, hops);
    CHECK(at(run.iteration_path, Part::beta) == Approx(seconds).epsilon(1e-12));
    CHECK(at(run.iteration_held, LinkTier::gpu_link) == Approx(of_links).margin(1e-18));
    CHECK(run.iteration_details.protocol == Approx(seconds - of_links).margin(1e-18));
  };
  check(2, alone, alone);
  check(1, alone, alone);
  check(0.5, 2 * alone, 0);
  check(0.25, 4 * alone, 0);
}

TEST_CASE("a message beyond the eager limit takes its way's latency twice") {
  const CostBench bench("polaris");
  const auto places = bench.one_a_node(2);
  const auto time = [&](std::int64_t elements, double eager) {
    HopCosts hops;
    hops.between.eager = eager;
    return bench.seconds(*catalogue_schedule("binomial_tree", Operation::broadcast, 2, elements), places, hops);
  };
  const double far = 1e9, alpha = 2 * time(1000, far) - time(2000, far);
  CHECK(alpha > 1e-6);
  CHECK(time(1000, 4000) == Approx(time(1000, far)).epsilon(1e-12));
  CHECK(time(1000, 3999) == Approx(time(1000, far) + alpha).epsilon(1e-9));
  // Parallel channels send separate messages.
  const auto ring = [&](int channels) {
    HopCosts hops;
    hops.between.eager = 2000;
    const NcclRing schedule(Operation::all_gather, 2, {{{0, 1}, {}, 1000, 1000, 0, channels}}, 1);
    return bench.seconds(schedule, places, hops);
  };
  CHECK(ring(1) == Approx(ring(2) + alpha).epsilon(1e-9));
}

// 16 messages of b seconds on a route of latency a; a sender is at most 4 ahead. Message k + 4 leaves when message k's
// last byte has arrived (b + a), and the sender knows that it was received (a). Message 15 leaves at 3 b + 3 (b + 2 a),
// and its last byte arrives b + a later.
TEST_CASE("a sender that is as far ahead as its credits allow waits for its receiver") {
  const auto time = [](std::int64_t messages, int ahead, double hop = 0, double overhead = 0, bool short_ways = false) {
    const CostBench bench("polaris", overhead);
    HopCosts hops;
    hops.between.ahead = ahead;
    hops.between.ahead_on_short_ways = short_ways;
    hops.between.seconds = hop;
    const NcclTree chain(Operation::broadcast, 2, {{{no_rank, 0}, {}, 10 * messages, 10, 0, 1}});
    return bench.seconds(chain, bench.one_a_node(2), hops);
  };
  const double b = time(2, 0) - time(1, 0), a = time(1, 0) - b;
  REQUIRE(3 * b < 2 * a);
  CHECK(time(16, 0) == Approx(16 * b + a).epsilon(1e-9));
  CHECK(time(16, 16) == Approx(16 * b + a).epsilon(1e-9));
  CHECK(time(4, 4) == Approx(4 * b + a).epsilon(1e-9));
  CHECK(time(16, 4) == Approx(7 * b + 7 * a).epsilon(1e-9));
  // A protocol's hop of 3/2 of a latency replaces the way there; the way back remains. A hop that takes longer than
  // the way there and back includes the credits, unless they limit such hops, too.
  CHECK(time(16, 4, 1.5 * a) == Approx(7 * b + 9 * a).epsilon(1e-9));
  CHECK(time(16, 4, 3 * a) == Approx(16 * b + 3 * a).epsilon(1e-9));
  CHECK(time(16, 4, 3 * a, 0, true) == Approx(7 * b + 15 * a).epsilon(1e-9));
  // A message with data also takes the hosts' overhead; a credit does not.
  CHECK(time(16, 4, 0, a) == Approx(7 * b + 11 * a).epsilon(1e-9));
}

// One GPU in each of two nodes with two NICs: two channels on one NIC share its cable; on both NICs, each has its own.
TEST_CASE("each channel of a library takes its own NIC") {
  const auto time = [](std::vector<std::int16_t> nics) {
    CostBench bench("polaris");
    bench.spec.node->gpus = bench.spec.gpus_per_node = 1;
    bench.spec.node->nics = 2;
    bench.spec.node->near = {{0, 1}};
    bench.spec.node->pcie.bandwidth = ByteRate(1e12); // no limit
    bench.spec.node->nic_seats.clear();
    bench.platform = build_platform(bench.spec, 0);
    std::vector<RingLane> lanes;
    for (const std::int16_t nic : nics) {
      lanes.push_back({{0, 1}, {}, 1'000'000, 1'000'000, 1'000'000 * std::ssize(lanes)});
      lanes.back().nics = {nic, nic};
    }
    const NcclRing schedule(Operation::all_gather, 2, std::move(lanes), 1);
    return bench.seconds(schedule, bench.one_a_node(2), {});
  };
  const double both = time({0, 1}), one = time({0, 0}), alone = time({0});
  CHECK(both == Approx(alone).epsilon(1e-12));
  CHECK(time({1, 0}) == both);
  CHECK(one > 1.9 * both);
  CHECK(time({any_nic, any_nic}) == Approx(one).epsilon(1e-12));
}

// Messages of b seconds with a latency of a. A part f of the latency passes before a message's bytes. No other message
// starts on the lane before they have left.
TEST_CASE("a sender's threads are busy with one message at a time") {
  const CostBench bench("dgx-a100");
  const double hop = 5e-6;
  const auto time = [&](std::int64_t messages, double busy, int lanes = 1) {
    HopCosts hops;
    hops.inside.seconds = hop;
    hops.inside.busy.fill(busy);
    std::vector<TreeLane> chains;
    for (int lane = 0; lane < lanes; ++lane)
      chains.push_back({{no_rank, 0}, {}, 100'000 * messages, 100'000, 100'000 * messages * lane, 1});
    return bench.seconds(NcclTree(Operation::broadcast, 2, std::move(chains)), {0, 1}, hops);
  };
  const double b = time(2, 0) - time(1, 0);
  REQUIRE(b > 1e-7);
  CHECK(time(1, 0) == Approx(b + hop).epsilon(1e-9));
  CHECK(time(1, 2e-6) == Approx(b + hop).epsilon(1e-9)); // it is included in the hop
  CHECK(time(7, 2e-6) == Approx(7 * b + 6 * 2e-6 + hop).epsilon(1e-9));
  CHECK(time(1, 8e-6) == Approx(b + hop).epsilon(1e-9)); // at most the whole hop
  // Each lane has separate threads; the links are shared.
  CHECK(time(7, 2e-6, 2) == Approx(14 * b + 6 * 2e-6 + hop).epsilon(1e-9));
}

TEST_CASE("a sender's threads are busy once a message has credit, and each primitive takes its own time") {
  const CostBench bench("polaris");
  const auto time = [&](std::int64_t messages, double busy, int ahead) {
    HopCosts hops;
    hops.between.ahead = ahead;
    hops.between.busy[static_cast<std::size_t>(Primitive::send)] = busy;
    const NcclTree chain(Operation::broadcast, 2, {{{no_rank, 0}, {}, 10 * messages, 10, 0, 1}});
    return bench.seconds(chain, bench.one_a_node(2), hops);
  };
  const double b = time(2, 0, 0) - time(1, 0, 0), a = time(1, 0, 0) - b, f = a / 8;
  // Message k + 2 leaves f after its sender knows that message k was received, at 2 a + b after k's own bytes began.
  CHECK(time(2, f, 2) == Approx(2 * b + f + a).epsilon(1e-9));
  CHECK(time(4, f, 2) == Approx(3 * b + f + 3 * a).epsilon(1e-9));
  const auto chain_of_three = [&](Primitive which) {
    HopCosts hops;
    hops.between.seconds = 1e-3;
    hops.between.busy[static_cast<std::size_t>(which)] = 1e-4;
    const NcclTree chain(Operation::broadcast, 3, {{{no_rank, 0, 1}, {}, 30, 10, 0, 1}});
    return bench.seconds(chain, bench.one_a_node(3), hops);
  };
  // Only the root sends, and the next member keeps a copy. Both also delay the second and third of three messages.
  CHECK(chain_of_three(Primitive::reduce_send) == Approx(2e-3).epsilon(1e-2));
  CHECK(chain_of_three(Primitive::send) == Approx(chain_of_three(Primitive::reduce_send) + 2e-4).epsilon(1e-9));
  CHECK(chain_of_three(Primitive::copy_send) == Approx(chain_of_three(Primitive::send)).epsilon(1e-9));
}

TEST_CASE("a message is put where a NIC fetches it before it sets out, by all of its channels") {
  const CostBench bench("polaris");
  const auto time = [&](std::int64_t messages, int channels, double stored) {
    HopCosts hops;
    hops.between.stored.fill(stored);
    const NcclTree chain(Operation::broadcast, 2, {{{no_rank, 0}, {}, 1000 * messages, 1000, 0, channels}});
    return bench.seconds(chain, bench.one_a_node(2), hops);
  };
  const double b = time(2, 1, 0) - time(1, 1, 0), plain = time(1, 1, 0), each = 4000 / 20e9;
  CHECK(time(1, 1, 1 / 20e9) == Approx(plain + each).epsilon(1e-9));
  CHECK(time(1, 4, 1 / 20e9) == Approx(plain + each / 4).epsilon(1e-9));
  CHECK(time(5, 1, 1 / 20e9) == Approx(plain + 4 * b + each).epsilon(1e-9)); // while others are in transit
}

TEST_CASE("messages to NICs are posted one after another") {
  const CostBench bench("polaris");
  const auto time = [&](double post) {
    HopCosts hops;
    hops.between.seconds = 1e-4;
    hops.between.post = post;
    return bench.seconds(*catalogue_schedule("spread", Operation::scatter, 4, 4), bench.one_a_node(4), hops);
  };
  CHECK(time(6e-6) - time(0) == Approx(2 * 6e-6).margin(1e-9)); // the last of three messages
}

TEST_CASE("a rank sends nothing while it copies what it keeps") {
  const CostBench bench("dgx-a100");
  const auto time = [&](Operation op, std::int64_t elements, double rate) {
    HopCosts hops;
    hops.copy_rate = rate;
    const NcclRing schedule(op, 2, {{{0, 1}, {}, elements, 1000, 0}}, 1);
    return bench.seconds(schedule, {0, 1}, hops);
  };
  for (const std::int64_t loops : {1, 3}) {
    const double copies = static_cast<double>(loops) * 4000 / 1e9;
    CHECK(time(Operation::all_gather, loops * 1000, 1e9) ==
          Approx(time(Operation::all_gather, loops * 1000, 0) + copies).epsilon(1e-9));
  }
  // In an all-reduce's loop, only the last of two rounds: half of it is kept.
  CHECK(time(Operation::all_reduce, 2000, 1e9) ==
        Approx(time(Operation::all_reduce, 2000, 0) + 4000 / 1e9).epsilon(1e-9));
}

TEST_CASE("calls with a root, back to back, come as far apart as the busiest link lets them") {
  const CostBench bench("dgx-a100");
  const NcclTree chain(Operation::broadcast, 4, {{{no_rank, 0, 1, 2}, {}, 1'000'000, 1'000'000, 0}});
  const auto time = [&](int repeats) { return bench.seconds(chain, {0, 1, 2, 3}, {}, repeats); };
  const double apart = (time(3) - time(1)) / 2, rate = 12 * 20e9;
  CHECK(apart == Approx(4e6 / rate).epsilon(1e-9));
  CHECK(time(1) > 3 * apart);
}
