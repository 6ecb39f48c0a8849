// Tables simulated with known parameters: the fit must find these.
#include "analysis/evidence/network_fit/network_fit.hpp"

#include "analysis/evidence/calibration/calibration_text.hpp"
#include "analysis/evidence/network_fit/network_fit_text.hpp"
#include "analysis/evidence/network_fit/pack_network_fit.hpp"
#include "scenarios/language/json/diagnostics.hpp"
#include "tests/analysis/evidence/network_fit/made_tables.hpp"
#include "tests/support/effort.hpp"
#include "tests/support/temporary_directory.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <rapidcheck.h>

using namespace gradflight;
using namespace gradflight::test;
using Catch::Matchers::Contains;

namespace {

std::string fit_mistakes(const std::function<void()>& doing) {
  try {
    doing();
  } catch (const InputErrors& errors) {
    return errors.format();
  }
  return "none";
}

std::string text_in(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace

TEST_CASE("a network's fit finds the latency and the rate that made a table") {
  struct Machine {
    const char* name;
    int nodes, ranks;
    const char *link, *rate;
    double latency_us, rate_giga;
    /// Excludes sizes at which trees contend, because ties decide their times, which then jump. Also excludes sizes at
    /// which the latency decides which of two slices is waited for.
    std::vector<double> sizes{};
  };
  const char* const both = "platform.node.nic_total_bandwidth";
  for (const Machine& m :
       {Machine{"dgx-a100", 2, 16, "platform.node.nic", both, 6, 40, {1024, 16384, 262144, 1 << 26, 1 << 28}},
        Machine{"abci-2-v", 2, 8, "platform.node.nic", both, 2.5, 18},
        Machine{"rack-25gbe", 2, 8, "platform.node.nic", both, 17, 4.2},
        Machine{"a100-pcie-pair", 2, 2, "platform.node.nic", both, 4, 22},
        Machine{"dgx-a100", 1, 8, "platform.node.link", "platform.node.link.bandwidth", 1.3, 190},
        Machine{"alps", 1, 4, "platform.node.link", "platform.node.link.bandwidth", 1.3, 19},
        Machine{"rack-25gbe", // from 9 GB/s on, NCCL's search finds other channels than just below: times jump there
                1,
                4,
                "platform.node.pcie",
                "platform.node.pcie.bandwidth",
                1.7,
                8,
                {1024, 16384, 1 << 25, 1 << 28}}}) {
    if (test::is_sanitized && m.ranks > 4) continue; // takes a minute; the deep check includes all
    INFO(m.name << " on " << m.nodes);
    const TimedSetting setting{m.name, {}, {}, 4};
    const auto tables = made_tables(
        {fit_table(Operation::all_reduce, m.nodes, m.ranks, m.sizes), fit_table(Operation::alltoall, m.nodes, m.ranks)},
        setting, fit_truth(m.link, m.latency_us, m.rate_giga, m.rate));
    const auto fit = fit_network(tables, {0}, setting, 2);
    REQUIRE(fit.numbers.size() == 2);
    CHECK(fit.converged);
    CHECK(fit.numbers[0].value == Approx(m.latency_us * 1e-6).epsilon(1e-6));
    CHECK(fit.numbers[1].value == Approx(m.rate_giga * 1e9).epsilon(1e-6));
    CHECK(fit.summary(true).p90 < 1e-6);
    CHECK(fit.summary(false).p90 < 1e-6);
    CHECK(fit.summary(false).count == tables[1].timed.rows.size());
  }
}

TEST_CASE("a network's fit finds any latency and rate of a star, from point to point or from a collective") {
  const test::TemporaryDirectory directory;
  const TimedSetting setting{directory.write("star.json", fit_star), {}, {}, 4};
  CHECK(rc::check([&] {
    const double latency = 0.2 * std::pow(1000, *rc::gen::inRange(0, 101) / 100.), // us
        rate = 0.05 * std::pow(400, *rc::gen::inRange(0, 101) / 100.);             // GB/s
    auto table = fit_table(*rc::gen::element(Operation::all_reduce, Operation::sendrecv, Operation::broadcast), 2, 2);
    table.benchmark = *rc::gen::element(Benchmark::latency, Benchmark::collective);
    const auto tables = made_tables(
        {table}, setting, fit_truth("platform.network.link", latency, rate, "platform.network.link.bandwidth"));
    const auto fit = fit_network(tables, {0}, setting, 1);
    RC_ASSERT(std::abs(fit.numbers[0].value / (latency * 1e-6) - 1) < 1e-6);
    RC_ASSERT(std::abs(fit.numbers[1].value / (rate * 1e9) - 1) < 1e-6);
  }));
}

TEST_CASE("bandwidth tests alone tell the rate, whatever a host takes between messages, and no latency") {
  const test::TemporaryDirectory directory;
  const TimedSetting setting{directory.write("star.json", fit_star), {}, {}, 4};
  auto table = fit_table(Operation::sendrecv, 2, 2, {65536, 262144, 1 << 20, 1 << 22, 1 << 24});
  table.benchmark = Benchmark::bandwidth;
  auto tables = made_tables({table}, setting, {"platform.network.link.bandwidth=0.8GB/s"});
  for (TimedRow& row : tables[0].timed.rows) row.seconds += 3e-6;
  const auto fit = fit_network(tables, {0}, setting, 1);
  REQUIRE(fit.numbers.size() == 3);
  CHECK_FALSE(fit.numbers[0].determined);
  CHECK(fit.numbers[1].value == Approx(0.8e9).epsilon(1e-4));
  CHECK(fit.numbers[2].value == Approx(3e-6).epsilon(1e-2));
  CHECK(fit.assignments == std::vector<std::string>{"platform.network.link.bandwidth=" + fit.numbers[1].text});
  CHECK_THAT(network_fit_text(fit, setting), Contains("a log of osu_latency determines it"));
  CHECK(fit.summary(true).p90 < 1e-3);
}

TEST_CASE("a table on more nodes is fitted to, and contention is told") {
  const test::TemporaryDirectory directory;
  const TimedSetting setting{directory.write("star.json", fit_star), {}, "pairwise", 4};
  const auto tables = made_tables({fit_table(Operation::alltoall, 4, 4)}, setting,
                                  fit_truth("platform.network.link", 9, 0.8, "platform.network.link.bandwidth"));
  const auto fit = fit_network(tables, {0}, setting, 1);
  CHECK(fit.numbers[0].value == Approx(9e-6).epsilon(1e-4));
  CHECK(fit.numbers[1].value == Approx(0.8e9).epsilon(1e-4));
  CHECK_THAT(network_fit_text(fit, setting), Contains("the rate is less certain than its interval"));
}

TEST_CASE("a number that the rows do not determine stays, and is said to") {
  // The NIC is faster than the PCIe slot of its GPU.
  const TimedSetting setting{"dgx-a100", {"platform.node.pcie.bandwidth=24GB/s"}, {}, 4};
  const auto tables =
      made_tables({fit_table(Operation::all_reduce, 2, 16)}, setting, {"platform.node.nic.latency=9us"});
  const auto fit = fit_network(tables, {0}, setting, 2);
  CHECK(fit.numbers[0].value == Approx(9e-6).epsilon(1e-6));
  CHECK_FALSE(fit.numbers[1].determined);
  CHECK(fit.numbers[1].value == 50e9); // both directions together
  CHECK(fit.assignments == std::vector<std::string>{"platform.node.nic.latency=" + fit.numbers[0].text});
  CHECK_THAT(network_fit_text(fit, setting), Contains("not determined by these rows: stays"));
  // A single size, with any number of repetitions.
  const auto one = made_tables({fit_table(Operation::all_reduce, 2, 16, {4096})}, setting, {});
  CHECK_THAT(fit_mistakes([&] { fit_network(one, {0}, setting, 1); }), Contains("a single size, 4096 B"));
}

TEST_CASE("point to point is one message: a bandwidth is that of 64 at once") {
  const test::TemporaryDirectory directory;
  const TimedSetting setting{directory.write("star.json", fit_star), {}, {}, 4};
  auto latency = fit_table(Operation::sendrecv, 2, 2, {1, 1000, 1e7});
  auto bandwidth = latency;
  latency.benchmark = Benchmark::latency;
  bandwidth.benchmark = Benchmark::bandwidth;
  const auto tables = made_tables({latency, bandwidth}, setting, {});
  for (std::size_t i = 0; i < 3; ++i) {
    const double bytes = tables[0].timed.rows[i].size_bytes;
    CHECK(tables[0].timed.rows[i].seconds == Approx(1e-5 + bytes / 1.25e9).epsilon(1e-12));
    CHECK(tables[1].timed.rows[i].seconds == Approx((1e-5 + 64 * bytes / 1.25e9) / 64).epsilon(1e-12));
  }
}

TEST_CASE("the platform that is written gives the fit's times, to the bit") {
  const test::TemporaryDirectory directory;
  const TimedSetting setting{"alps", {"platform.node.nic.bandwidth=100Gbps"}, {}, 4};
  const auto tables =
      made_tables({fit_table(Operation::all_reduce, 2, 8), fit_table(Operation::all_reduce, 4, 16)}, setting,
                  fit_truth("platform.node.nic", 3.21, 22, "platform.node.nic_total_bandwidth"));
  const auto fit = fit_network(tables, {0}, setting, 2);
  const auto text = fitted_platform(fit, setting, tables);
  CHECK(text.starts_with(calibrated_opening));
  const TimedSetting written{directory.write("fitted.json", text), {}, {}, 4};
  const auto again = simulate_trials({{&tables[0], {}}, {&tables[1], {}}}, written, 2);
  for (std::size_t i = 0; i < again.size(); ++i)
    for (std::size_t row = 0; row < again[i].size(); ++row)
      CHECK(again[i][row].seconds == fit.tables[i].rows[row].seconds);
}

TEST_CASE("scripts get what was fitted and what is predicted, row by row") {
  const test::TemporaryDirectory directory;
  const TimedSetting setting{directory.write("star.json", fit_star), {}, {}, 4};
  auto tables = made_tables({fit_table(Operation::all_reduce, 2, 2), fit_table(Operation::all_gather, 4, 4, {4e6})},
                            setting, fit_truth("platform.network.link", 9, 0.8, "platform.network.link.bandwidth"));
  tables[1].timed.rows[0].seconds *= 2;
  const auto json = nlohmann::json::parse(network_fit_json(fit_network(tables, {0}, setting, 1), setting, tables));
  CHECK(json["fitted"].size() == tables[0].timed.rows.size());
  REQUIRE(json["predicted"].size() == 1);
  const auto& row = json["predicted"][0];
  CHECK(row["experiment"] == "all_gather");
  CHECK(row["rate_mbit"] == 10000);
  CHECK(row["p"] == 4);
  CHECK(row["bytes"] == 4000000);
  CHECK(row["measured_s"] == tables[1].timed.rows[0].seconds);
  CHECK(row["relative_error"].get<double>() == Approx(-0.5).epsilon(1e-6));
  CHECK(json["summary"]["predicted"]["median_abs_error"].get<double>() == Approx(0.5).epsilon(1e-6));
}

TEST_CASE("what is fitted to: point to point, sendrecv, all_reduce: two nodes before one before more") {
  const auto chosen = [](const std::vector<TimedTable>& tables, const std::string& fit_to = {}) {
    std::vector<SimulableTable> all;
    for (const auto& table : tables) all.push_back({table, {}, {}});
    return tables_to_fit(all, all.size(), fit_to);
  };
  using Places = std::vector<std::size_t>;
  const auto reduce_2 = fit_table(Operation::all_reduce, 2, 16), reduce_few = fit_table(Operation::all_reduce, 2, 4),
             reduce_1 = fit_table(Operation::all_reduce, 1, 8), reduce_4 = fit_table(Operation::all_reduce, 4, 32),
             sends = fit_table(Operation::sendrecv, 2, 16), gather = fit_table(Operation::all_gather, 2, 16);
  auto latency = fit_table(Operation::sendrecv, 2, 2), bandwidth = latency;
  latency.benchmark = Benchmark::latency;
  bandwidth.benchmark = Benchmark::bandwidth;
  CHECK(chosen({reduce_4, reduce_1, reduce_few, reduce_2}) == Places{3});
  CHECK(chosen({reduce_4, reduce_1}) == Places{1});
  CHECK(chosen({gather, reduce_2, sends}) == Places{2});
  CHECK(chosen({gather, reduce_2, sends}, "all_gather") == Places{0});
  CHECK(chosen({latency, sends, bandwidth}) == Places{0, 2});
  CHECK(chosen({gather}) == Places{0});
  CHECK(chosen({fit_table(Operation::all_reduce, 8, 64), reduce_4}) == Places{1});
  CHECK(chosen({fit_table(Operation::alltoall, 4, 16), reduce_1}) == Places{1});
  CHECK_THAT(fit_mistakes([&] { chosen({reduce_2}, "alltoall"); }), Contains("they have all_reduce"));
  auto forced = reduce_2;
  forced.protocol = "LL";
  CHECK_THAT(fit_mistakes([&] { chosen({reduce_2, forced}); }), Contains("2 tables of all_reduce among 16 ranks"));
  // Tables of --predict are not considered.
  CHECK(tables_to_fit({{reduce_1, {}, {}}, {sends, {}, {}}}, 1, {}) == Places{0});
}

TEST_CASE("logs as tables: medians of runs, columns chosen, what they leave open") {
  const test::TemporaryDirectory directory;
  const auto two = directory.write("two.csv", "collective,nodes,ranks,run,gpu,size_bytes,time_us\n"
                                              "all_reduce,2,8,a,V100,4096,10\nall_reduce,2,8,a,V100,8192,20\n"
                                              "all_reduce,2,8,b,V100,4096,14\n"
                                              "all_reduce,2,8,c,A100,4096,50\n");
  CHECK_THAT(fit_mistakes([&] {
               read_timed_tables({{two}, 0, 0, {}});
             }),
             Contains("differ in gpu (\"A100\", \"V100\"): choose one with --where"));
  const auto tables = read_timed_tables({{two}, 0, 0, {{"gpu", "V100"}}});
  REQUIRE(tables.size() == 1);
  REQUIRE(tables[0].rows.size() == 2);
  CHECK(tables[0].rows[0].seconds == Approx(12e-6));
  CHECK(tables[0].rows[0].times == 2);
  CHECK(tables[0].rows[0].rounding == Approx(0.5 / 12)); // times in whole microseconds
  CHECK(read_timed_tables({{two}, 0, 0, {{"run", "c"}}}).front().rows.size() == 1);
  const auto digits = directory.write("digits.csv", "collective,nodes,ranks,size_bytes,time_us\n"
                                                    "all_reduce,2,8,8,12.30\nall_reduce,2,8,4,12.25\n"
                                                    "all_reduce,2,8,4096,100.5\nall_reduce,2,8,8192,20000\n");
  const auto written = read_timed_tables({{digits}, 0, 0, {}});
  REQUIRE(written.front().rows.size() == 4);
  CHECK(written.front().rows[1].rounding == Approx(0.05 / 12.3)); // the last digit of times of this length
  CHECK(written.front().rows[0].rounding == Approx(0.005 / 12.25));
  CHECK(written.front().rows[3].rounding == Approx(0.5 / 20000));
  CHECK_THAT(fit_mistakes([&] {
               read_timed_tables({{two}, 0, 0, {{"gpu", "H100"}}});
             }),
             Contains("no table has this value. Allowed: \"A100\", \"V100\""));
  CHECK_THAT(fit_mistakes([&] {
               read_timed_tables({{two}, 0, 0, {{"gpus", "V100"}}});
             }),
             Contains("the column does not exist"));
  CHECK_THAT(fit_mistakes([&] { read_timed_tables({{two, two}, 0, 0, {{"gpu", "V100"}}}); }), Contains("given twice"));
  const auto open = directory.write("open.csv", "collective,ranks,size_bytes,time_us\nall_reduce,8,4096,10\n");
  CHECK_THAT(fit_mistakes([&] { read_timed_tables({{open}, 0, 0, {}}); }), Contains("number of nodes: set --nodes"));
  CHECK(read_timed_tables({{open}, 0, 4, {}}).front().nodes == 4);
  CHECK_THAT(fit_mistakes([&] { read_timed_tables({{open}, 0, 3, {}}); }), Contains("8 ranks on 3 nodes"));
  const auto types = directory.write("types.csv", "collective,nodes,ranks,type,size_bytes,time_us\n"
                                                  "all_reduce,2,8,half,4096,10\nall_reduce,2,8,float,4096,20\n");
  const auto of_type = [&](const char* type) {
    TimedLogs logs{{types}};
    logs.type = type;
    return read_timed_tables(logs);
  };
  CHECK(of_type("fp16").front().rows.front().seconds == Approx(10e-6));
  CHECK(of_type("float").front().rows.front().seconds == Approx(20e-6));
  CHECK_THAT(fit_mistakes([&] { of_type("bf16"); }), Contains("--type bf16: the log has elements of half"));
  const auto osu = directory.write("osu.txt", "# OSU MPI Bandwidth Test v5.7\n# Size      Bandwidth (MB/s)\n"
                                              "8 5.0\n1024 600.0\n65536 9000.0\n131072 9500.0\n");
  const auto streamed = read_timed_tables({{osu}, 0, 0, {}});
  REQUIRE(streamed.size() == 1);
  CHECK(streamed[0].rows.size() == 2); // smaller sizes depend on how fast a host posts messages
  CHECK(streamed[0].nodes == 2);
}

TEST_CASE("tables that a platform cannot have are told, all of them") {
  const TimedSetting setting{"dgx-a100", {}, {}, 4};
  auto pairs = fit_table(Operation::sendrecv, 2, 8);
  pairs.benchmark = Benchmark::latency;
  const auto wrong = fit_mistakes([&] { simulable_tables({fit_table(Operation::all_reduce, 2, 32), pairs}, setting); });
  CHECK_THAT(wrong, Contains("made.log:1:1: all_reduce among 32 ranks on 2 nodes: 16 GPUs per node are requested"));
  CHECK_THAT(wrong, Contains("4 pairs at once are not simulated"));
  CHECK_THAT(fit_mistakes([&] {
               simulable_tables({fit_table(Operation::alltoall, 2, 16, {4, 8})}, setting);
             }),
             Contains("no size leaves an element for each rank"));
  CHECK(simulable_tables({fit_table(Operation::alltoall, 2, 16, {4, 64, 128})}, setting).front().timed.rows.size() ==
        2);
}

TEST_CASE("a pack of measured tables is renewed where its block stands, and nowhere else") {
  const test::TemporaryDirectory directory;
  directory.write("star.json", fit_star);
  const TimedSetting setting{directory.path("star.json"), {}, "ring", 4};
  const auto made = made_tables({fit_table(Operation::all_reduce, 2, 2)}, setting,
                                fit_truth("platform.network.link", 9, 0.8, "platform.network.link.bandwidth"));
  std::string csv = "collective,nodes,ranks,size_bytes,time_us\n";
  for (const auto& row : made[0].timed.rows)
    csv += fmt::format("all_reduce,2,2,{},{}\n", row.size_bytes, row.seconds * 1e6);
  directory.write("log.csv", csv + "all_reduce,4,4,4096,100\n");
  const std::string head = R"({ "kind": "measured", "name": "toy", "source": "s", "licence": "l", "library": "ring",
  "machine": "star.json",   "tables": [)";
  const std::string tail = R"({ "file": "log.csv", "where": { "nodes": 4 } }],
  "fitted": { "to": "", "set": { "platform.message_overhead": "1us", "platform.network.link.latency": "1us" } }
}
)";
  const auto pack_with = [&](const std::string& where) {
    const auto entry = fmt::format(R"({{ "file": "log.csv", "where": {{ {} }}, "role": "fitted" }}, )", where);
    return directory.write("toy.json", head + entry + (where.empty() ? tail.substr(tail.find(']')) : tail));
  };
  const auto pack = load_pack_fit(pack_with(R"("nodes": 2)"));
  CHECK(pack.setting.sets.empty()); // earlier fits are not included
  const auto fit = fit_network(pack.tables, pack.fitted, pack.setting, 1);
  CHECK(fit.numbers[0].value == Approx(9e-6).epsilon(1e-6));
  const auto before = text_in(directory.path("toy.json"));
  const auto after = with_network_fit(before, fit);
  const auto block = [](const std::string& text) { return text.find("\"fitted\": {"); };
  CHECK(after.substr(0, block(after)) == before.substr(0, block(before)));
  CHECK_THAT(after, Contains("\"platform.network.link.latency\": \"9us\"") &&
                        Contains("\"platform.network.link.bandwidth\": \"0.8GB/s\"") &&
                        Contains("\"to\": \"all_reduce among 2 ranks on 2 nodes"));
  CHECK_THAT(after, !Contains("message_overhead"));
  directory.write("toy.json", after);
  CHECK(with_network_fit(after, fit) == after);
  CHECK_NOTHROW(load_pack_fit(directory.path("toy.json")));
  directory.write("log.csv", csv + "all_reduce,4,4,4096,100\nall_gather,2,2,4096,100\n");
  const auto both = pack_with(R"("nodes": 2)");
  CHECK_THAT(fit_mistakes([&] { load_pack_fit(both); }),
             Contains("exactly one table must have the role \"fitted\", but 2 have"));
}
