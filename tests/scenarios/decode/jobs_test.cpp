// Several jobs: the placement of their ranks, and mistakes of users.
#include "scenarios/language/types/jobs.hpp"

#include "scenarios/language/decode/canonical.hpp"
#include "tests/scenarios/support.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fmt/format.h>

using namespace gradflight;
using namespace gradflight::test;
using Catch::Contains;

namespace {

/// Returns 8 nodes of 2 GPUs in racks of 2 nodes, and jobs with these keys.
std::string jobs_text(const std::vector<std::string>& keys) {
  std::string jobs;
  for (const std::string& own : keys)
    jobs += fmt::format(R"({}{{ "workload": {{ "tensors": [ {{ "name": "g", "bytes": "1MB" }} ] }},
      "training": {{ "exchange": {{ "algorithm": "ring" }} }}, {} }})",
                        jobs.empty() ? "" : ", ", own);
  return R"({ "platform": { "nodes": 8, "gpus_per_node": 2, "network": { "topology": "racks",
      "racks": { "nodes_per_rack": 2 }, "link": { "bandwidth": "10Gbps", "latency": "5us" } } }, "jobs": [ )" +
         jobs + " ] }";
}

std::vector<std::vector<int>> placed_gpus(const std::vector<std::string>& keys) {
  return place_jobs(parse_scenario(jobs_text(keys), "s.json", {})).gpus;
}

} // namespace

TEST_CASE("jobs take the GPUs that others leave") {
  using Gpus = std::vector<std::vector<int>>;
  CHECK(placed_gpus({R"("count": 3)", R"("count": 2)"}) == Gpus{{0, 1, 2}, {3, 4}});
  CHECK(placed_gpus({R"("count": 3)", R"("ranks": [2, 0])"}) == Gpus{{1, 3, 4}, {2, 0}});
  CHECK(placed_gpus({R"("ranks": [0])", R"("count": 9, "placement": "round_robin")"}) ==
        Gpus{{0}, {1, 2, 4, 6, 8, 10, 12, 14, 3}});
  // Rack 0 has three free GPUs, and the others four. A job gets the fullest rack with enough GPUs, else the racks with
  // most.
  CHECK(placed_gpus({R"("ranks": [0])", R"("count": 3, "placement": "by_rack")",
                     R"("count": 5, "placement": "by_rack")"}) == Gpus{{0}, {1, 2, 3}, {4, 5, 6, 7, 8}});
}

TEST_CASE("random places are drawn for the seed alone") {
  const auto drawn = [](int seed) {
    return placed_gpus({fmt::format(R"("count": 16, "placement": "random", "seed": {})", seed)}).front();
  };
  CHECK(drawn(1) == drawn(1));
  CHECK(drawn(1) != drawn(2));
  std::vector<int> all = drawn(3);
  std::ranges::sort(all);
  for (int gpu = 0; gpu < 16; ++gpu) CHECK(all[static_cast<std::size_t>(gpu)] == gpu);
  // Each GPU is equally likely for rank 0: of 1600 draws 100 each, within 5 standard deviations.
  std::vector<int> first(16);
  for (int seed = 0; seed < 1600; ++seed) ++first[static_cast<std::size_t>(drawn(seed).front())];
  for (const int times : first) CHECK(std::abs(times - 100) < 49);
}

TEST_CASE("jobs' mistakes are told at once") {
  const std::string told =
      errors_of_text(jobs_text({R"("name": "a", "ranks": [0, 16, 1])", R"("name": "a", "ranks": [1, 2, 2])",
                                R"("count": 14)", R"("start": "1s")"}));
  CHECK_THAT(told, Contains("/jobs/1/name: job 0 has the same name"));
  CHECK_THAT(told, Contains("/jobs/0/ranks/1: GPU 16 does not exist: GPUs are 0 to 15"));
  CHECK_THAT(told, Contains("/jobs/1/ranks/0: GPU 1 already belongs to job a: jobs cannot share GPUs"));
  CHECK_THAT(told, Contains("/jobs/1/ranks/2: GPU 2 is listed twice"));
  CHECK_THAT(told, Contains("/jobs/2/count: the job needs 14 GPUs, but the other jobs leave only 13 of 16"));
  CHECK_THAT(told, Contains("/jobs/3: a job needs \"ranks\", a list of GPUs, or \"count\", their number"));
}

TEST_CASE("keys beside jobs, and of jobs, are held to what they may be") {
  CHECK_THAT(errors_of_text(jobs_text({R"("count": 2)"}), {R"(training={"exchange":{"algorithm":"ring"}})"}),
             Contains("/training: \"training\" has no effect here: it needs a scenario without \"jobs\""));
  CHECK_THAT(errors_of_text(jobs_text({R"("count": 2, "nam": "x")"})), Contains("/jobs/0/nam: unknown key \"nam\""));
  CHECK_THAT(errors_of_text(jobs_text({R"("count": 2, "ranks": [0])"})),
             Contains("/jobs/0/count: \"count\" has no effect here"));
  CHECK_THAT(errors_of_text(jobs_text({R"("count": 2, "seed": 3)"})), Contains("it needs placement \"random\""));
  // Invalid jobs do not turn the scenario into one of a single job without a workload.
  CHECK_THAT(errors_of_text(jobs_text({R"("count": 0)"})), !Contains("\"workload\" is missing"));
  CHECK_THAT(
      errors_of_text(jobs_text({R"("count": 2)"}),
                     {R"(jobs.0.training.exchange={"algorithm":"parameter_server","servers":9,"colocated":true})"}),
      Contains("/jobs/0/training/exchange/servers: 9 colocated servers need as many ranks, but the job has 2"));
  CHECK_THAT(errors_of_text(jobs_text({R"("count": 2, "placement": "by_rack")"}),
                            {R"(platform.network={"topology":"star","link":{"bandwidth":"1Gbps","latency":"1us"}})"}),
             Contains("/jobs/0/placement: \"by_rack\" needs a network with racks"));
}

TEST_CASE("scenarios with jobs are written back as they were read") {
  const Scenario s = parse_scenario(
      jobs_text({R"("name": "a", "ranks": [3, 2])", R"("count": 4, "placement": "random", "seed": 7, "start": "1s")"}),
      "s.json", {});
  CHECK(s.jobs[1].name == "job1");
  CHECK(s.jobs[1].start.value() == 1);
  const std::string written = canonical_json(s);
  CHECK(canonical_json(parse_scenario(written, "s.json", {})) == written);
  const Scenario changed = parse_scenario(written, "s.json", {"jobs.1.training.iterations=5"});
  CHECK(changed.jobs[1].phases.back().training.iterations == 5);
  CHECK(scenario_id(changed) != scenario_id(s));
}

TEST_CASE("a job's workload may be a file") {
  const TemporaryDirectory files;
  files.write("w.json", R"({ "tensors": [ { "name": "g", "bytes": "4MB" } ] })");
  const auto path = files.write("s.json", jobs_text({R"("count": 2)"}));
  const Scenario s = load_scenario(path, {"jobs.0.workload=" + files.path("w.json")});
  CHECK(s.jobs[0].workload.elements() == 1'000'000);
}
