#include "analysis/explore/sweeps/sweep_run.hpp"

#include "analysis/explore/sweeps/sweep_quantities.hpp"
#include "analysis/run/files/output_file.hpp"
#include "tests/scenarios/support.hpp"

#include <catch2/catch.hpp>
#include <stdexcept>

using namespace gradflight;
using namespace gradflight::test;
using Catch::Contains;

namespace {

Sweep sweep_over(const std::string& nodes, const std::string& more = "") {
  return parse_sweep(R"({ "base": { "platform": { "network": { "topology": "star", "link": { "bandwidth": "1Gbps" } } },
  "workload": { "tensors": [{ "name": "g", "bytes": "4KB" }] }, "training": { "exchange": { "algorithm": "ring" } } },
  "axes": { "platform.nodes": )" +
                         nodes + " }" + more + " }",
                     "s.json");
}

SweepTally run_in(const TemporaryDirectory& directory, const Sweep& sweep, SweepRunOptions options = {}) {
  options.directory = directory.path();
  claim(options.directory, sweep);
  std::int64_t told = 0;
  const auto tally = run_sweep(sweep, selected_combinations(sweep), options, [&](const SweepTally& so_far) {
    CHECK(so_far.done >= told);
    told = so_far.done;
  });
  CHECK(tally.done == told);
  return tally;
}

std::int64_t points_with(const SweepTally& tally, PointStatus status) {
  const auto found = tally.with.find(status);
  return found == tally.with.end() ? 0 : found->second;
}

} // namespace

TEST_CASE("a sweep records every point once, and only what is missing the next time", "[system]") {
  const TemporaryDirectory directory;
  const auto first = run_in(directory, sweep_over("[0, 2, 3, 2]"), {.directory = {}, .jobs = 2, .limits = {}});
  CHECK(points_with(first, PointStatus::ok) == 2);
  CHECK(points_with(first, PointStatus::invalid) == 1); // no nodes
  CHECK(first.repeated == 1);
  CHECK(first.resumed == 0);
  CHECK(first.not_ok() == 2);
  const auto records = read_records(directory.path()).by_id;
  REQUIRE(records.size() == 2); // merge itself detects points that are not valid scenarios
  const auto columns = quantity_columns(sweep_over("[2]"));
  const auto& two = records.at(point_at(sweep_over("[2]"), 0).id);
  CHECK(two.cells.size() == columns.size());
  CHECK(std::get<double>(two.cells.front()) == Approx(32e-6).epsilon(1e-9)); // twice half of 4 KB at 1 Gbps

  const auto again = run_in(directory, sweep_over("[0, 2, 3, 2]"));
  CHECK(points_with(again, PointStatus::ok) == 2);
  CHECK(again.resumed == 2);
  CHECK(read_records(directory.path()).by_id.size() == 2);
}

TEST_CASE("what was killed is run again only where that is asked for", "[system]") {
  const TemporaryDirectory directory;
  const Sweep sweep = sweep_over("[2]");
  RecordWriter(directory.path()).append({point_at(sweep, 0).id, PointStatus::killed, "out of time", {}, 1, 1});
  CHECK(points_with(run_in(directory, sweep), PointStatus::killed) == 1);
  const auto retried = run_in(directory, sweep, {.directory = {}, .jobs = 1, .limits = {}, .retry = true});
  CHECK(points_with(retried, PointStatus::ok) == 1);
  CHECK(retried.resumed == 0);
  CHECK(points_with(run_in(directory, sweep), PointStatus::ok) == 1); // any status has priority over killed
}

TEST_CASE("limits hold for each point by itself", "[system]") {
  const TemporaryDirectory directory;
  WorkLimits soon;
  soon.wall_s = 0.05;
  const Sweep long_ones = sweep_over(R"([2, 3], "training.iterations": [1000000000])");
  const auto tally = run_in(directory, long_ones, {.directory = {}, .jobs = 1, .limits = soon});
  CHECK(points_with(tally, PointStatus::killed) == 2);
  for (const auto& [id, record] : read_records(directory.path()).by_id)
    CHECK_THAT(record.message, Contains("not done after 50ms"));
}

TEST_CASE("limits are the sweep's, unless the command line has others", "[system]") {
  const Sweep plain = sweep_over("[2]"),
              limited = sweep_over("[2]", R"(, "limits": { "wall": "2s", "memory": "3MB" })");
  CHECK_FALSE(limits_of(plain, "", "").any());
  CHECK(limits_of(limited, "", "").wall_s == 2);
  CHECK(limits_of(limited, "", "").memory_bytes == 3'000'000);
  CHECK(limits_of(limited, "5ms", "").wall_s == 5e-3);
  CHECK(limits_of(limited, "5ms", "").memory_bytes == 3'000'000);
  CHECK(limits_of(plain, "", "1MiB").memory_bytes == 1 << 20);
  CHECK_THROWS_AS(limits_of(plain, "soon", ""), std::invalid_argument);
  CHECK_THROWS_AS(limits_of(plain, "", "5s"), std::invalid_argument);
}

TEST_CASE("a directory belongs to one sweep", "[system]") {
  const TemporaryDirectory directory;
  claim(directory.path("out"), sweep_over("[2]"));
  CHECK_NOTHROW(claim(directory.path("out"), sweep_over("[2]")));
  CHECK_THROWS_WITH(claim(directory.path("out"), sweep_over("[3]")),
                    Contains("holds another sweep with other axes: line ") && Contains(" has \"2]") &&
                        Contains(", not \"3]"));
  directory.write("cut/sweep.json", "{\n");
  CHECK_THROWS_WITH(claim(directory.path("cut"), sweep_over("[2]")),
                    Contains("damaged sweep.json: line 2 has an end, not \""));
  std::filesystem::create_directories(directory.path("folder/sweep.json"));
  CHECK_THROWS_WITH(claim(directory.path("folder"), sweep_over("[2]")), Contains("it is a directory"));
  CHECK_THROWS_AS(claim(directory.write("file", ""), sweep_over("[2]")), OutputError);
}

TEST_CASE("one valid point is enough: where there is none, ten mistakes are told", "[system]") {
  const auto errors_in = [](const std::string& nodes) {
    const Sweep sweep = sweep_over(nodes);
    return errors_of_all(sweep, selected_combinations(sweep));
  };
  CHECK(errors_in("[0, 2]").empty());
  const auto errors = errors_in("[0, -1, -2, -3, -4, -5, -6, -7, -8, -9, -10]");
  REQUIRE(errors.size() == 1 + 10);
  CHECK(errors.front().message == "no valid scenario among 11 points");
  CHECK(errors.back().pointer == "/platform/nodes");
}
