#include "analysis/evidence/boards/board_packs.hpp"
#include "analysis/evidence/boards/board_runs.hpp"
#include "analysis/evidence/boards/boards.hpp"
#include "analysis/evidence/boards/crossovers.hpp"
#include "analysis/evidence/collective/line_ring.hpp"
#include "analysis/evidence/measured/read_measured.hpp"
#include "scenarios/language/json/diagnostics.hpp"
#include "source_dir.hpp"
#include "tests/support/temporary_directory.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <numeric>

using namespace gradflight;

namespace {

const std::string toy_measured = GF_SOURCE_DIR "/tests/cli/data/measured/";
const std::string real_measured = GF_SOURCE_DIR "/analysis/measurements/modern/";

/// A pack with the toy's cluster and log, with `tables`, and with further keys.
class MeasuredToy {
public:
  explicit MeasuredToy(const std::string& tables, const std::string& more = {}) {
    for (const char* name : {"cluster.json", "toy.csv"})
      std::filesystem::copy_file(toy_measured + name, directory_.path(name));
    directory_.write("packs/toy.json",
                     fmt::format(R"({{ "name": "toy", "source": "s", "licence": "l", "library": "ring",
{} "tables": [{}] }})",
                                 more.empty() ? R"("machine": "../cluster.json",)" : more, tables));
  }
  [[nodiscard]] std::vector<BoardPack> load() const { return load_boards(directory_.path("packs"), {}); }
  [[nodiscard]] std::vector<BoardPack> simulated() const {
    auto packs = load();
    simulate_boards(packs, 1);
    return packs;
  }
  /// Returns all mistakes.
  [[nodiscard]] std::string mistakes() const {
    try {
      const auto packs = simulated();
      if (packs.empty()) return "nothing";
    } catch (const InputErrors& errors) {
      return errors.format();
    }
    return "none";
  }
  [[nodiscard]] const test::TemporaryDirectory& directory() const { return directory_; }

private:
  test::TemporaryDirectory directory_;
};

std::string measured_entry(const std::string& where, const std::string& more = {}) {
  return fmt::format(R"({{ "file": "../toy.csv", "where": {{ {} }} {} }})", where, more);
}

BoardCase board_case(double size, double least, double most, const std::string& algorithm) {
  BoardCase made;
  made.size_bytes = size;
  made.least = least;
  made.most = most;
  made.measured = (least + most) / 2;
  made.simulated = 1;
  made.algorithm = algorithm;
  return made;
}

} // namespace

TEST_CASE("a pack's tables: medians of what was measured several times, simulated and scored") {
  auto packs = load_boards(toy_measured + "packs", {});
  simulate_boards(packs, 1);
  REQUIRE(packs.size() == 2);
  CHECK_FALSE(packs[0].counted());
  const BoardPack& toy = packs[1];
  CHECK(toy.rows(MeasuredRole::scored) == 5);
  CHECK(toy.rows(MeasuredRole::fitted) == 0);
  CHECK(toy.rows(MeasuredRole::noted) == 2); // one of them has 4 B, which leaves no data for four ranks
  REQUIRE(toy.tables.size() == 2);
  const auto& reduced = toy.tables[0].cases;
  REQUIRE(reduced.size() == 2);
  CHECK(reduced[0].times == 2);
  CHECK(reduced[0].measured == 6090);
  CHECK(reduced[0].least == 6000);
  CHECK(reduced[0].most == 6180);
  CHECK(*toy.tables[0].noise == Approx((1 - 6000. / 6060) / 2).epsilon(1e-12));
  CHECK_FALSE(toy.tables[1].noise);
  CHECK(*reduced[0].noise == Approx((1 - 6000. / 6060 + 0.03) / 2).epsilon(1e-12));
  // A ring of 8 at 10 us and 1.25 GB/s, with sums at 10 GB/s: 14 alpha + 14/8 n beta + 7/8 n gamma.
  CHECK(*reduced[0].simulated == Approx(140 + 5600 + 350).epsilon(1e-9));
  CHECK(*reduced[1].simulated == Approx(140 + 11200 + 700).epsilon(1e-9));
  CHECK(*reduced[1].error() == Approx(12040. / 13000 - 1).epsilon(1e-9));
  CHECK(*reduced[1].error(Yardstick::line_ring) == Approx(11340. / 13000 - 1).epsilon(1e-9));
  CHECK_FALSE(reduced[1].error(Yardstick::own_formula));
  CHECK(*toy.tables[1].cases[0].simulated == Approx(30 + 4800).epsilon(1e-9));
  CHECK(*packs[0].tables[0].cases[0].simulated == Approx(280 + 112000 + 700).epsilon(1e-9));

  const auto boards = boards_of(packs);
  REQUIRE(boards.size() == 2);
  CHECK(boards[0].all.errors.count == 2);
  CHECK(*boards[0].all.errors.median == Approx((1 - 12040. / 13000 + 1 - 4830. / 6000) / 2).epsilon(1e-9));
  CHECK(boards[1].all.errors.count == 3);
  CHECK(*boards[1].all.errors.median == Approx(1 - 12040. / 13000).epsilon(1e-9));
  CHECK(boards[1].all.errors.within_20 == 1);
  REQUIRE(boards[1].machines.size() == 2);
  CHECK_FALSE(boards[1].machines[0].counted);
  CHECK(boards[1].machine_median == boards[1].machines[1].errors.median);
  REQUIRE(boards[1].operations.size() == 2);
  CHECK(boards[1].operations[1].errors.count == 1);
  const auto& ring = boards[1].all.against[static_cast<std::size_t>(Yardstick::line_ring)];
  CHECK(ring.errors.count == 3);
  CHECK(ring.closer == 3);
  CHECK(boards[1].all.against[static_cast<std::size_t>(Yardstick::own_formula)].errors.count == 0);
}

TEST_CASE("one ring at line rates") {
  CollectiveRequest request;
  request.ops = {Operation::all_reduce};
  request.platform = "dgx-a100";
  request.nodes = 2;
  const CollectiveGroup group = make_group(request);
  const LineRates rates = line_rates(group);
  CHECK(rates.own == Approx(25e9).epsilon(1e-9)); // the NIC of 200 Gb/s for each GPU, slower than PCIe 4
  CHECK(rates.between == Approx(8 * rates.own).epsilon(1e-9));
  const LineRates made{200, 100, 25, 2};
  CHECK(line_ring_time(made, Operation::all_reduce, 1600, 16, 8) == Approx(2 * (15 * 2 + 15. / 16 * 16)));
  CHECK(line_ring_time(made, Operation::all_gather, 1600, 16, 8) == Approx(15 * 2 + 15. / 16 * 16));
  CHECK(line_ring_time(made, Operation::broadcast, 1600, 16, 8) == Approx(15 * 2 + 16));
  CHECK(line_ring_time(made, Operation::sendrecv, 1600, 16, 8) == Approx(2 + 64));
  CHECK(line_ring_time(made, Operation::alltoall, 1600, 16, 8) == Approx(15 * 2 + 8. * 8 / 16 * 1600 / 100));
  CHECK(line_ring_time(made, Operation::gather, 1600, 16, 8) == Approx(15 * 2 + 15. / 16 * 64));
  const LineRates shared{200, 100, 25, 2, 0.5}; // both directions together have no more than one direction alone
  CHECK(line_ring_time(shared, Operation::all_reduce, 1600, 16, 8) == Approx(2 * (15 * 2 + 15. / 16 * 32)));
  CHECK(line_ring_time(shared, Operation::sendrecv, 1600, 16, 8) == Approx(2 + 128));
  CHECK(line_ring_time(shared, Operation::broadcast, 1600, 16, 8) == Approx(15 * 2 + 16));
  request.sets = {"platform.node.nic_total_bandwidth=36GB/s"};
  CHECK(line_rates(make_group(request)).both == Approx(0.72).epsilon(1e-9));
  request.sets.clear();

  request.platform = "dgx-1-v100";
  request.nodes = 1;
  request.gpus_per_node = 2;
  const LineRates two = line_rates(make_group(request));
  request.gpus_per_node = 8;
  const LineRates eight = line_rates(make_group(request));
  // One NVLink between the first two GPUs, and six links of each GPU.
  CHECK(eight.inside == Approx(6 * two.inside).epsilon(1e-9));
  CHECK(std::isinf(eight.between));
}

TEST_CASE("crossovers: simulated ones by what is chosen, measured ones where time falls beyond all scatter") {
  BoardTable table;
  table.cases = {board_case(512, 20, 21, "tree"),      board_case(1024, 10, 11, "tree"),
                 board_case(2048, 12, 13, "tree"),     board_case(4096, 8, 9, "ring"),
                 board_case(8192, 8.95, 9.2, "ring"),  board_case(16384, 8.3, 8.5, "ring"),
                 board_case(32768, 8.2, 8.25, "ring"), board_case(65536, 8.22, 8.3, "ring")};
  const Crossovers found = crossovers_of(table);
  REQUIRE(found.simulated.size() == 1);
  CHECK(found.simulated[0].from_bytes == 2048);
  CHECK(found.simulated[0].to == "ring");
  REQUIRE(found.measured.size() == 2);
  CHECK(found.measured[0].factor == Approx(8.5 / 12.5));
  CHECK(*found.measured[0].off_by == Approx(1));
  CHECK(found.measured[1].from_bytes == 8192);
  CHECK(*found.measured[1].off_by == Approx(4));
  for (BoardCase& one : table.cases) one.algorithm = "ring";
  CHECK_FALSE(crossovers_of(table).measured[0].off_by);
}

TEST_CASE("a pack of measured tables is refused for what no log has") {
  const auto mistakes = [](const std::string& tables, const std::string& more = {}) {
    return MeasuredToy(tables, more).mistakes();
  };
  using Catch::Contains;
  CHECK(mistakes(measured_entry(R"("network": "fast")")) == "none");
  CHECK(mistakes(measured_entry(R"("// network": "there are two", "network": "fast")")) == "none");
  CHECK_THAT(mistakes(measured_entry(R"("// network": 2, "network": "fast")")),
             Contains("/tables/0/where/~1~1 network: a comment must be a text"));
  CHECK(mistakes(measured_entry(R"("network": "slow")") + "," +
                     measured_entry(R"("network": "fast")", R"(, "role": "fitted")"),
                 R"("machine": "../cluster.json", "fitted": { "to": "x", "set": { "//": "by hand",
                    "platform.network.link.bandwidth": "9Gbps" } },)") == "none");
  CHECK_THAT(mistakes(measured_entry(R"("netwrok": "fast")")),
             Contains("/tables/0/where/netwrok: ../toy.csv has no column \"netwrok\"; did you mean \"network\"? "
                      "Allowed: run, collective, nodes, ranks, network"));
  CHECK_THAT(mistakes(measured_entry(R"("network": ["fast", "fats"])")),
             Contains("no row of ../toy.csv has \"fats\" in this column. Allowed: \"fast\", \"slow\""));
  CHECK_THAT(mistakes(measured_entry(R"("network": "slow", "ranks": 4)")), Contains("meets all of these conditions"));
  CHECK_THAT(mistakes(measured_entry(R"("network": true)")), Contains("expected a text or a number, or a list"));
  CHECK_THAT(mistakes(measured_entry(R"("network": [])")), Contains("expected a text or a number, or a list"));
  CHECK_THAT(mistakes(measured_entry("") + "," + measured_entry(R"("ranks": 4)")),
             Contains("/tables/1/where: ../toy.csv:6: entry 0 of toy already has these rows"));
  CHECK_THAT(mistakes(measured_entry("", R"(, "role": "noted")")), Contains("\"reason\" is missing"));
  CHECK_THAT(mistakes(measured_entry("", R"(, "role": "fitted")")), Contains("\"fitted\" is missing"));
  CHECK_THAT(mistakes(measured_entry("", R"(, "role": "score")")), Contains("did you mean \"scored\"?"));
  CHECK_THAT(mistakes(measured_entry("", R"(, "nodes": 3)")), Contains("toy.csv:2:1: the log is of 8 nodes"));
  CHECK_THAT(mistakes(R"({ "file": "../no.csv" })"), Contains("no.csv: no such file"));
  CHECK_THAT(mistakes(""), Contains("/tables: expected"));
  CHECK_THAT(mistakes(measured_entry(""), R"("library_version": "1",)"), Contains("\"machine\" is missing"));
  CHECK_THAT(mistakes(measured_entry(""), R"("machine": "dgx-a1000",)"),
             Contains("/machine: /platform/machine: unknown machine \"dgx-a1000\""));
  CHECK_THAT(
      mistakes(measured_entry(""), R"("machine": "../cluster.json", "fitted": { "to": "x", "set": { "a": 1 } },)"),
      Contains("/fitted") || Contains("no entry of \"tables\" has the role \"fitted\""));
  CHECK_THAT(
      mistakes(measured_entry(""),
               R"("machine": "../cluster.json", "set": [{ "path": "platform.nodse", "value": 4, "reason": "r" }],)"),
      Contains("unknown key \"nodse\""));
  CHECK_THAT(
      mistakes(measured_entry(""),
               R"("machine": "../cluster.json", "set": [{ "path": "platform.nodes", "value": 4, "reason": "r" }],)"),
      Contains("8 nodes are requested, but the platform has 4"));
}

TEST_CASE("a library that cannot do a table is told at the pack's machine") {
  const MeasuredToy toy(measured_entry(""));
  toy.directory().write("packs/toy.json", R"({ "name": "toy", "source": "s", "licence": "l", "library": "nccl",
    "machine": "../cluster.json", "tables": [{ "file": "../toy.csv" }] })");
  CHECK_THAT(toy.mistakes(), Catch::Contains("toy.json:2:16: /machine: nccl chooses by the links inside the machines"));
}

TEST_CASE("rows of two packs, and packs called otherwise than their files, are refused all at once") {
  const MeasuredToy toy(measured_entry(R"("network": "fast")"));
  const auto pack = [](const std::string& name) {
    return fmt::format(R"({{ "name": "{}", "source": "s", "licence": "l", "machine": "../cluster.json",
      "library": "ring", "tables": [{{ "file": "../toy.csv" }}] }})",
                       name);
  };
  toy.directory().write("packs/other.json", pack("others"));
  toy.directory().write("packs/again.json", pack("again"));
  const auto told = toy.mistakes();
  CHECK_THAT(told,
             Catch::Contains("/name: \"others\" is the name in other.json, but a pack must have the name of its file"));
  CHECK_THAT(told, Catch::Contains("entry 0 of again already has these rows"));
}

TEST_CASE("point to point, and tables that do not say enough, are not scored") {
  const MeasuredToy toy(measured_entry(R"("network": "fast")"));
  const auto refused = [&](const std::string& log, const std::string& more = {}) {
    toy.directory().write("log.csv", log);
    toy.directory().write("packs/toy.json", R"({ "name": "toy", "source": "s", "licence": "l", "library": "ring",
      "machine": "../cluster.json", "tables": [{ "file": "../log.csv")" +
                                                more + " }] }");
    return toy.mistakes();
  };
  CHECK_THAT(refused("test,pairs,size_bytes,value,unit\nlatency,1,8,3.5,us\n"),
             Catch::Contains("/tables/0/role: ../log.csv:2: a point-to-point table can be"));
  CHECK_THAT(refused("collective,nodes,size_bytes,time_us\nall_reduce,8,8,3.5\n"),
             Catch::Contains("must give a number of ranks"));
  CHECK_THAT(refused("collective,ranks,size_bytes,time_us\nall_reduce,8,8,3.5\n"),
             Catch::Contains("does not give the number of nodes"));
  CHECK(refused("collective,ranks,size_bytes,time_us\nall_reduce,8,80,3.5\n", R"(, "nodes": 8)") == "none");
  CHECK_THAT(refused("collective,nodes,ranks,size_bytes,time_us\nall_reduce,3,8,8,3.5\n"),
             Catch::Contains("8 ranks on 3 nodes"));
  CHECK_THAT(refused("collective,nodes,ranks,size_bytes,time_us\nall_gather,4,4,4,30\n"),
             Catch::Contains("/tables/0/file: ../log.csv:2: no row of all_gather among 4 ranks has a whole element"));
}

TEST_CASE("every row of every measured table of collectives is scored, fitted to or noted by a pack, once") {
  std::map<std::string, int> in_packs;
  const auto packs = load_boards(real_measured + "packs", {}); // rejects rows in two entries
  for (const BoardPack& board : packs) {
    int scored_entries = 0, rows = 0;
    for (std::size_t i = 0; i < board.pack.tables.size(); ++i) {
      const auto& entry = board.pack.tables[i];
      in_packs[std::filesystem::path(entry.file.text).stem()] += board.entry_rows[i];
      scored_entries += entry.role == MeasuredRole::scored ? 1 : 0;
    }
    for (std::size_t i = 0; i < board.pack.training.size(); ++i) {
      const auto& entry = board.pack.training[i];
      in_packs[std::filesystem::path(entry.file.text).stem()] += board.training_rows[i];
      scored_entries += entry.role == MeasuredRole::scored ? 1 : 0;
    }
    for (const auto role : {MeasuredRole::scored, MeasuredRole::fitted, MeasuredRole::noted}) rows += board.rows(role);
    INFO(board.pack.name.text);
    const int trained = std::accumulate(board.training_rows.begin(), board.training_rows.end(), 0);
    CHECK(rows == std::accumulate(board.entry_rows.begin(), board.entry_rows.end(), trained));
    CHECK(board.counted() == (scored_entries > 0));
    if (board.pack.fitted) CHECK(board.rows(MeasuredRole::fitted) > 0);
  }
  CHECK(packs.size() >= 17);
  int logs = 0;
  for (const auto& file : std::filesystem::directory_iterator(real_measured)) {
    if (file.path().extension() != ".csv") continue;
    std::vector<MeasuredTable> tables;
    try {
      tables = read_measured(file.path().string());
    } catch (const InputErrors&) {
      continue; // times of training
    }
    std::size_t rows = 0;
    for (const MeasuredTable& table : tables) rows += table.rows.size();
    INFO(file.path().string());
    CHECK(in_packs[file.path().stem()] == static_cast<int>(rows));
    ++logs;
  }
  CHECK(logs == 16);
}
