// The bounds of a table's sizes, derived by hand, and the sentences about them.
#include "analysis/evidence/collective/collective_bounds.hpp"

#include "analysis/evidence/collective/collective_output.hpp"
#include "analysis/evidence/collective/collective_table.hpp"
#include "analysis/run/evaluate.hpp"
#include "analysis/run/prepare.hpp"
#include "tests/support/temporary_directory.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

using namespace gradflight;
using namespace gradflight::test;
using Catch::Contains;

namespace {

CollectiveTable table_of(const CollectiveRequest& request) {
  const CollectiveGroup group = make_group(request);
  return collective_table(request, request.ops.front(), group, check_request(request, group));
}

double share(const CollectiveRow& row, Bounding what) {
  double sum = 0;
  for (const Bound& bound : row.bound_by)
    if (bound.what == what) sum += bound.share;
  return sum;
}

/// Sizes of 1, 2, 4, ... KiB with a simulated time of one microsecond each, bound by the NICs.
CollectiveTable measured_table_of(const std::vector<std::optional<double>>& measured_us) {
  CollectiveTable table;
  for (std::size_t i = 0; i < measured_us.size(); ++i) {
    CollectiveRow row;
    row.size_bytes = std::int64_t{1024} << i;
    row.time_us = 1;
    row.measured_us = measured_us[i];
    row.bound_by = {{Bounding::nic, 1, "the NICs"}};
    table.rows.push_back(row);
  }
  return table;
}

} // namespace

TEST_CASE("a sentence for each assumption that fails where time and closed form differ, at most three") {
  CollectiveTable table = measured_table_of({{}, {}, {}, {}});
  for (CollectiveRow& row : table.rows) row.closed_form_us = 1;
  CHECK(form_sentences(table).empty());
  const Assumption alike{AssumptionId::links_alike, "links alike", false, "one is slow"};
  const Assumption even{AssumptionId::operation_form, "all blocks are equal", false, {}};
  for (CollectiveRow& row : table.rows) row.form_fails = {alike};
  CHECK(form_sentences(table).empty()); // it fails without effect
  for (CollectiveRow& row : table.rows) row.closed_form_us = 2;
  table.rows[1].form_fails.push_back(even);
  const std::string differs = "the closed form differs from the time because an assumption fails: ";
  CHECK(form_sentences(table) == std::vector<std::string>{"T" + differs.substr(1) + "links alike (one is slow).",
                                                          "At 2 KiB, " + differs + "all blocks are equal."});
  table.rows[2].form_fails.push_back(even);
  CHECK(form_sentences(table).back() == "From 2 KiB to 4 KiB, " + differs + "all blocks are equal.");
  table.rows[3].form_fails.push_back(even);
  CHECK(form_sentences(table).back() == "From 2 KiB on, " + differs + "all blocks are equal.");
  for (const char* text : {"a", "b", "c"})
    table.rows[0].form_fails.push_back({AssumptionId::operation_form, text, false, {}});
  CHECK(form_sentences(table).size() == 3);
}

TEST_CASE("a ring on a star: latency, NICs and reduction by hand") {
  const TemporaryDirectory directory;
  CollectiveRequest request{.ops = {Operation::all_reduce}, .platform = {}};
  request.platform = directory.write("star.json", R"({ "nodes": 8, "reduce_bandwidth": "10GB/s",
    "network": { "topology": "star", "link": { "bandwidth": "10Gbps", "latency": "5us" } } })");
  request.algorithm = "ring";
  request.sizes = {32, 4e6};
  const CollectiveTable table = table_of(request);
  REQUIRE(table.rows.size() == 2);
  // 14 steps of 500 kB: 10 us and 400 us each, and a reduction of 50 us in the first 7.
  const CollectiveRow& large = table.rows[1];
  CHECK(large.time_us == Approx(6090).epsilon(1e-12));
  CHECK(share(large, Bounding::nic) == Approx(5600.0 / 6090).epsilon(1e-9));
  CHECK(share(large, Bounding::reducer) == Approx(350.0 / 6090).epsilon(1e-9));
  CHECK(share(large, Bounding::latency) == Approx(140.0 / 6090).epsilon(1e-9));
  CHECK(bounds_sentence(table) == "Latency bounds sizes up to 32 B, and the NICs bound those from 4 MB on.");
}

TEST_CASE("a tie is told as such: a ring over uplinks that are as fast as NICs") {
  // 14 steps of 1 MB at 1 GB/s; each may lead out of a rack.
  const TemporaryDirectory directory;
  CollectiveRequest request{.ops = {Operation::all_reduce}, .platform = {}};
  request.platform = directory.write("racks.json", R"({ "nodes": 8, "network": { "topology": "racks",
    "link": { "bandwidth": "8Gbps" }, "racks": { "nodes_per_rack": 4, "oversubscription": 4 } } })");
  request.algorithm = "ring";
  request.sizes = {8e6, 16e6};
  const CollectiveTable table = table_of(request);
  REQUIRE(table.rows.size() == 2);
  CHECK(table.rows[0].time_us == Approx(14'000).epsilon(1e-12));
  for (const CollectiveRow& row : table.rows) {
    CHECK(share(row, Bounding::nic) == Approx(0.5).epsilon(1e-9));
    CHECK(share(row, Bounding::uplink) == Approx(0.5).epsilon(1e-9));
  }
  CHECK(bounds_sentence(table) == "The NICs and the uplinks bound every size.");
  CHECK_THAT(collective_text(table, false), Contains(" NICs, uplinks "));
}

// A path of 10 s: 1 s of latency, and 9 s of bytes and waiting. Links hold 4 s of these, of which half is the
// protocol's, and 5 s are no link's. So 7 s are no link's own, of which the waiting is more than half.
TEST_CASE("the protocol's share is called credits where most of it is the waiting for them") {
  Path path{};
  at(path, Part::alpha) = 1;
  at(path, Part::beta) = 4;
  at(path, Part::contention) = 5;
  const auto name = [&](double held_seconds, bool own_hops) {
    HeldBy held{};
    at(held, LinkTier::nic) = held_seconds / 2;
    PathDetails details;
    details.protocol = held_seconds / 2;
    const std::vector<Bound> bounds = bound_by(PlatformSpec{}, {path, held, details}, own_hops);
    REQUIRE(bounds.size() == 3);
    CHECK(bounds[0].what == Bounding::protocol);
    CHECK(bounds[0].share == Approx((9 - held_seconds / 2) / 10).epsilon(1e-12));
    CHECK(bounds[1].name == "the NICs");
    CHECK(bounds[2].what == Bounding::latency);
    return bounds[0].name;
  };
  CHECK(name(4, true) == "waiting for credits");
  CHECK(name(5.9, true) == "waiting for credits");    // 3.1 s of 6.05 s
  CHECK(name(6.1, true) == "the library's protocol"); // 2.9 s of 5.95 s
  CHECK(name(4, false) == "the library's protocol");
}

TEST_CASE("between places far apart a ring waits for credits, near by it does not") {
  CollectiveRequest request{.ops = {Operation::all_reduce}, .platform = "dgx-h100"};
  request.nodes = 4;
  request.sizes = {1 << 28};
  request.algorithm = "nccl:ring";
  CHECK(table_of(request).rows.front().bound_by.front().name != "waiting for credits");
  request.sets = {R"(platform.network={"topology":"racks","racks":{"nodes_per_rack":2,)"
                  R"("uplink":{"bandwidth":"6400Gbps","latency":"125us"}}})"};
  CHECK(table_of(request).rows.front().bound_by.front().name == "waiting for credits");
}

TEST_CASE("a library's bytes beyond the data, and what its channels cannot fill, are the protocol's") {
  CollectiveRequest request{.ops = {Operation::all_reduce}, .platform = "dgx-a100"};
  request.sizes = {8, 1 << 21, 1 << 30};
  const CollectiveTable table = table_of(request);
  REQUIRE(table.rows.size() == 3);
  for (const CollectiveRow& row : table.rows) {
    double all = 0;
    for (const Bound& bound : row.bound_by) all += bound.share;
    CHECK(all == Approx(1).epsilon(1e-9));
  }
  // LL writes a flag with every datum, so at least half of the bytes on NVLink are due to the protocol.
  REQUIRE(table.rows[1].protocol == "LL");
  CHECK(share(table.rows[1], Bounding::protocol) >= share(table.rows[1], Bounding::intra_node) * (1 - 1e-9));
  CHECK(table.rows[0].bound_by.front().what == Bounding::latency);
  CHECK(table.rows[2].bound_by.front().what == Bounding::intra_node);
}

TEST_CASE("a table without rows has no sentence") { CHECK(bounds_sentence(CollectiveTable{}).empty()); }

TEST_CASE("the sentence names each bound once") {
  using enum Bounding;
  const auto sentence = [](const std::vector<Bounding>& bounds) {
    CollectiveTable table;
    for (std::size_t i = 0; i < bounds.size(); ++i) {
      CollectiveRow row;
      row.size_bytes = std::int64_t{1024} << i;
      row.bound_by = {{bounds[i], 1, bounds[i] == latency ? "latency with the library's hops" : ""}};
      table.rows.push_back(row);
    }
    return bounds_sentence(table);
  };
  CHECK(sentence({nic, nic}) == "The NICs bound every size.");
  CHECK(sentence({latency, nic}) == "Latency bounds sizes up to 1 KiB, and the NICs bound those from 2 KiB on.");
  CHECK(sentence({latency, pcie, nic, nic}) ==
        "Latency bounds sizes up to 1 KiB, PCIe bounds 2 KiB alone, and the NICs bound those from 4 KiB on.");
  CHECK(sentence({latency, pcie, latency, pcie, pcie, nic, pcie}) ==
        "Latency bounds sizes up to 1 KiB, and 4 KiB; PCIe bounds 2 KiB, those from 8 KiB to 16 KiB, and those from 64 "
        "KiB on; the NICs bound 32 KiB alone.");
}

TEST_CASE("a training step that is one call is explained as the call is") {
  const auto [machine, bytes] = GENERATE(table<const char*, int>({{"rack-100gbe", 1 << 16},
                                                                  {"rack-100gbe", 1 << 22},
                                                                  {"dgx-a100", 1 << 16},
                                                                  {"dgx-h100", 1 << 22},
                                                                  {"rack-25gbe", 1 << 16}}));
  CollectiveRequest request{.ops = {Operation::all_reduce}, .platform = machine};
  request.nodes = 2;
  request.sizes = {static_cast<double>(bytes)};
  request.algorithm = "nccl";
  const CollectiveTable table = table_of(request);
  REQUIRE(table.rows.size() == 1);
  const CollectiveRow& row = table.rows.front();
  const Outcome step =
      evaluate(prepare_changed({"step.json", fmt::format(R"({{ "platform": {{ "machine": "{}", "nodes": 2 }},
        "workload": {{ "tensors": [{{ "name": "g", "bytes": "{}B" }}] }},
        "training": {{ "exchange": {{ "algorithm": "nccl" }} }} }})",
                                                         machine, bytes)},
                               {}));
  CHECK(step.result.iteration_time == Approx(row.time_us * 1e-6).epsilon(1e-9));
  REQUIRE(step.bounds.size() == row.bound_by.size());
  for (std::size_t i = 0; i < step.bounds.size(); ++i) {
    CHECK(step.bounds[i].what == row.bound_by[i].what);
    CHECK(step.bounds[i].name == row.bound_by[i].name);
    CHECK(step.bounds[i].share == Approx(row.bound_by[i].share).epsilon(1e-6));
  }
  // The launch is latency, not host work.
  const Path& path = step.result.iteration_path;
  CHECK(at(path, Part::host) > 0);
  CHECK(share(row, Bounding::latency) ==
        Approx((at(path, Part::alpha) + at(path, Part::host)) / step.result.iteration_time).epsilon(1e-6));
  CHECK(share(row, Bounding::host) == 0);
}

TEST_CASE("where measured times part from simulated ones, and by how much") {
  CHECK(apart_sentence(measured_table_of({{}, {}})).empty());
  CHECK(apart_sentence(measured_table_of({1.1, 0.8, {}})) ==
        "Simulated times differ from measured ones by at most 25.0 %, at 2 KiB.");
  CHECK(apart_sentence(measured_table_of({1, 1.1, 2, 70})) ==
        "From 4 KiB on measured times are longer than simulated ones, by up to a factor of 70 at 8 KiB. In the "
        "simulation, the NICs bound this size. Check that the platform describes the machine that was measured.");
  CHECK_THAT(apart_sentence(measured_table_of({0.5, {}, 0.4, 1})),
             Contains("Up to 4 KiB measured times are shorter than simulated ones, by up to a factor of 2.5 at 4 KiB"));
  CHECK_THAT(apart_sentence(measured_table_of({2, 2, 2})), Contains("At every size measured times are longer"));
  CHECK_THAT(apart_sentence(measured_table_of({2, 1, 3})),
             Contains("From 4 KiB on") && Contains("They are also longer at 1 size elsewhere."));
  CHECK_THAT(apart_sentence(measured_table_of({0.5, 1, 3})), Contains("They are shorter at 1 size elsewhere."));
  CHECK_THAT(apart_sentence(measured_table_of({2, 1, 0.2, 1, 3, 0.5})),
             Contains("At 4 KiB measured") &&
                 Contains("They are also shorter at 1 size elsewhere, and longer at 2 sizes."));
  CHECK_THAT(apart_sentence(measured_table_of({1, 3, 1})), !Contains("elsewhere"));
}

TEST_CASE("calls with a root take the mean of a benchmark's calls: the pipeline's fill, shared, and their distance") {
  const auto time = [](Operation op, int nodes, int iterations) {
    CollectiveRequest request{.ops = {op}, .platform = "dgx-h100"};
    request.nodes = nodes;
    request.sizes = {4096};
    request.iterations = iterations;
    return table_of(request).rows.front().time_us;
  };
  const double alone = time(Operation::broadcast, 4, 1), mean = time(Operation::broadcast, 4, 20);
  CHECK(mean < alone / 3);
  // From nine calls on, each further one takes the same time, besides the launch (6.6 us), which each of them has.
  const auto all = [&](int calls) { return calls * (time(Operation::broadcast, 4, calls) - 6.6); };
  CHECK(all(1020) - all(20) == Approx(1000 * (all(21) - all(20))).epsilon(1e-9));
  CHECK(all(20) - all(9) == Approx(11 * (all(21) - all(20))).epsilon(1e-9));
  CHECK(all(9) > alone - 6.6);
  // If the first calls are unequal, the third to the ninth give the distance of all others.
  const auto total = [](int calls) {
    CollectiveRequest request{.ops = {Operation::reduce}, .platform = "dgx-a100"};
    request.nodes = 4;
    request.sizes = {32 << 20}; // many chunks: the first three calls alone would say 14 % more
    request.iterations = calls;
    return calls * table_of(request).rows.front().time_us;
  };
  const double first = (total(3) - total(1)) / 2, later = (total(9) - total(3)) / 6;
  CHECK(later < 0.9 * first);
  CHECK(total(21) - total(20) == Approx(later).epsilon(1e-9));
  // More nodes take longer to fill. An all-reduce's calls wait for each other.
  CHECK(time(Operation::reduce, 16, 20) > time(Operation::reduce, 2, 20) + 5);
  CHECK(time(Operation::all_reduce, 2, 20) == time(Operation::all_reduce, 2, 1));
}
