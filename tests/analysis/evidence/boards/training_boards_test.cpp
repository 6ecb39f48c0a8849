#include "analysis/evidence/boards/board_packs.hpp"
#include "analysis/evidence/boards/board_runs.hpp"
#include "analysis/evidence/boards/boards.hpp"
#include "analysis/evidence/boards/boards_output.hpp"
#include "analysis/evidence/boards/leave_one_out.hpp"
#include "base/csv.hpp"
#include "base/input_file.hpp"
#include "models/random/jitter.hpp"
#include "scenarios/language/json/diagnostics.hpp"
#include "source_dir.hpp"
#include "tests/support/temporary_directory.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

using namespace gradflight;

namespace {

const std::string modern_measured = GF_SOURCE_DIR "/analysis/measurements/modern/";

/// Rings of 4 MB at 10 us, 10 Gb/s and 10 GB/s of sums, after all computation: 3420 us among 2, 5160 among 4, 6090
/// among 8.
constexpr const char* toy_job = R"({ "platform": { "nodes": 2,
    "network": { "topology": "star", "link": { "bandwidth": "10Gbps", "latency": "5us" } },
    "reduce_bandwidth": "10GB/s" },
  "workload": { "layers": [{ "forward": "1ms", "backward": "2ms", "tensors": [{ "bytes": "4MB" }] }], "update": "1ms",
    "batch": 32 },
  "training": { "exchange": { "algorithm": "ring" }, "iterations": 3 } })";

constexpr const char* toy_rows = "job,gpus,speed,step\n"
                                 "a,2,640,0.1\n"
                                 "a,4,1300,0.1\n"
                                 "a,4,1200,0.1\n"
                                 "a,8,2500,0.1\n"
                                 "b,2,6400,0.01\n"
                                 "b,8,20000,0.0128\n";

class TrainingToy {
public:
  explicit TrainingToy(const std::string& entries, const std::string& rows = toy_rows,
                       const std::string& job = toy_job) {
    directory_.write("job.json", job);
    directory_.write("toy.csv", rows);
    directory_.write("packs/toy.json", fmt::format(R"({{ "kind": "measured", "name": "toy", "source": "s",
"licence": "l", "training": [{}] }})",
                                                   entries));
  }
  [[nodiscard]] std::vector<BoardPack> simulated() const {
    auto packs = load_boards(directory_.path("packs"), {});
    simulate_boards(packs, 1);
    return packs;
  }
  [[nodiscard]] std::string mistakes() const {
    try {
      const auto packs = simulated();
      return packs.empty() ? "nothing" : "none";
    } catch (const InputErrors& errors) {
      return errors.format();
    }
  }

private:
  test::TemporaryDirectory directory_;
};

std::string training_entry(const std::string& more, const std::string& column = "speed",
                           const std::string& scheme = "ddp") {
  return fmt::format(R"({{ "file": "../toy.csv", {} "column": "{}", "scheme": "{}", "scenario": "../job.json" {} }})",
                     more.find("\"jobs\"") == std::string::npos ? R"("jobs": ["job"],)" : "", column, scheme, more);
}

} // namespace

TEST_CASE("a job's compute time is fitted to its smallest scale, and its larger ones are predicted") {
  const auto packs = TrainingToy(training_entry("")).simulated();
  const BoardPack& toy = packs.at(0);
  CHECK(toy.rows(MeasuredRole::scored) == 4);
  CHECK(toy.rows(MeasuredRole::fitted) == 2); // the smallest scales
  CHECK(toy.rows(MeasuredRole::noted) == 0);
  CHECK(toy.counted());
  REQUIRE(toy.tables.size() == 2);
  const BoardTable& a = toy.tables[0];
  CHECK(a.base_ranks == 2);
  CHECK(a.base_step == Approx(0.1).epsilon(1e-9));
  CHECK(a.compute == Approx(0.1 - 3420e-6).epsilon(1e-9));
  REQUIRE(a.cases.size() == 2);
  CHECK(a.cases[0].measured == Approx(1250. / 640).epsilon(1e-12)); // the median
  CHECK(*a.cases[0].noise == Approx(0.04).epsilon(1e-9));
  CHECK(a.cases[1].measured == Approx(2500. / 640).epsilon(1e-12));
  CHECK(*a.cases[1].simulated == Approx(4 * 0.1 / (0.1 + 2670e-6)).epsilon(1e-8));
  CHECK(*a.cases[0].simulated == Approx(2 * 0.1 / (0.1 + 1740e-6)).epsilon(1e-8));
  CHECK(*a.cases[1].error(Yardstick::perfect_scaling) == Approx(4 / (2500. / 640) - 1).epsilon(1e-12));
  CHECK(*toy.tables[1].cases[0].simulated == Approx(4 * 0.01 / (0.01 + 2670e-6)).epsilon(1e-8));

  const auto boards = boards_of(packs);
  REQUIRE(boards.size() == 1);
  CHECK(std::string(boards[0].kind.name) == "training");
  CHECK(boards[0].all.errors.count == 3);
  REQUIRE(boards[0].all.against.size() == 1);
  CHECK(boards[0].all.against[0].errors.count == 3);
  REQUIRE(boards[0].operations.size() == 1);
  CHECK(boards[0].operations[0].name == "DDP");
  CHECK_THAT(boards_text({packs}), Catch::Contains("DDP, a: 100 ms on 2 GPUs, 96.58 ms of it compute"));
  CHECK(boards_json({packs})["training"][1]["scales"].size() == 1);
  CHECK_THAT(boards_page({packs}), Catch::Contains("DDP, a"));
}

TEST_CASE("a job left out varies as other packs' jobs do") {
  const TrainingToy toy(training_entry(""));
  MeasuredBoards boards = simulate_measured(toy.simulated(), {}, 1);
  REQUIRE(boards.left_out.size() == 1);
  CHECK_FALSE(is_left_out(boards.left_out[0])); // no other pack has a spread
  simulate_spreads(boards, {{"toy", 0.5}, {"one", 0.02}, {"two", 0.06}}, 1);
  const BoardPack& left = boards.left_out[0];
  CHECK(left.spread->value == Approx(0.04).epsilon(1e-12)); // of the others
  CHECK(left.spread->from == std::vector<std::string>{"one", "two"});

  // Every worker waits in the ring for the slowest, and the ring comes after all computation.
  const Jitter jitter{Jitter::Distribution::exponential, left.spread->value, 0};
  const auto slowest = [&](int workers) { // mean over the steps
    double sum = 0;
    for (int step = 0; step < 200; ++step) {
      double latest = 0;
      for (int rank = 0; rank < workers; ++rank) latest = std::max(latest, jitter_factor(jitter, 0, rank, step));
      sum += latest;
    }
    return sum / 200;
  };
  const double base = 0.1, passes = 3, update = 1; // parts of the compute time
  const double unit = (base - 3420e-6) / (passes * slowest(2) + update);
  const auto step = [&](int workers, double ring) { return unit * (passes * slowest(workers) + update) + ring; };
  const BoardTable& a = left.tables[0];
  CHECK(*a.cases[0].simulated == Approx(2 * base / step(4, 5160e-6)).epsilon(1e-8));
  CHECK(*a.cases[1].simulated == Approx(4 * base / step(8, 6090e-6)).epsilon(1e-8));
  CHECK(*boards.in_place[0].tables[0].cases[1].simulated == Approx(4 * 0.1 / (0.1 + 2670e-6)).epsilon(1e-8));

  CHECK_THAT(boards_text(boards), Catch::Contains("left out: compute times vary by 4.0 %, typical of training jobs "
                                                  "(from one, two)"));
  const auto json = boards_json(boards);
  CHECK(json["packs"][0]["leave_one_out"]["compute_spread"]["value"] == left.spread->value);
  CHECK(json["training"][0]["scales"][1]["leave_one_out"]["simulated"] == *a.cases[1].simulated);
  CHECK(json["boards"][0]["leave_one_out"]["count"] == 3);
}

TEST_CASE("the spread of a job's compute times is what its steps take longer than those of equal workers") {
  BoardPack pack;
  pack.pack.name = Node::of(std::string("toy"));
  BoardTable table;
  table.kind = CaseKind::training;
  table.base_ranks = 2;
  table.base_step = 1;
  table.compute = 0.8;
  // 4 GPUs take 1.25 s a step, equal workers 1.15 s; the slowest of 4 is later than that of 2 by cv (1/3 + 1/4).
  table.cases.emplace_back().ranks = 4;
  table.cases[0].measured = 2 / 1.25;
  table.cases[0].simulated = 2 / 1.15;
  pack.tables = {table};
  const auto cv_of = [&](const BoardPack& one) { return compute_spreads({one}).at(0).cv; };
  CHECK(cv_of(pack) == Approx(0.1 / (0.8 * 7 / 12)).epsilon(1e-12));
  SECTION("a median over the scales of all jobs") {
    pack.tables.push_back(table);
    pack.tables[1].cases.push_back(table.cases[0]);
    pack.tables[1].cases[0].measured = 2 / 1.2;
    pack.tables[1].cases[1].measured = 2 / 1.15;
    CHECK(cv_of(pack) == Approx(0.05 / (0.8 * 7 / 12)).epsilon(1e-12));
  }
  SECTION("steps faster than those of equal workers have none") {
    pack.tables[0].cases[0].measured = 2 / 1.1;
    CHECK(cv_of(pack) == 0);
  }
  SECTION("sharded jobs give none") {
    pack.tables[0].kind = CaseKind::sharded;
    CHECK(compute_spreads({pack}).empty());
  }
  CHECK_FALSE(typical_spread("toy", {{"toy", 0.1}}));
}

TEST_CASE("what was measured may be throughput of one GPU, steps, or whole jobs") {
  const auto simulated = [](const std::string& entry) {
    const auto packs = TrainingToy(entry, "gpus,one,step,job\n2,320,0.1,50\n8,312.5,0.1024,12.8\n").simulated();
    const BoardTable& table = packs.at(0).tables.at(0);
    CHECK(table.base_step == Approx(0.1).epsilon(1e-9));
    CHECK(table.cases.at(0).measured == Approx(2500. / 640).epsilon(1e-9));
    return *table.cases.at(0).simulated;
  };
  const double expected = 4 * 0.1 / (0.1 + 2670e-6);
  CHECK(simulated(training_entry(R"(, "jobs": [], "measure": "throughput_per_gpu")", "one")) ==
        Approx(expected).epsilon(1e-8));
  CHECK(simulated(training_entry(R"(, "jobs": [], "measure": "step_time")", "step")) == Approx(expected).epsilon(1e-8));
  CHECK(simulated(training_entry(R"(, "jobs": [], "measure": "job_time", "samples": 32000)", "job")) ==
        Approx(expected).epsilon(1e-8));
}

TEST_CASE("jobs beside each other share their nodes' links, and their times are scored") {
  const std::string entry =
      training_entry(R"(, "jobs": [], "beside": "jobs", "measure": "step_time_us")", "us", "all_reduce");
  const auto packs = TrainingToy(entry, "gpus,jobs,us\n2,1,100000\n2,2,104000\n4,2,105000\n").simulated();
  const BoardPack& toy = packs.at(0);
  CHECK(toy.rows(MeasuredRole::scored) == 2);
  CHECK(toy.rows(MeasuredRole::fitted) == 1);
  const BoardTable& table = toy.tables.at(0);
  CHECK(table.compute == Approx(0.1 - 3420e-6).epsilon(1e-9));
  REQUIRE(table.cases.size() == 2);
  CHECK(table.cases[0].jobs == 2);
  CHECK(table.cases[0].measured == Approx(0.104).epsilon(1e-12));
  CHECK(*table.cases[0].simulated == Approx(0.1 + 3200e-6).epsilon(1e-8)); // the same number of bytes again
  CHECK(*table.cases[1].simulated == Approx(0.1 - 3420e-6 + 9960e-6).epsilon(1e-8));
  CHECK(*table.cases[1].error(Yardstick::line_ring) == Approx(9600e-6 / 0.105 - 1).epsilon(1e-9));
  const auto boards = boards_of(packs);
  REQUIRE(boards.size() == 1);
  CHECK(std::string(boards[0].kind.name) == "contention");
  CHECK_THAT(boards_text({packs}), Catch::Contains("2 at once on  4 nodes: measured    105 ms"));
  CHECK(boards_json({packs})["training"][0]["scales"][1]["jobs"] == 2);
  CHECK_THAT(boards_page({packs}), Catch::Contains("jobs at once"));
}

TEST_CASE("what is wrong with jobs beside each other is told") {
  const auto told = [](const std::string& more, const std::string& rows) {
    return TrainingToy(training_entry(R"(, "jobs": [], "beside": "jobs")" + more, "us", "all_reduce"), rows).mistakes();
  };
  CHECK_THAT(told("", "gpus,jobs,us\n2,1,1\n2,2,1\n"), Catch::Contains("need measure \"step_time\""));
  CHECK_THAT(told(R"(, "measure": "step_time_us")", "gpus,jobs,us\n2,1,100000\n2,1.5,100000\n"),
             Catch::Contains("\"1.5\" in column jobs should be a number of jobs"));
  CHECK_THAT(told(R"(, "measure": "step_time_us")", "gpus,job,us\n2,1,100000\n2,2,100000\n"),
             Catch::Contains("no column \"jobs\"; did you mean \"job\"?"));
  CHECK_THAT(told(R"(, "measure": "step_time_us", "set": { "platform.gpus_per_node": 2 })",
                  "gpus,jobs,us\n2,1,100000\n2,2,100000\n"),
             Catch::Contains("one GPU per node"));
}

TEST_CASE("of sharded training the loss of efficiency is scored") {
  const auto packs = TrainingToy(training_entry(R"(, "where": { "job": "a" })", "speed", "fsdp")).simulated();
  const BoardTable& a = packs.at(0).tables.at(0);
  REQUIRE(a.cases.size() == 2);
  CHECK(a.cases[1].measured == Approx(1 - 2500. / 2560).epsilon(1e-9));
  CHECK(*a.cases[1].simulated == Approx(2670e-6 / (0.1 + 2670e-6)).epsilon(1e-6));
  CHECK(*a.cases[1].error(Yardstick::perfect_scaling) == -1); // predicts no loss
  const auto boards = boards_of(packs);
  REQUIRE(boards.size() == 1);
  CHECK(std::string(boards[0].kind.name) == "sharded");
  CHECK(boards[0].all.errors.count == 2);
}

TEST_CASE("machines of which a job takes some GPUs keep the cables between these") {
  const std::string job = R"({ "platform": { "machine": "mahti", "nodes": 1 },
    "workload": { "layers": [{ "forward": "1ms", "tensors": [{ "bytes": "400MB" }] }] },
    "training": { "exchange": { "algorithm": "ring" }, "iterations": 3 } })";
  const auto packs = TrainingToy(training_entry(R"(, "jobs": [], "measure": "step_time")", "step"),
                                 "gpus,step\n1,0.01\n2,0.02\n4,0.02\n8,0.04\n", job)
                         .simulated();
  const BoardTable& table = packs.at(0).tables.at(0);
  CHECK(table.compute == Approx(0.01).epsilon(1e-12)); // a single GPU has no exchange
  REQUIRE(table.cases.size() == 3);
  // Four NVLinks of 20 GB/s for each pair, independent of the number of participating GPUs; two nodes wait for one NIC
  // of 25 GB/s.
  const auto step = [&](std::size_t at) { return 0.01 * table.cases[at].ranks / *table.cases[at].simulated; };
  CHECK(step(0) == Approx(0.01 + 400e6 / 80e9).epsilon(1e-3));
  CHECK(step(1) == Approx(0.01 + 1.5 * 400e6 / 80e9).epsilon(1e-3));
  CHECK(step(2) == Approx(0.01 + 1.75 * 400e6 / 24e9).epsilon(0.05));
}

TEST_CASE("tables of training are refused for what cannot be held against one another") {
  const auto mistakes = [](const std::string& entry, const std::string& rows = toy_rows,
                           const std::string& job = toy_job) { return TrainingToy(entry, rows, job).mistakes(); };
  using Catch::Contains;
  CHECK(mistakes(training_entry("")) == "none");
  CHECK_THAT(mistakes(training_entry(R"(, "jobs": ["jbo"])")),
             Contains("/training/0/jobs/0: ../toy.csv has no column \"jbo\"; did you mean \"job\"?"));
  CHECK_THAT(mistakes(training_entry("", "spede")), Contains("/column: ../toy.csv has no column \"spede\""));
  CHECK_THAT(mistakes(training_entry(R"(, "gpus": "gpu")")), Contains("/gpus: ../toy.csv has no column \"gpu\""));
  CHECK_THAT(mistakes(training_entry("", "job")), Contains("\"a\" in column job should be a number above 0"));
  CHECK_THAT(mistakes(training_entry(R"(, "gpus": "step")")), Contains("should be a number of GPUs"));
  CHECK_THAT(mistakes(training_entry(R"(, "where": { "job": "c" })")),
             Contains("no row of ../toy.csv has \"c\" in this column"));
  CHECK_THAT(mistakes(training_entry(R"(, "where": { "gpus": 4, "job": "b" })")),
             Contains("meets all of these conditions"));
  CHECK_THAT(mistakes(training_entry(R"(, "where": { "gpus": 4 })")),
             Contains("/training/0/jobs: a was measured only on 4 GPUs"));
  CHECK_THAT(mistakes(training_entry("") + "," + training_entry(R"(, "where": { "gpus": 4 })")),
             Contains("../toy.csv:3: entry 0 of toy already has this row"));
  CHECK_THAT(mistakes(training_entry(R"(, "measure": "job_time")")), Contains("\"samples\""));
  CHECK_THAT(mistakes(training_entry(R"(, "samples": 3)")), Contains("allowed only with measure \"job_time\""));
  CHECK_THAT(mistakes(training_entry("", "speed", "dpd")), Contains("did you mean \"ddp\"?"));
  CHECK_THAT(mistakes(training_entry(R"(, "role": "noted")")), Contains("\"reason\""));
  CHECK_THAT(mistakes(training_entry(R"(, "role": "fitted")")), Contains("/role"));
  CHECK_THAT(mistakes(R"({ "file": "../toy.csv" })"),
             Contains("\"column\"") && Contains("\"scheme\"") && Contains("\"scenario\""));
  CHECK_THAT(mistakes(R"({ "file": "../no.csv", "role": "noted", "reason": "r" })"), Contains("no.csv"));
  CHECK_THAT(mistakes(training_entry(""), "job,gpus,speed\na,2\n"),
             Contains("toy.csv:2:1: this row has 2 fields, but the header has 3 columns"));
  CHECK_THAT(mistakes(training_entry(""), "job,gpus,speed\n"), Contains("no rows below the header"));
  CHECK_THAT(mistakes(training_entry(R"(, "set": { "workload.batch": null })")),
             Contains("/training/0/scenario: /workload/batch is missing"));
  CHECK_THAT(mistakes(training_entry(R"(, "set": { "workload.btach": 4 })")), Contains("btach"));
  CHECK_THAT(mistakes(training_entry(""), "job,gpus,speed\na,2,64000\na,4,128000\n"),
             Contains("the exchange alone takes longer than the measured step"));
  CHECK_THAT(
      mistakes(training_entry(R"(, "set": { "platform.gpus_per_node": 4 })"), "job,gpus,speed\na,2,640\na,6,1280\n"),
      Contains("6 GPUs do not fill whole nodes of 4 GPUs"));
  CHECK_THAT(mistakes(training_entry(""), toy_rows, "{}"), Contains("\"workload\" is missing"));
}

TEST_CASE("every row of the tables of training that packs name is scored, fitted to or noted, once") {
  std::map<std::string, int> stood_for;
  for (const BoardPack& board : load_boards(modern_measured + "packs", {}))
    for (std::size_t i = 0; i < board.pack.training.size(); ++i)
      stood_for[std::filesystem::path(board.pack.training[i].file.text).filename()] += board.training_rows[i];
  CHECK(stood_for.size() == 9);
  for (const auto& [file, rows] : stood_for) {
    INFO(file);
    int lines = 0;
    const FileText content = read_file(modern_measured + file, std::numeric_limits<std::size_t>::max());
    for (const auto line : text_lines(content.text)) lines += line.empty() ? 0 : 1;
    CHECK(rows == lines - 1);
  }
}
