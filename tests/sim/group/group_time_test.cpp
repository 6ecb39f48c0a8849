// Calls of NCCL whose chunks or loops repeat: the steady state's time is that of all messages.
#include "platforms/code/platform.hpp"
#include "scenarios/language/decode/load.hpp"
#include "sim/group/group_time.hpp"
#include "sim/libraries/library.hpp"

#include <catch2/catch.hpp>

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

  explicit SteadyCall(const SteadyCase& c)
      : spec(load_platform(c.machine)), platform((spec.nodes = c.nodes, build_platform(spec, 0))),
        call(Library(library_named(c.library).value(), {}, spec, {c.nodes, c.gpus})
                 .call(c.op, static_cast<std::int64_t>(c.mib * 262144), 4)) {
    work = {call.schedule.get(), call.algorithm, {}, 4, 0, call.hops};
    for (int node = 0; node < c.nodes; ++node)
      for (int gpu = 0; gpu < c.gpus; ++gpu) work.place.push_back(node * platform.gpus_per_node() + gpu);
  }
};

} // namespace

TEST_CASE("what repeats evenly takes as long by its steady state as message by message") {
  int uneven = 0;
  for (const SteadyCase& c : {SteadyCase{"dgx-a100", "nccl:ring", Operation::all_reduce, 2, 2, 8192.3},
                              SteadyCase{"dgx-a100", "nccl:ring", Operation::all_gather, 2, 2, 8192},
                              SteadyCase{"alps", "nccl-2.23:tree", Operation::all_reduce, 4, 4, 700.7},
                              SteadyCase{"alps", "nccl:tree", Operation::all_reduce, 2, 4, 513},
                              SteadyCase{"polaris", "nccl:ring", Operation::all_reduce, 4, 4, 3000},
                              SteadyCase{"abci-2-v", "nccl:tree", Operation::all_reduce, 8, 4, 300},
                              SteadyCase{"a100-pcie-pair", "nccl", Operation::broadcast, 2, 1, 256}}) {
    INFO(c.machine << " " << c.library << " " << operation_name(c.op));
    const SteadyCall steady(c);
    CHECK(steady.work.schedule->periods().count > 10);
    const auto time = steady_group_time(steady.spec, steady.platform, steady.work);
    REQUIRE(time.has_value());
    const double all = simulate_group(steady.spec, steady.platform, steady.work).time;
    CHECK(time->seconds == Approx(all).epsilon(std::max(1e-9, 2 * time->uneven)));
    uneven += time->uneven > GroupTime::exact ? 1 : 0;
  }
  CHECK(uneven > 0); // trees on ABCI, where two GPUs share a NIC
}

TEST_CASE("what has few periods, or periods that differ by more than a hundredth, is simulated whole") {
  for (const SteadyCase& c : {SteadyCase{"dgx-a100", "nccl:ring", Operation::all_reduce, 2, 8, 1},
                              SteadyCase{"abci-2-v", "nccl:tree", Operation::all_reduce, 4, 4, 600}}) {
    const SteadyCall steady(c);
    CHECK_FALSE(steady_group_time(steady.spec, steady.platform, steady.work).has_value());
    CHECK(group_time(steady.spec, steady.platform, steady.work).seconds ==
          simulate_group(steady.spec, steady.platform, steady.work).time);
  }
}
