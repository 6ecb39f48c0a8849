// JSON and CSV as users paste them.
#include "tests/analysis/evidence/measured/logs.hpp"

using namespace gradflight;
using namespace gradflight::test;

TEST_CASE("rccl-tests' JSON lines and CSV, CSV of other separators, a JSON report that ends early") {
  const std::string lines =
      R"({"numCycle": 0, "name": "AllReduce", "nodes": 2, "ranks": 16, "ranksPerNode": 8, "gpusPerRank": 1, "size": 1048576, "type": "float", "redop": "sum", "inPlace": 0, "time": 100.0, "algBw": 10.49, "busBw": 19.66, "wrong": "0"}
{"numCycle": 0, "name": "AllReduce", "nodes": 2, "ranks": 16, "ranksPerNode": 8, "gpusPerRank": 1, "size": 1048576, "type": "float", "redop": "sum", "inPlace": 1, "time": 90.0, "algBw": 11.65, "busBw": 21.85, "wrong": "0"}
{"numCycle": 0, "name": "AllReduce", "nodes": 2, "ranks": 16, "ranksPerNode": 8, "gpusPerRank": 1, "size": 2097152, "ty)";
  std::vector<Diagnostic> notes;
  const auto json = parse_measured(lines, "x", {}, &notes);
  REQUIRE(json.size() == 1);
  CHECK(json[0].op == Operation::all_reduce);
  CHECK(json[0].ranks == 16);
  CHECK(json[0].nodes == 2);
  REQUIRE(json[0].rows.size() == 1);
  CHECK(json[0].rows[0].inplace_time_us == 90.0);
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].message == "an incomplete JSON line is left out");
  const auto csv = parse_measured(
      "numCycle,collective,nodes,ranks,rankspernode,gpusperrank,size,type,redop,inplace,time,algbw,busbw,wrong\n"
      "0,AllReduce,2,16,8,1,1048576,float,sum,0,100.0,10.49,19.66,0\n0,AllReduce,2,16,8,1,1048576,float,sum,1,90.0,11."
      "65,21.85,0\n",
      "x");
  REQUIRE(csv.size() == 1);
  CHECK(csv[0].rows[0].inplace_time_us == 90.0);
  CHECK(csv[0].type == "float");
  const auto semicolons = parse_measured(
      "collective;ranks;size_bytes;time_us\nall_reduce;4;1048576;200,5\nall_reduce;4;2097152;300,25\n", "x");
  REQUIRE(semicolons.size() == 1);
  CHECK(semicolons[0].rows[1].time_us == 300.25);
  CHECK(parse_measured("collective\tranks\tsize_bytes\ttime_us\nall_reduce\t4\t8\t2.5\n", "x")[0].rows[0].time_us ==
        2.5);
  const std::string report = log_text("../../../../cli/data/logs/log-nccl-tests-J.json");
  notes.clear();
  const auto cut = parse_measured(report.substr(0, report.find("\"size\":1073741824") + 60), "x", {}, &notes);
  REQUIRE(cut.size() == 1);
  CHECK(cut[0].rows.size() == 3);
  CHECK(notes.at(0).message == "the report ends early because the run was aborted; only complete rows are used");
  // Counts and rates without a value.
  const auto replaced = [&](const std::string& what, const std::string& by) {
    std::string text = report;
    const std::size_t at = text.find(what);
    REQUIRE(at != std::string::npos);
    text.replace(at, text.find_first_of(",}", at) - at, what + by);
    notes.clear();
    return parse_measured(text, "x", {}, &notes).at(0).rows.size();
  };
  CHECK(replaced("\"nwrong\":", "nan") == 5);
  CHECK(notes.empty());
  for (const char* none : {"inf", "-nan", "Infinity", "NaN"}) {
    CHECK(replaced("\"alg_bw\":", none) == 4);
    CHECK(notes.at(0).message == "a row is left out: its algbw is missing or is not a number above 0");
  }
}

TEST_CASE("JSON rows in a page, under a prompt, behind labels, and several reports in one file") {
  const std::string report = log_text("../../../../cli/data/logs/log-nccl-tests-J.json");
  const auto rows = [](const std::string& text) {
    const auto tables = parse_measured(text, "x");
    REQUIRE(tables.size() == 1);
    return tables[0].rows.size();
  };
  const std::size_t all = rows(report);
  CHECK(rows("```json\n" + report + "\n```\n") == all);
  CHECK(rows("$ cat out.json\n" + report) == all);
  std::vector<Diagnostic> notes;
  CHECK(parse_measured(report + "\n" + report, "x", {}, &notes).at(0).rows.size() == all);
  REQUIRE(notes.size() == 1);
  CHECK_THAT(notes[0].message, Catch::Matchers::Contains("the median is used"));
  const std::string half =
      R"({"name": "AllReduce", "nodes": 2, "ranks": 16, "size": SIZE, "type": "float", "inPlace": 0, )"
      R"("time": 100.0, "algBw": RATE, "busBw": BUS, "wrong": "0"})";
  const auto row = [&](const char* size, const char* rate, const char* bus) {
    return with_change(with_change(with_change(half, "SIZE", size), "RATE", rate), "BUS", bus);
  };
  const std::string first = row("1048576", "10.49", "19.66"), second = row("2097152", "20.97", "39.32");
  CHECK(rows("[1,0]<stdout>:" + first + "\n[1,0]<stdout>:" + second + "\n") == 2);
  CHECK(rows("[" + first + "," + second + "]") == 2);
  notes.clear();
  const std::string cut = first + "\n" + second.substr(0, 90) + "\n" + second + "\n";
  CHECK(parse_measured(cut, "x", {}, &notes).at(0).rows.size() == 2);
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].line == 2);
}

TEST_CASE("a line of JSON about bandwidths does not hide the table below it") {
  const auto tables =
      parse_measured("{\"monitor\": {\"busbw\": 1.5}}\n# nThread 1 nGpus 1 minBytes 8\n"
                     "# size count type redop time algbw busbw #wrong\n"
                     "  1048576  262144  float  sum  100.0  10.49  15.73  0\n# Avg bus bandwidth : 15.73\n",
                     "x");
  REQUIRE(tables.size() == 1);
  CHECK(tables[0].ranks == 4);
}

TEST_CASE("CSV in a page and of a spreadsheet, and a column of operations or ranks by another name counts") {
  const std::string table = "op;nranks;bytes;time\nall_gather;4;1048576;200,5\n";
  for (const std::string& text : {"```\n" + table + "```\n", "sep=;\n" + table}) {
    const auto tables = parse_measured(text, "x.csv");
    REQUIRE(tables.size() == 1);
    CHECK(tables[0].op == Operation::all_gather);
    CHECK(tables[0].ranks == 4);
    CHECK(tables[0].rows.at(0).time_us == 200.5);
  }
}
