// Exchanges that are library calls: their times equal those of single calls, one after another. Also tests rejected
// settings.
#include "analysis/run/prepared.hpp"
#include "models/schedules/parts/collective.hpp"
#include "scenarios/language/decode/load.hpp"
#include "scenarios/language/json/diagnostics.hpp"
#include "sim/group/simulate_group.hpp"
#include "sim/message_count.hpp"
#include "sim/simulate.hpp"
#include "sim/training/job_calls.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

using namespace gradflight;

namespace {

/// Returns a scenario on nodes of a machine, with buckets of these bytes in one layer each.
Scenario library_scenario(const std::string& machine, int nodes, const std::string& exchange,
                          const std::vector<std::string>& bytes, const std::string& more = "") {
  std::string layers;
  for (const std::string& size : bytes)
    layers +=
        fmt::format(R"({}{{"name":"l{}","forward":"1ms","backward":"2ms","tensors":[{{"name":"t","bytes":"{}"}}]}})",
                    layers.empty() ? "" : ",", layers.size(), size);
  return parse_scenario(fmt::format(R"({{"platform":{{"machine":"{}","nodes":{}}},"workload":{{"layers":[{}]}},)"
                                    R"("training":{{"exchange":{{{}}},"granularity":"layer"{}}}}})",
                                    machine, nodes, layers, exchange, more),
                        "library.json");
}

double time_of(const Scenario& scenario) {
  const Prepared prepared(scenario);
  return simulate(prepared.scenario(), prepared.platform()).time;
}

std::vector<CallProblem> problems_of(const Scenario& scenario) {
  return call_problems(scenario, build_platform(scenario.platform, 0));
}

/// Returns the time of a call alone, including its launch.
double alone(const Scenario& s, const std::string& name, Operation op, std::int64_t elements, double size = 4) {
  const Platform platform = build_platform(s.platform, 0);
  const Library library(library_named(name).value(), {}, s.platform, {s.platform.nodes, s.platform.gpus_per_node});
  const LibraryCall call = library.call(op, elements, size);
  GroupWork work{call.schedule.get(), call.algorithm, {}, size, 0, call.hops};
  for (int rank = 0; rank < s.workers(); ++rank) work.place.push_back(rank);
  for (int node = 0; node < call.switches(); ++node) work.place.push_back(platform.nvswitch_place(node).value());
  return call.launch + simulate_group(s.platform, platform, work).time;
}

} // namespace

// Without the barrier, ranks that end early begin the next call before the others. Rings between DGX A100s depend on
// ties, which may have another result at another time: a difference of 1e-7 of such a call.
TEST_CASE("buckets take as long as their calls alone, one after another, by every library") {
  struct Case {
    const char *machine, *name;
    int nodes;
  };
  for (const Case& c : {Case{"alps", "nccl", 2}, Case{"dgx-a100", "nccl:tree", 2}, Case{"dgx-a100", "nccl:ring", 1},
                        Case{"dgx-h100", "nccl:nvls", 1}, Case{"dgx-h100", "nccl:nvls_tree", 3},
                        Case{"mahti", "mpi", 2}, Case{"mahti", "mpi:4.0", 3}}) {
    INFO(c.machine << " " << c.name);
    const Scenario s = library_scenario(c.machine, c.nodes, fmt::format(R"("algorithm":"{}","barrier":true)", c.name),
                                        {"4MB", "100KB", "4MB"});
    const double calls =
        2 * alone(s, c.name, Operation::all_reduce, 1'000'000) + alone(s, c.name, Operation::all_reduce, 25'000);
    CHECK(time_of(s) == Approx(3 * 3e-3 + calls).epsilon(1e-9));
    CHECK(message_count(s, Prepared(s).platform(), true).all >=
          static_cast<double>(simulate(s, Prepared(s).platform()).messages));
  }
}

TEST_CASE("layer-wise overlap hides calls, but for the last one") {
  const Scenario s =
      library_scenario("dgx-a100", 1, R"("algorithm":"nccl")", {"400KB", "400KB"}, R"(,"overlap":"layerwise")");
  CHECK(time_of(s) == Approx(6e-3 + alone(s, "nccl", Operation::all_reduce, 100'000)).epsilon(1e-9));
}

TEST_CASE("a ratio makes a call of so many fewer bytes") {
  const Scenario s = library_scenario("dgx-a100", 2, R"("algorithm":"nccl")", {"4MB"}, R"(,"compression":{"ratio":2})");
  CHECK(time_of(s) == Approx(3e-3 + alone(s, "nccl", Operation::all_reduce, 1'000'000, 2)).epsilon(1e-9));
}

// A rank gathers when its own shard is ready, so ranks that end early begin slightly before the others.
TEST_CASE("a sharded exchange scatters and gathers by the library") {
  const Scenario s = library_scenario("dgx-a100", 2, R"("algorithm":"sharded","stage":1,"library":"nccl")", {"4MB"});
  const double both =
      alone(s, "nccl", Operation::reduce_scatter, 1'000'000) + alone(s, "nccl", Operation::all_gather, 1'000'000);
  CHECK(time_of(s) - 3e-3 == Approx(both).epsilon(0.02));
  const Scenario streams = library_scenario("dgx-a100", 1, R"("algorithm":"sharded","stage":3,"library":"nccl")",
                                            {"4MB", "1MB"}, R"(,"streams":2,"accumulation":2,"iterations":2)");
  CHECK(time_of(streams) > 24e-3);
}

TEST_CASE("one GPU has nobody to call, and works alone") {
  Scenario s = library_scenario("dgx-a100", 1, R"("algorithm":"mpi")", {"4MB"});
  s.platform.node->gpus = s.platform.gpus_per_node = 1;
  CHECK(time_of(s) == Approx(3e-3).epsilon(1e-9));
}

TEST_CASE("what a library cannot do is told with its place") {
  const auto first = [](const Scenario& s) {
    const auto found = problems_of(s);
    return found.empty() ? std::string() : found.front().pointer + ": " + found.front().text;
  };
  CHECK(first(library_scenario("dgx-a100", 2, R"("algorithm":"nccl:nvls")", {"4MB"}))
            .find("/training/exchange/algorithm: nvls cannot do") == 0);
  CHECK(first(library_scenario("dgx-a100", 2, R"("algorithm":"rccl")", {"4MB"})).find("MI300") != std::string::npos);
  CHECK(first(library_scenario("dgx-a100", 2, R"("algorithm":"sharded","library":"nccl:tree")", {"4MB"}))
            .find("/training/exchange/library: tree cannot do reduce_scatter") == 0);
  Scenario flat = library_scenario("dgx-a100", 2, R"("algorithm":"nccl")", {"4MB"});
  flat.engine.kind = EngineKind::simgrid;
  flat.phases.front().training.exchange =
      library_scenario("dgx-a100", 2, R"("algorithm":"mpi")", {"4MB"}).phases.front().training.exchange;
  CHECK(problems_of(flat).empty());
  flat.platform.node.reset();
  flat.platform.network.link.bandwidth = ByteRate(1e9);
  CHECK(problems_of(flat).empty());
  flat.phases.front().training.exchange =
      library_scenario("dgx-a100", 2, R"("algorithm":"nccl")", {"4MB"}).phases.front().training.exchange;
  CHECK(first(flat).find("give the platform \"node\"") != std::string::npos);
}

TEST_CASE("the reference engine refuses messages by way of another GPU's NIC") {
  Scenario s = library_scenario("dgx-a100", 2, R"("algorithm":"nccl:ring")", {"4MB"});
  CHECK(problems_of(s).empty());
  s.engine.kind = EngineKind::simgrid;
  REQUIRE(problems_of(s).size() == 1);
  CHECK(problems_of(s).front().text.find("PXN") != std::string::npos);
}

TEST_CASE("what goes against a library's calls is refused where it stands") {
  const auto refused = [](const std::string& exchange, const std::string& more) {
    try {
      (void)library_scenario("dgx-a100", 2, exchange, {"4MB"}, more);
    } catch (const InputErrors& errors) {
      return std::string(errors.what());
    }
    return std::string();
  };
  const std::string nccl = R"("algorithm":"nccl")";
  CHECK(refused(nccl, R"(,"compression":{"ratio":2,"placement":"gpu"})").find("placement") != std::string::npos);
  CHECK(refused(nccl, R"(,"costs":[{"name":"c","at":"message_send","on":"gpu","per_message":"1us"}])")
            .find("costs/0/at") != std::string::npos);
  CHECK(refused(R"("algorithm":"sharded","library":"nccl","all_gather":"ring")", "").find("all_gather") !=
        std::string::npos);
  CHECK(refused(R"("algorithm":"sharded","library":"nccl","group_size":8)", "").find("group_size") !=
        std::string::npos);
}
