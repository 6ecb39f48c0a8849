// Calls of NCCL with repeated chunks or loops: the time computed from the steady state equals that of all messages.
#include "platforms/code/platform.hpp"
#include "scenarios/language/decode/load.hpp"
#include "sim/group/fold.hpp"
#include "sim/group/group_time.hpp"
#include "sim/libraries/library.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>

using namespace gradflight;

namespace {

struct SteadyCase {
  const char *machine, *library;
  Operation op;
  int nodes, gpus;
  double mib;
};

struct SteadyCall {
  PlatformSpec spec;
  Platform platform;
  LibraryCall call;
  GroupWork work;

  explicit SteadyCall(const SteadyCase& c, const std::vector<std::string>& sets = {})
      : spec(load_changed_platform(c.machine, c.nodes, sets, "machine")), platform(build_platform(spec, 0)),
        call(Library(library_named(c.library).value(), {}, spec, {c.nodes, c.gpus})
                 .call(c.op, static_cast<std::int64_t>(c.mib * 262144), 4)) {
    work = {call.schedule.get(), call.algorithm, {}, 4, 0, call.hops};
    for (int node = 0; node < c.nodes; ++node)
      for (int gpu = 0; gpu < c.gpus; ++gpu) work.place.push_back(node * platform.gpus_per_node() + gpu);
    for (int node = 0; node < call.switches(); ++node) work.place.push_back(platform.nvswitch_place(node).value());
  }
};

} // namespace

TEST_CASE("what repeats evenly takes as long by its steady state as message by message") {
  int uneven = 0, exact = 0;
  for (const SteadyCase& c : {SteadyCase{"dgx-a100", "nccl:ring", Operation::all_reduce, 2, 2, 8192.3},
                              SteadyCase{"dgx-a100", "nccl:ring", Operation::all_gather, 2, 2, 8192},
                              SteadyCase{"alps", "nccl-2.23:tree", Operation::all_reduce, 4, 4, 1400.7},
                              SteadyCase{"alps", "nccl:tree", Operation::all_reduce, 2, 4, 1201},
                              SteadyCase{"polaris", "nccl:ring", Operation::all_reduce, 4, 4, 3000},
                              SteadyCase{"polaris", "nccl:tree", Operation::all_reduce, 4, 4, 600},
                              SteadyCase{"dgx-1-v100", "nccl:tree", Operation::all_reduce, 2, 4, 1200},
                              SteadyCase{"a100-pcie-pair", "nccl", Operation::broadcast, 2, 1, 256}}) {
    INFO(c.machine << " " << c.library << " " << operation_name(c.op));
    const SteadyCall steady(c);
    CHECK(steady.work.schedule->periods() > 10);
    const auto left_out = simulate_shortened(steady.spec, steady.platform, steady.work).left_out.front();
    REQUIRE(left_out.has_value());
    CHECK(left_out->periods > steady.work.schedule->periods() / 4);
    const GroupTime time = GroupTimes(steady.spec, steady.platform).time(steady.work);
    const RunResult all = simulate_group(steady.spec, steady.platform, steady.work);
    CHECK(time.seconds == Approx(all.time).epsilon(time.uneven > 0 ? 0.015 : 1e-12)); // docs/collective.md
    CHECK(std::accumulate(time.path.begin(), time.path.end(), 0.0) == Approx(time.seconds).epsilon(1e-12));
    if (time.uneven > 0) {
      ++uneven;
      continue;
    }
    ++exact;
    for (std::size_t part = 0; part < part_count; ++part)
      CHECK(time.path[part] == Approx(all.iteration_path[part]).epsilon(1e-9).margin(1e-9 * all.time));
    for (std::size_t tier = 0; tier < time.held.size(); ++tier)
      CHECK(time.held[tier] == Approx(all.iteration_held[tier]).epsilon(1e-9).margin(1e-9 * all.time));
  }
  CHECK(uneven > 0);
  CHECK(exact > 0);
}

TEST_CASE("calls one after another leave out periods of each, and take as long as message by message") {
  for (const SteadyCase& c : {SteadyCase{"dgx-a100", "nccl", Operation::broadcast, 2, 2, 300},
                              SteadyCase{"mahti", "nccl", Operation::reduce, 3, 4, 600}}) {
    INFO(c.machine << " " << operation_name(c.op));
    SteadyCall steady(c);
    steady.work.repeats = 3;
    for (const auto& left_out : simulate_shortened(steady.spec, steady.platform, steady.work).left_out)
      CHECK(left_out.has_value());
    const double all = simulate_group(steady.spec, steady.platform, steady.work).time;
    CHECK(GroupTimes(steady.spec, steady.platform).time(steady.work).seconds == Approx(all).epsilon(1e-12));
  }
}

TEST_CASE("what has few periods is simulated whole") {
  const SteadyCall few({"dgx-a100", "nccl:ring", Operation::all_reduce, 2, 8, 1});
  CHECK_FALSE(simulate_shortened(few.spec, few.platform, few.work).left_out.front().has_value());
  CHECK(GroupTimes(few.spec, few.platform).time(few.work).seconds ==
        simulate_group(few.spec, few.platform, few.work).time);
}

TEST_CASE("a ring through equal nodes takes as long as three of them show") {
  for (const SteadyCase& c : {SteadyCase{"alps", "nccl:ring", Operation::all_reduce, 6, 4, 48},
                              SteadyCase{"alps", "nccl:ring", Operation::reduce_scatter, 5, 4, 60},
                              SteadyCase{"abci-2-v", "nccl:ring", Operation::all_gather, 7, 4, 28},
                              SteadyCase{"dgx-1-v100", "nccl:ring", Operation::all_reduce, 4, 4, 0.25},
                              SteadyCase{"mi300x-8", "rccl:ring", Operation::all_reduce, 4, 8, 64}}) {
    INFO(c.machine << " " << operation_name(c.op));
    const SteadyCall ring(c);
    const auto folded = folded_ring(ring.spec, ring.platform, ring.work);
    REQUIRE(folded.has_value());
    CHECK(folded->schedule->members() == 3 * c.gpus);
    const RunResult all = simulate_group(ring.spec, ring.platform, ring.work);
    const RunResult few = simulate_group(ring.spec, ring.platform, folded->work);
    CHECK(few.time == all.time);
    CHECK(few.iteration_path == all.iteration_path);
    CHECK(few.iteration_held == all.iteration_held);
  }
}

TEST_CASE("a ring is not folded where blocks, nodes or links between them differ") {
  const auto folds = [](const SteadyCase& c, const std::vector<std::string>& sets = {}) {
    const SteadyCall call(c, sets);
    return folded_ring(call.spec, call.platform, call.work).has_value();
  };
  const SteadyCase even{"alps", "nccl:ring", Operation::all_reduce, 6, 4, 48};
  CHECK(folds(even));
  CHECK_FALSE(folds({"alps", "nccl:ring", Operation::all_reduce, 6, 4, 48 + 4 / 1048576.0})); // one more element
  CHECK_FALSE(folds({"alps", "nccl:tree", Operation::all_reduce, 6, 4, 48}));
  CHECK_FALSE(folds({"alps", "nccl:ring", Operation::all_reduce, 3, 4, 48}));
  CHECK_FALSE(folds(even, {R"(platform.network={"topology":"racks","racks":{"nodes_per_rack":2}})"}));
  CHECK_FALSE(folds(even, {R"(platform.overrides=[{"nodes":4,"egress_bandwidth":"1GB/s"}])"}));
}

TEST_CASE("one of the channels that do the same with other GPUs shows how long all take") {
  struct EvenCase {
    SteadyCase steady;
    int one_of;
    std::vector<std::string> sets{};
  };
  const std::vector<EvenCase> cases{
      {{"dgx-a100", "nccl:tree", Operation::all_reduce, 4, 4, 6}, 4},
      {{"dgx-a100", "nccl:tree", Operation::all_reduce, 4, 4, 6},
       4,
       {R"(platform.overrides=[{"nodes":2,"egress_bandwidth":"9GB/s"}])"}},
      {{"dgx-a100", "nccl:tree", Operation::all_reduce, 4, 4, 6},
       4,
       {R"(platform.network={"topology":"racks","racks":{"nodes_per_rack":2,"oversubscription":4}})"}},
      {{"dgx-a100", "nccl:tree", Operation::all_reduce, 5, 4, 0.5}, 4},
      {{"mahti", "nccl:tree", Operation::all_reduce, 6, 4, 24}, 2}};
  for (const auto& [c, one_of, sets] : cases) {
    INFO(c.machine << ", " << c.nodes << " nodes");
    const SteadyCall call(c, sets);
    const auto folded = folded_lanes(call.spec, call.platform, call.work);
    REQUIRE(folded.has_value());
    CHECK(folded->schedule->lanes() * one_of == call.work.schedule->lanes());
    const RunResult all = simulate_group(call.spec, call.platform, call.work);
    const RunResult few = simulate_group(call.spec, call.platform, folded->work);
    CHECK(few.time == Approx(all.time).epsilon(1e-13));
    CHECK(few.messages * one_of == all.messages);
    for (std::size_t part = 0; part < part_count; ++part)
      CHECK(few.iteration_path[part] == Approx(all.iteration_path[part]).epsilon(1e-9).margin(1e-12 * all.time));
    for (std::size_t tier = 0; tier < all.iteration_held.size(); ++tier)
      CHECK(few.iteration_held[tier] == Approx(all.iteration_held[tier]).epsilon(1e-9).margin(1e-12 * all.time));
  }
}

TEST_CASE("channels that share links or differ are all simulated") {
  const auto folds = [](const SteadyCase& c, const std::vector<std::string>& sets = {}) {
    const SteadyCall call(c, sets);
    return folded_lanes(call.spec, call.platform, call.work).has_value();
  };
  const SteadyCase even{"dgx-a100", "nccl:tree", Operation::all_reduce, 4, 4, 6};
  CHECK(folds(even));
  CHECK_FALSE(folds({"dgx-a100", "nccl:tree", Operation::all_reduce, 4, 4, 6 + 4 / 1048576.0})); // one more element
  CHECK_FALSE(folds({"gh200-x4-slingshot", "nccl:tree", Operation::all_reduce, 4, 4, 6}));
  CHECK_FALSE(folds({"polaris", "nccl:tree", Operation::all_reduce, 4, 4, 12}));
  const std::vector<std::string> racks{R"(platform.network={"topology":"racks","racks":{"nodes_per_rack":2}})"};
  CHECK(folds(even, racks)); // each rail has its own uplinks
  const SteadyCase without_rails{"mahti", "nccl:tree", Operation::all_reduce, 4, 4, 6};
  CHECK(folds(without_rails));
  CHECK_FALSE(folds(without_rails, racks));
}

TEST_CASE("calls that differ only in the number of periods share what was simulated") {
  const SteadyCall shorter({"mahti", "nccl:tree", Operation::all_reduce, 4, 4, 1024});
  const SteadyCall longer({"mahti", "nccl:tree", Operation::all_reduce, 4, 4, 2048});
  const SteadyCall odd({"mahti", "nccl:tree", Operation::all_reduce, 4, 4, 2048.3});
  const auto fewest = [](const SteadyCall& call) {
    return call.work.schedule->shortened(call.work.schedule->periods() - 2);
  };
  CHECK(fewest(shorter)->same_messages(*fewest(longer)));
  CHECK_FALSE(fewest(odd)->same_messages(*fewest(longer))); // another rest
  GroupTimes times(shorter.spec, shorter.platform);
  for (const SteadyCall* call : {&shorter, &longer, &odd, &shorter})
    CHECK(times.time(call->work).seconds == GroupTimes(call->spec, call->platform).time(call->work).seconds);
  CHECK(times.simulations() == 2);
}

TEST_CASE("GPUs are at most some chunks ahead of NVLS trees, so their periods become even and are shared") {
  const SteadyCall shorter({"dgx-h100", "nccl:nvls_tree", Operation::all_reduce, 4, 8, 2048});
  const SteadyCall longer({"dgx-h100", "nccl:nvls_tree", Operation::all_reduce, 4, 8, 4096});
  GroupTimes times(shorter.spec, shorter.platform);
  const double two = times.time(shorter.work).seconds, four = times.time(longer.work).seconds;
  CHECK(times.simulations() == 1);
  CHECK(two == Approx(simulate_group(shorter.spec, shorter.platform, shorter.work).time).epsilon(1e-9));
  CHECK(four == Approx(simulate_group(longer.spec, longer.platform, longer.work).time).epsilon(1e-9));
}

TEST_CASE("to NCCL 2.21, the thread blocks of a call start one after another") {
  // 64 KiB among four A100 with LL: 512 threads of 32 bytes each make 16 KiB for a channel.
  const auto call = [](const char* library) {
    return SteadyCall({"dgx-a100", library, Operation::all_reduce, 1, 4, 1.0 / 16}).call;
  };
  const LibraryCall oldest = call("nccl-2.8"), newer = call("nccl-2.21"), next = call("nccl-2.22");
  CHECK(oldest.channels == 4);
  CHECK(oldest.launch == Approx(6.6e-6 + 3.7e-6 + 2 * 1.1e-6).epsilon(1e-12));
  CHECK(call("nccl-2.12").launch == oldest.launch);
  CHECK(call("nccl-2.13").launch == newer.launch);
  CHECK(newer.channels == 4);
  CHECK(newer.launch == Approx(6.6e-6 + 3 * 1.1e-6).epsilon(1e-12));
  CHECK(next.channels == 4);
  CHECK(next.launch == Approx(6.6e-6).epsilon(1e-12));
  CHECK(call("nccl").channels == 16); // LL spreads it
}

TEST_CASE("a call by MSCCL takes two turns of direct messages, and all blocks reduce at once in between") {
  const auto seconds = [](const char* library, Operation op, double mib) {
    const SteadyCall call({"mi300x-8", library, op, 1, 8, mib});
    return call.call.launch + GroupTimes(call.spec, call.platform).time(call.work).seconds;
  };
  // 64 KiB, LL: 8 KiB to each peer, by 4 blocks of 256 threads that move 8 bytes in 0.5 us each. In the same time they
  // load 16 bytes from each of 7 blocks.
  const double ll_block = 256 * 8 / 0.5e-6, reducing = 256 * 16 * 7 / 0.5e-6, message = 8192;
  CHECK(seconds("rccl", Operation::all_reduce, 1. / 16) ==
        Approx(12e-6 + 2 * (0.8e-6 + message / (4 * ll_block)) + 7 * message / (4 * reducing)).epsilon(1e-9));
  // 16 MiB, Simple: 2 MiB to each peer over links of 48 GB/s.
  const double large = 2097152;
  CHECK(seconds("rccl", Operation::all_reduce, 16) ==
        Approx(17e-6 + 2 * (2.1e-6 + large / 48e9) + 7 * large / (8 * reducing)).epsilon(1e-9));
  // All-to-all has one turn: 128 KiB of LL, with twice their bytes.
  CHECK(seconds("rccl", Operation::alltoall, 1. / 8) ==
        Approx(12e-6 + 0.8e-6 + 2 * 16384 / std::min(48e9, 2 * 2 * ll_block)).epsilon(1e-9));
  const auto made = [](const char* library, double mib) {
    const LibraryCall call = SteadyCall({"mi300x-8", library, Operation::all_reduce, 1, 8, mib}).call;
    return call.algorithm + " " + call.protocol;
  };
  CHECK(made("rccl", 1) == "rccl:msccl Simple");
  CHECK(made("rccl:ring", 1) == "rccl:ring Simple"); // as requested
  CHECK(made("rccl", 32) == "rccl:ring Simple");
}
