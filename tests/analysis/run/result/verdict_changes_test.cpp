// The bounds in the verdict if links change while messages share them: cases derived by hand.
#include "sim/simulate.hpp"
#include "tests/analysis/run/result/verdict_cases.hpp"
#include "tests/support/random_scenario.hpp"

#include <algorithm>
#include <numeric>

using namespace gradflight;
using namespace gradflight::verdict_cases;

namespace {

std::string tensor_of(const char* bytes) {
  return fmt::format(R"({{ "tensors": [{{ "name": "g", "bytes": "{}" }}] }})", bytes);
}

std::string changed(const std::string& changes) { return R"(, "changes": [)" + changes + "]"; }

double cost_of_links(const RunResult& result) {
  return std::accumulate(result.delays.begin(), result.delays.end(), 0.0,
                         [](double sum, const LinkDelay& delay) { return sum + delay.seconds; });
}

} // namespace

TEST_CASE("a NIC that slows down while messages share it is still the NIC") {
  // Each node sends three blocks of 100 MB at the same time, twice: 300 ms, and then 200 MB until 500 ms. The last 100
  // MB of node 0 take 200 ms. Its cable is full from the first message on, and the last one takes 100 ms alone.
  const Outcome o = evaluated(star_of(4), R"({ "algorithm": "direct" })",
                              changed(R"({ "at": "0.5s", "nic": "node0", "bandwidth": "4Gbps" })"), tensor_of("400MB"));
  CHECK(o.result.iteration_time == Approx(0.7).epsilon(1e-12));
  CHECK(at(o.result.iteration_path, Part::beta) == Approx(0.1).epsilon(1e-9));
  CHECK(at(o.result.iteration_path, Part::contention) == Approx(0.6).epsilon(1e-9));
  CHECK(cost_of_links(o.result) == Approx(0.6).epsilon(1e-9));
  CHECK(share(o, Bounding::nic) == Approx(1).epsilon(1e-9));
  CHECK(sentence(o) == "The NICs bound the step: 100.0 % of 700 ms.");
  // Node 0's cable is now different from all others; the cables of the three other nodes are alike.
  REQUIRE(!o.bottlenecks.empty());
  for (const Bottleneck& links : o.bottlenecks) {
    INFO(links.link);
    CHECK(links.alike == (links.link.starts_with("node0.") ? 0 : 2));
  }
}

TEST_CASE("an uplink that slows down under messages holds them up for all that they lose") {
  // 1 GB twice within racks of four: 2 s. Then four messages share an uplink: 8 Gbps until 2.5 s, with 125 MB of each
  // message, and 2 Gbps for the rest: 14 s. All of it is held up by the uplink.
  const Outcome o =
      evaluated(std::string(R"({ "nodes": 8, "network": { "topology": "racks", "link": { "bandwidth":
    "8Gbps" }, "racks": { "nodes_per_rack": 4, "oversubscription": 4 } } })"),
                doubling, changed(R"({ "at": "2.5s", "link": "rack0.up", "bandwidth": "2Gbps" })"), tensor_of("1GB"));
  CHECK(o.result.iteration_time == Approx(16.5).epsilon(1e-12));
  CHECK(at(o.result.iteration_path, Part::contention) == Approx(12).epsilon(1e-9));
  CHECK(cost_of_links(o.result) == Approx(12).epsilon(1e-9));
  CHECK(share(o, Bounding::nic) == Approx(2 / 16.5).epsilon(1e-9));
  CHECK(share(o, Bounding::uplink) == Approx(14.5 / 16.5).epsilon(1e-9));
}

TEST_CASE("a shared link that changes holds messages up while it leaves them less than their NICs") {
  // 1 GB twice within racks of four: 2 s. Then four messages share an uplink: 12 Gbps until 3 s, with 375 MB of each
  // message, and 64 Gbps for the rest, which NICs then carry in 625 ms.
  const Outcome o = evaluated(std::string(R"({ "nodes": 8, "network": { "topology": "racks", "link": { "bandwidth":
    "8Gbps" }, "racks": { "nodes_per_rack": 4, "uplink": { "bandwidth": "12Gbps" } } } })"),
                              doubling, changed(R"({ "at": "3s", "link": "rack0.up", "bandwidth": "64Gbps" },
                           { "at": "3s", "link": "rack0.down", "bandwidth": "64Gbps" },
                           { "at": "3s", "link": "rack1.up", "bandwidth": "64Gbps" },
                           { "at": "3s", "link": "rack1.down", "bandwidth": "64Gbps" })"),
                              tensor_of("1GB"));
  CHECK(o.result.iteration_time == Approx(3.625).epsilon(1e-12));
  CHECK(share(o, Bounding::nic) == Approx(2.625 / 3.625).epsilon(1e-9));
  CHECK(share(o, Bounding::uplink) == Approx(1 / 3.625).epsilon(1e-9));
}

TEST_CASE("other traffic costs what a message takes beyond its time alone on links that change") {
  const auto beside = [](const std::string& changes) {
    return evaluated(star_of(2), doubling, R"(, "traffic": [{ "from": 0, "to": 1 }])" + changed(changes),
                     tensor_of("1GB"));
  };
  // Half of 1 GB/s until 0.5 s, then half of 0.5 GB/s: 3.5 s. Alone 0.5 s and 1 s.
  const Outcome slower = beside(R"({ "at": "0.5s", "nic": "node1", "bandwidth": "4Gbps" })");
  CHECK(slower.result.iteration_time == Approx(3.5).epsilon(1e-12));
  CHECK(share(slower, Bounding::traffic) == Approx(2.0 / 3.5).epsilon(1e-9));
  CHECK(share(slower, Bounding::nic) == Approx(1.5 / 3.5).epsilon(1e-9));
  // Half of 1 GB/s until 1 s, then half of 10 GB/s: 1.1 s. Alone it ends at 1 s.
  const Outcome faster = beside(R"({ "at": "1s", "nodes": "0-1", "bandwidth": "80Gbps" })");
  CHECK(faster.result.iteration_time == Approx(1.1).epsilon(1e-12));
  CHECK(share(faster, Bounding::traffic) == Approx(0.1 / 1.1).epsilon(1e-9));
  CHECK(share(faster, Bounding::nic) == Approx(1 / 1.1).epsilon(1e-9));
}

TEST_CASE("links hold up all bytes and all sharing, however links change") {
  int shared = 0;
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    INFO(seed);
    Scenario s = test::random_scenario(seed);
    const Platform platform = build_platform(s.platform, extra_nodes(s));
    const auto& links = platform.links();
    if (links.empty()) continue;
    const double span = evaluate(Prepared(s)).result.time;
    test::Dice dice(seed + 1);
    for (int i = 1; i < 5; ++i) {
      const DirectedLink& link = links[static_cast<std::size_t>(dice.in(0, static_cast<int>(links.size()) - 1))];
      if (std::ranges::any_of(s.changes, [&](const ChangeSpec& change) { return change.link == link.name; })) continue;
      ChangeSpec change;
      change.at = Seconds(span * i / 6);
      change.link = link.name;
      change.bandwidth = ByteRate(link.bandwidth * dice.real(0.1, 4));
      s.changes.push_back(std::move(change));
    }
    const Outcome o = evaluate(Prepared(s));
    const RunResult& r = o.result;
    for (const Bound& b : bound_by(o.scenario, r)) CHECK((b.what != Bounding::protocol && b.what != Bounding::sharing));
    const double held = std::accumulate(r.iteration_held.begin(), r.iteration_held.end(), 0.0);
    const double contention = at(r.iteration_path, Part::contention);
    CHECK(held == Approx(at(r.iteration_path, Part::beta) + contention).epsilon(1e-6).margin(1e-9));
    shared += contention > 0 ? 1 : 0;
  }
  CHECK(shared > 20);
}

TEST_CASE("changes of links leave the verdict on a full link as it is, and are parts of it if they are its own") {
  // Three pushes of 20 MB fill the server's link from 30 ms on. Node 1 pushes from 60 ms on, when 30 of 60 MB are
  // through, so the link is full until 110 ms. Then the server sends 80 MB.
  const auto with = [](const std::string& changes) {
    return evaluated(star_of(4, R"(, "overrides": [{ "nodes": 1, "compute_speed": 0.5 }])"),
                     R"({ "algorithm": "parameter_server" })", changes, R"({ "layers": [{ "name": "l",
        "forward": "10ms", "backward": "20ms", "tensors": [{ "name": "g", "bytes": "20MB" }] }] })");
  };
  const std::string unchanged = "The server bounds the step: 84.2 % of 190 ms; then compute 15.8 %.";
  CHECK(sentence(with("")) == unchanged);
  for (const char* at : {"1ms", "40ms", "70ms", "100ms", "1000s"})
    for (const char* link : {"node1.up", "node3.up", "node4.down"}) {
      const std::string change = fmt::format(R"({{ "at": "{}", "link": "{}", "bandwidth": "8Gbps" }})", at, link);
      INFO(change);
      CHECK(sentence(with(changed(change))) == unchanged);
    }
  const Outcome half = with(changed(R"({ "at": "50ms", "link": "node4.down", "bandwidth": "4Gbps" },
      { "at": "70ms", "link": "node4.down", "bandwidth": "8Gbps" })"));
  CHECK(half.result.time == Approx(0.2).epsilon(1e-12));
  CHECK(share(half, Bounding::server) == Approx(0.85).epsilon(1e-9));
  CHECK(share(half, Bounding::compute) == Approx(0.15).epsilon(1e-9));
  const Outcome down = with(changed(R"({ "at": "50ms", "link": "node4.down", "state": "down" },
      { "at": "60ms", "link": "node4.down", "state": "up" })"));
  CHECK(down.result.time == Approx(0.2).epsilon(1e-12));
  CHECK(share(down, Bounding::server) == Approx(0.8).epsilon(1e-9));
  CHECK(share(down, Bounding::outage) == Approx(0.05).epsilon(1e-9));
  CHECK(share(down, Bounding::compute) == Approx(0.15).epsilon(1e-9));
}

TEST_CASE("the form of a job counts changes on the clock of the run") {
  // Job a runs from 0 to 200 ms on nodes 0 and 2, job b from 300 ms on for 200 ms on nodes 1 and 3.
  const auto answers = [](const std::string& changes) {
    const std::string job =
        R"("workload": { "layers": [{ "backward": "10ms", "tensors": [{ "name": "g", "bytes": "40MB" }] }] },
      "training": { "exchange": { "algorithm": "ring" }, "iterations": 4 })";
    const Outcome o = evaluate(prepare_changed(ScenarioSource{"case.json", fmt::format(R"({{ "platform": {}, "jobs": [
          {{ "name": "a", "ranks": [0, 2], {} }}, {{ "name": "b", "ranks": [1, 3], "start": "300ms", {} }}],
          "changes": [{}] }})",
                                                                                       star_of(4), job, job, changes)},
                                               {}));
    std::vector<bool> hold;
    for (const Outcome& one : o.jobs)
      for (const Assumption& assumption : one.form.form.value().assumptions)
        if (assumption.id == AssumptionId::no_changes) hold.push_back(assumption.holds);
    return hold;
  };
  const auto slow = [](const char* from, const char* until) {
    return fmt::format(R"({{ "at": "{}", "link": "node1.up", "bandwidth": "4Gbps" }},
                           {{ "at": "{}", "link": "node1.up", "bandwidth": "8Gbps" }})",
                       from, until);
  };
  CHECK(answers(slow("350ms", "370ms")) == std::vector{true, false});  // while b runs
  CHECK(answers(slow("100ms", "130ms")) == std::vector{false, true});  // while a runs, over before b starts
  CHECK(answers(slow("100ms", "400ms")) == std::vector{false, false}); // in force when b starts
  CHECK(answers(slow("600ms", "700ms")) == std::vector{true, true});   // after both
  // To the value that the link has anyway:
  const char* same = R"({ "at": "100ms", "link": "node1.up", "bandwidth": "8Gbps" },
                        { "at": "350ms", "link": "node1.up", "bandwidth": "8Gbps" })";
  CHECK(answers(same) == std::vector{true, true});
  // The same value, after the link was slow before the job began:
  const char* back = R"({ "at": "250ms", "link": "node1.up", "bandwidth": "4Gbps" },
                        { "at": "350ms", "link": "node1.up", "bandwidth": "8Gbps" })";
  CHECK(answers(back) == std::vector{true, false});
}

TEST_CASE("jobs share links only while both run, and a flow is named at each link that holds up with it") {
  // Two jobs across two racks, one after the other. A flow takes half of node0.up and of rack0.up for 40 ms.
  const auto outcome = [](const char* start_of_b, const std::string& more_traffic) {
    const std::string job =
        R"("workload": { "layers": [{ "backward": "10ms", "tensors": [{ "name": "g", "bytes": "40MB" }] }] },
      "training": { "exchange": { "algorithm": "ring" }, "iterations": 4 })";
    const std::string platform = R"({ "nodes": 4, "network": { "topology": "racks", "link": { "bandwidth": "8Gbps" },
      "racks": { "nodes_per_rack": 2, "uplink": { "bandwidth": "8Gbps" } } } })";
    return evaluate(
        prepare_changed(ScenarioSource{"case.json", fmt::format(R"({{ "platform": {}, "jobs": [
          {{ "name": "a", "ranks": [0, 2], {} }}, {{ "name": "b", "ranks": [1, 3], "start": "{}", {} }}],
          "traffic": [{}{{ "name": "bulk", "from": 0, "to": 2, "start": "20ms", "stop": "60ms" }}] }})",
                                                                platform, job, start_of_b, job, more_traffic)},
                        {}));
  };
  const auto holds = [](const Outcome& job, AssumptionId id) {
    const std::vector<Assumption>& all = job.form.form.value().assumptions;
    return std::ranges::find(all, id, &Assumption::id)->holds;
  };
  const auto owns_links = [&](const Outcome& job) { return holds(job, AssumptionId::links_own); };
  const Outcome apart = outcome("300ms", "");
  CHECK_FALSE(holds(apart.jobs[0], AssumptionId::no_traffic));
  CHECK(holds(apart.jobs[1], AssumptionId::no_traffic)); // it starts when the flow is over
  CHECK(text_of(apart.jobs[0].bottlenecks) == "node0.up (with traffic bulk) 20 ms, rack0.up (with traffic bulk) 20 ms");
  CHECK(owns_links(apart.jobs[0]));
  CHECK(owns_links(apart.jobs[1]));
  const std::string ping = R"({ "name": "ping", "from": 0, "to": 2, "rate": "1kB/s" }, )";
  CHECK(text_of(outcome("300ms", ping).jobs[0].bottlenecks).find("ping") == std::string::npos); // it costs nothing
  const Outcome together = outcome("100ms", "");
  CHECK_FALSE(owns_links(together.jobs[0]));
  CHECK_FALSE(owns_links(together.jobs[1]));
}

TEST_CASE("a worker that ends at once does not hide the others' pace") {
  // Worker 0 is on the server's node and computes for a nanosecond.
  const Outcome o = evaluated(
      star_of(4),
      std::string(R"({ "algorithm": "parameter_server", "colocated": true, "consistency": "asynchronous" })"), "",
      std::string(R"({ "layers": [{ "backward": "1ns", "tensors": [{ "name": "g", "bytes": "80MB" }] }] })"));
  CHECK(o.result.worker_steps.value().settled == Approx(o.result.time).epsilon(1e-12)); // four iterations of four
}

TEST_CASE("few steps of workers that do not wait have one while all of them have work, too") {
  // Workers that are alike end one after the other, and the last step is short.
  const int iterations = GENERATE(3, 4);
  const Outcome o = evaluated(
      star_of(4),
      fmt::format(R"({{ "algorithm": "parameter_server", "consistency": "asynchronous" }}, "iterations": {})",
                  iterations),
      "",
      std::string(
          R"({ "layers": [{ "forward": "10ms", "backward": "20ms", "tensors": [{ "name": "g", "bytes": "40MB" }] }],
                       "update": "4ms" })"));
  CHECK(o.result.iteration_time >= o.result.worker_steps.value().settled); // of the slowest worker, and the mean of all
}

TEST_CASE("the step of workers that do not wait is one while all of them have work") {
  // Node 3 computes at half the speed, so the others end first. Then it has the server for itself: 60 ms of passes, 4
  // ms of an update, 40 ms each way.
  const Outcome o = evaluated(
      star_of(4, R"(, "overrides": [{ "nodes": 3, "compute_speed": 0.5 }])"),
      std::string(R"({ "algorithm": "parameter_server", "consistency": "asynchronous" }, "iterations": 20)"), "",
      std::string(
          R"({ "layers": [{ "forward": "10ms", "backward": "20ms", "tensors": [{ "name": "g", "bytes": "40MB" }] }],
                       "update": "4ms" })"));
  const RunResult& run = o.result;
  const auto& steps = run.iterations;
  REQUIRE(run.drained_iterations > 0);
  const std::size_t busy = steps.size() - static_cast<std::size_t>(run.drained_iterations), half = busy - busy / 2;
  CHECK(run.iteration_time ==
        Approx((steps[busy - 1].end - steps[half - 1].end) / static_cast<double>(busy - half)).epsilon(1e-12));
  CHECK(run.iteration_time >= run.worker_steps.value().settled); // of the slowest worker, and the mean of all
  double parts = 0;
  for (const double part : run.iteration_path) parts += part;
  CHECK(parts == Approx(run.iteration_time).epsilon(1e-12));
  CHECK(steps.back().end - steps[steps.size() - 2].end == Approx(0.144).epsilon(1e-9));
}
