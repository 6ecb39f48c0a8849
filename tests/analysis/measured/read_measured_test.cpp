#include "analysis/measured/read_measured.hpp"

#include "analysis/measured/noise_floor.hpp"
#include "models/input_file.hpp"
#include "scenarios/language/json/diagnostics.hpp"
#include "source_dir.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>
#include <sstream>

using namespace gradflight;

namespace {

const std::string sample_logs = GF_SOURCE_DIR "/tests/analysis/measured/data/";
const std::string shipped_tables = GF_SOURCE_DIR "/analysis/measurements/modern/";

std::string log_text(const std::string& name) {
  return read_file(sample_logs + name, std::numeric_limits<std::size_t>::max()).text;
}

/// What is said of a log, with its lines.
std::string refused_log(const std::string& text, const AboutLog& about = {}) {
  try {
    parse_measured(text, "x", about);
  } catch (const InputErrors& errors) {
    return errors.format();
  }
  return "read";
}

std::string with_change(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

} // namespace

TEST_CASE("nccl-tests: ranks, nodes, GPU and rows of its own text") {
  const auto tables = read_measured(sample_logs + "nccl-tests-all-reduce.txt");
  REQUIRE(tables.size() == 1);
  const MeasuredTable& table = tables.front();
  CHECK(table.op == Operation::all_reduce);
  CHECK(table.ranks == 4);
  CHECK(table.nodes == 2);
  CHECK(table.gpu == "Invented GPU 40GB");
  CHECK(table.algorithm == "Ring");
  REQUIRE(table.rows.size() == 4);
  CHECK(table.rows[0].size_bytes == 1048576);
  CHECK(table.rows[0].time_us == 200);
  CHECK(table.rows[3].inplace_time_us == 910.0);
  CHECK(table.rows[3].line == 19);
}

TEST_CASE("nccl-tests: several runs of a log, without in-place times where there are none") {
  const auto tables = read_measured(sample_logs + "nccl-tests-two-runs.txt");
  REQUIRE(tables.size() == 2);
  CHECK(tables[0].op == Operation::alltoall);
  CHECK(tables[0].rows.size() == 2);
  CHECK_FALSE(tables[0].rows[0].inplace_time_us);
  CHECK(tables[1].op == Operation::broadcast);
  CHECK(tables[1].ranks == 2);
  CHECK(tables[1].nodes == 1);
}

TEST_CASE("nccl-tests of 2017: milliseconds, and the operation told by its bus bandwidth") {
  const auto tables = read_measured(sample_logs + "nccl-tests-2017.txt");
  REQUIRE(tables.size() == 1);
  CHECK(tables[0].op == Operation::all_reduce);
  CHECK(tables[0].ranks == 4);
  CHECK(tables[0].rows[1].time_us == Approx(2000));
  CHECK(tables[0].rows[1].inplace_time_us == Approx(2100));
}

TEST_CASE("OSU: collectives with and without extremes, pairs, and a size of 0") {
  const auto collectives = read_measured(sample_logs + "osu-collectives.txt");
  REQUIRE(collectives.size() == 2);
  CHECK(collectives[0].op == Operation::all_reduce);
  CHECK(collectives[0].rows[1].min_us == 10.05);
  CHECK(collectives[0].rows[1].max_us == 10.6);
  CHECK(collectives[0].ranks == 0);
  CHECK(collectives[1].op == Operation::alltoall);
  CHECK(collectives[1].size_of_a_rank);
  const auto pairs = read_measured(sample_logs + "osu-pairs.txt");
  REQUIRE(pairs.size() == 2);
  CHECK(pairs[0].benchmark == Benchmark::bandwidth);
  CHECK(pairs[0].ranks == 8);
  CHECK(pairs[0].rows[1].time_us == Approx(4 * 1024 / 4096.0)); // a microsecond a message of each pair
  CHECK(pairs[1].benchmark == Benchmark::latency);
  CHECK(pairs[1].ranks == 2);
  CHECK(pairs[1].rows[0].size_bytes == 0);
  AboutLog about;
  about.ranks = 16;
  CHECK(read_measured(sample_logs + "osu-collectives.txt", about)[1].vector_bytes({2, 5.1, {}, {}, {}, 0}) == 32);
}

TEST_CASE("of a spoilt log the whole rows count, and one note tells each kind that is left out") {
  const std::string good = log_text("nccl-tests-all-reduce.txt");
  struct Spoilt {
    const char *from, *to;
    std::size_t rows;
    const char* note;
  };
  for (const Spoilt& spoilt :
       {Spoilt{"13.98      0", "13.98      3", 3, "x:19:84: 3 elements were wrong: the row is left out"},
        Spoilt{"Rank  3", "Rank  5", 4, "4 ranks are listed, up to number 5"},
        Spoilt{"Rank  3", "Rank  2", 4, "3 ranks are listed, up to number 2: some are missing or there twice"},
        Spoilt{"500.0 ", "500,0 ", 3, "x:18:57: \"500,0\" is no time or rate above 0: the row is left out"},
        Spoilt{"500.0 ", "540.0 ", 3, "algbw 8.39 GB/s is not 4194304 B in 540 us: the row is left out"},
        Spoilt{" 2097152        524288", " 8097152        524288", 3, "algbw 6.99 GB/s is not 8097152 B in 300 us"},
        Spoilt{"   12.58", "   11.58", 3, "busbw / algbw = 1.38 is not the 1.5 that all_reduce among 4"},
        Spoilt{"    520.0", "    52q.0", 4, "the in-place half of a row is not whole and is left out"},
        Spoilt{"12.58      0    520.0    8.07   12.10    N/A", "12.5", 3, "x:18:1: a row of 8 entries"}}) {
    INFO(spoilt.from << " -> " << spoilt.to);
    std::vector<Diagnostic> notes;
    const auto tables = parse_measured(with_change(good, spoilt.from, spoilt.to), "x", {}, &notes);
    REQUIRE(tables.size() == 1);
    CHECK(tables[0].rows.size() == spoilt.rows);
    CHECK(tables[0].ranks == 4);
    REQUIRE(notes.size() == 1);
    CHECK_THAT(format(notes[0]), Catch::Matchers::Contains(spoilt.note));
  }
  // The list of ranks is lost, and bandwidths say how many there are.
  const auto unlisted = parse_measured(with_change(good, "Rank  3", "Rank  5"), "x");
  CHECK(unlisted[0].ranks_from == "busbw / algbw = 1.5");
  CHECK(unlisted[0].nodes == 0);
}

TEST_CASE("a log that contradicts itself or the user is refused with both") {
  const std::string good = log_text("nccl-tests-all-reduce.txt");
  CHECK_THAT(refused_log(with_change(good, "all_reduce_perf", "all_gather_perf")),
             Catch::Matchers::Contains("busbw / algbw = 1.5 is not the 0.75 that all_gather among 4 ranks has"));
  CHECK_THAT(refused_log(good, {Operation::alltoall, 0, 0}),
             Catch::Matchers::Contains("a log of all_reduce, where alltoall is asked for"));
  CHECK_THAT(refused_log(good, {{}, 8, 0}), Catch::Matchers::Contains("a log of 4 ranks, where 8 are asked for"));
  CHECK_THAT(refused_log(with_change(good, ": 0 OK", ": 4 FAILED")), Catch::Matchers::Contains("FAILED"));
  // Only where nothing is left are notes mistakes, each kind once.
  std::string lost = good;
  for (const char* time : {"200.0", "300.0", "500.0", "900.0"}) lost = with_change(lost, time, "nan  ");
  CHECK(refused_log(lost) == "x:16:57: \"nan\" is no time or rate above 0: the row is left out; 3 more like it\n");
}

TEST_CASE("whatever is cut off or changed in a log, it is read or refused") {
  for (const char* name : {"nccl-tests-all-reduce.txt", "nccl-tests-two-runs.txt", "nccl-tests-2017.txt",
                           "osu-collectives.txt", "osu-pairs.txt"}) {
    const std::string good = log_text(name);
    REQUIRE_FALSE(good.empty());
    for (std::size_t cut = 0; cut < good.size(); cut += 7) CHECK_FALSE(refused_log(good.substr(0, cut)).empty());
    for (std::size_t at = 0; at < good.size(); at += 3)
      for (const char instead : {'#', '9', '-', ' ', '\n', '\x80'}) {
        std::string changed = good;
        changed[at] = instead;
        CHECK_FALSE(refused_log(changed).empty());
      }
  }
}

TEST_CASE("what is no log is said to be none") {
  CHECK(refused_log("").find("the file is empty") != std::string::npos);
  CHECK(refused_log("hello\n").find("no log that is known") != std::string::npos);
  CHECK(refused_log("# nThread 1\n\xff\n").find("ends before its first row") != std::string::npos);
  CHECK(refused_log("size_bytes,time_us\n\xff,1\n").find("x:2:1: byte 0xff is no text in UTF-8") == 0);
  CHECK(refused_log("# nThread 1 nGpus 1\n").find("ends before its first row") != std::string::npos);
  CHECK(refused_log("# OSU MPI Allreduce Latency Test v5.7\n# Size  Avg Latency(us)\n").find("cut off") !=
        std::string::npos);
  CHECK(refused_log("# OSU MPI Allreduce Latency Test v5.7\n# Size       Avg Latency(us)\n4 1.0\n8\n").find("read") ==
        0);
  CHECK(refused_log("run,seconds\na,1\n").find("no log that is known") != std::string::npos);
  CHECK(refused_log("one, two\nthree, four\n").find("no log that is known") != std::string::npos);
  CHECK(refused_log("size_bytes,time_us\n4,1\n").find("the log does not say which operation") != std::string::npos);
  CHECK(refused_log("collective,ranks,size_bytes,time_us\nall_redoose,4,4,1\nallreduce,0,8,nan\n") ==
        "x:2:1: unknown collective \"all_redoose\"; known are all_reduce, all_gather, reduce_scatter, alltoall, "
        "broadcast, reduce, gather, scatter, sendrecv, barrier\n"
        "x:3:11: ranks \"0\" should be a whole number above 0\n"
        "x:3:15: time_us \"nan\" should be a number above 0\n");
}

TEST_CASE("every shipped table of collectives is read whole") {
  struct Expected {
    const char* file;
    std::size_t tables, rows;
  };
  for (const Expected& expected :
       {Expected{"a100-pcie-nccl", 28, 1218}, Expected{"abci2-mpi-osu", 24, 600}, Expected{"abci2-nccl", 14, 336},
        Expected{"abci2-pt2pt-osu", 20, 470}, Expected{"alps-gh200-nccl", 28, 840}, Expected{"amd-mi300x-rccl", 4, 40},
        Expected{"aws-p3dn-efa-nccl", 1, 21}, Expected{"aws-p4d-efa-nccl", 1, 30}, Expected{"gcp-a3mega-nccl", 1, 26},
        Expected{"h100-cluster-nccl", 60, 600}, Expected{"h100-cluster-pairwise", 180, 540},
        Expected{"h100-dgx-nccl", 1, 32}, Expected{"hkbu-contention-allreduce", 32, 32},
        Expected{"p100-pcie-nccl", 1, 64}, Expected{"polaris-nccl", 57, 1467},
        Expected{"vtrain-allreduce-intranode", 6, 120}}) {
    CAPTURE(expected.file);
    const auto tables = read_measured(shipped_tables + expected.file + ".csv");
    std::size_t rows = 0;
    for (const MeasuredTable& table : tables) rows += table.rows.size();
    CHECK(tables.size() == expected.tables);
    CHECK(rows == expected.rows);
  }
  const auto vtrain = read_measured(shipped_tables + "vtrain-allreduce-intranode.csv");
  CHECK(vtrain[0].op == Operation::all_reduce); // no column says so, its bandwidths do
  const auto forced = read_measured(shipped_tables + "amd-mi300x-rccl.csv");
  CHECK(forced.back().algorithm == "Ring");
  CHECK(forced.front().algorithm.empty());
}

TEST_CASE("the floor under errors is how far out of place and in place are apart") {
  const auto tables = read_measured(sample_logs + "nccl-tests-all-reduce.txt");
  const auto floor = noise_floor(tables, 0, 1e12);
  REQUIRE(floor);
  CHECK(floor->rows == 4);
  CHECK(floor->median == Approx((1 - 300.0 / 310 + 1 - 500.0 / 520) / 2));
  CHECK(noise_floor(tables, 4194304, 1e12)->rows == 2);
  CHECK_FALSE(noise_floor(tables, 1e12, 1e13));
}

TEST_CASE("tables whose source states no licence are listed apart, and all others name theirs") {
  std::set<std::string> listed, unstated;
  std::ifstream list(shipped_tables + "figures-only");
  for (std::string name; std::getline(list, name);) listed.insert(name);
  for (const auto& entry : std::filesystem::directory_iterator(shipped_tables)) {
    if (entry.path().extension() != ".csv") continue;
    const std::string name = entry.path().stem().string();
    std::ifstream about(shipped_tables + name + ".md");
    CAPTURE(name);
    REQUIRE(about);
    std::stringstream text;
    text << about.rdbuf();
    const std::size_t licence = text.str().find("- Licence: ");
    REQUIRE(licence != std::string::npos);
    if (text.str().find("figures only", licence) != std::string::npos) unstated.insert(name);
  }
  CHECK(listed == unstated);
}

namespace {

/// A file of tests/cli/data/logs, what people really have.
struct RealLog {
  std::vector<MeasuredTable> tables;
  std::string notes;
};
RealLog real_log(const std::string& name, const AboutLog& about = {}) {
  RealLog log;
  std::vector<Diagnostic> notes;
  log.tables = read_measured(GF_SOURCE_DIR "/tests/cli/data/logs/" + name, about, &notes);
  for (const Diagnostic& note : notes) log.notes += note.message + "\n";
  return log;
}

std::string with_prefix(const std::string& text, const std::string& prefix) {
  std::string all;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) all += prefix + line + "\n";
  return all;
}

} // namespace

TEST_CASE("logs as people have them: every whole row, and a note for each kind left out") {
  struct Expected {
    const char* file;
    Operation op;
    int ranks, nodes;
    std::size_t rows;
    const char *type, *notes;
  };
  AboutLog about;
  about.otherwise = Operation::all_gather;
  for (const Expected& expected :
       {Expected{"log-mpich-labels.log", Operation::all_reduce, 24, 3, 10, "float", ""},
        Expected{"log-all-gather-operation-unknown.log", Operation::all_gather, 32, 4, 6, "float",
                 "the table from line 40 ends without its summary (\"# Avg bus bandwidth\"); its whole rows count\n"},
        Expected{"log-no-in-place.log", Operation::all_reduce, 4, 0, 12, "float", ""},
        Expected{"log-timestamps.log", Operation::alltoall, 16, 2, 5, "float", ""},
        Expected{"log-zero-rows.log", Operation::reduce_scatter, 4, 1, 3, "float",
                 "a row of size 0 is left out; 4 more like it\n"
                 "the table from line 17 ends without its summary (\"# Avg bus bandwidth\"); its whole rows count\n"},
        Expected{"log-lost-hashes.log", Operation::all_reduce, 2, 1, 2, "float",
                 "the table from line 10 ends without its summary (\"# Avg bus bandwidth\"); its whole rows count\n"},
        Expected{"log-bf16-no-summary.log", Operation::all_gather, 2, 0, 7, "bfloat16",
                 "the table from line 5 ends without its summary (\"# Avg bus bandwidth\"); its whole rows count\n"},
        Expected{"log-aborted.log", Operation::alltoall, 16, 2, 3, "float",
                 "the benchmark failed here; the rows before it count\n"},
        Expected{"log-one-node-mi355x.log", Operation::all_reduce, 8, 0, 2, "float", ""},
        Expected{"log-nccl-tests-J.json", Operation::alltoall, 16, 2, 5, "float", ""}}) {
    INFO(expected.file);
    const RealLog log = real_log(expected.file, about);
    CHECK(log.notes == expected.notes);
    REQUIRE(log.tables.size() == 1);
    const MeasuredTable& table = log.tables.front();
    CHECK(table.op == expected.op);
    CHECK(table.ranks == expected.ranks);
    CHECK(table.nodes == expected.nodes);
    CHECK(table.type == expected.type);
    CHECK(table.rows.size() == expected.rows);
  }
  CHECK(real_log("log-mpich-labels.log").tables[0].rows[1].inplace_time_us == 416.7);
  CHECK_FALSE(real_log("log-no-in-place.log").tables[0].rows[0].inplace_time_us);
  CHECK_THAT(refused_log(log_text("../../../cli/data/logs/log-all-gather-operation-unknown.log")),
             Catch::Matchers::Contains(
                 "does not say which operation it measured, and its columns fit several; say it: `collective "
                 "OP --against` or `calibrate --op OP`, one of all_gather, alltoall"));
}

TEST_CASE("what launchers, terminals and web pages put around a log is taken off") {
  const std::string good = log_text("nccl-tests-all-reduce.txt");
  const auto plain = parse_measured(good, "x");
  const auto same = [&](const std::string& text, const std::string& wanted_notes = "") {
    std::vector<Diagnostic> found;
    const auto tables = parse_measured(text, "x", {}, &found);
    std::string notes;
    for (const Diagnostic& note : found) notes += note.message + "\n";
    CHECK(notes == wanted_notes);
    REQUIRE(tables.size() == 1);
    REQUIRE(tables[0].rows.size() == 4);
    CHECK(tables[0].ranks == 4);
    CHECK(tables[0].nodes == 2);
    CHECK(tables[0].algorithm == "Ring");
    for (std::size_t i = 0; i < 4; ++i) {
      CHECK(tables[0].rows[i].time_us == plain[0].rows[i].time_us);
      CHECK(tables[0].rows[i].inplace_time_us == plain[0].rows[i].inplace_time_us);
    }
  };
  for (const char* label : {" 0: ", "00: ", "[1,0]<stdout>:", "[1,0]<stdout>: ", "[0] ", "[default0]:",
                            "[pod/nccl-test-launcher-x7k2p/launcher] ", "launcher_1  | ", "2026-04-19T03:04:31.123Z ",
                            "[2026-04-19 03:04:31] ", "[pod/a/b] 2026-04-19T03:04:31.123456789Z "}) {
    INFO(label);
    same(with_prefix(good, label));
  }
  // Labels in the midst of rows, and other ranks' lines.
  std::string mixed;
  std::istringstream lines(good);
  for (std::string line; std::getline(lines, line);) {
    if (const auto at = line.find("-1    "); at != std::string::npos) line.insert(at + 2, "[1,0]<stdout>:");
    mixed += "[1,0]<stdout>:" + line + "\n[1,3]<stdout>:nodeb:1004:1004 [1] NCCL INFO Channel 00\n";
  }
  same(mixed, "a line of another writer than \"[1,0]<stdout>:\" is passed over; 18 more like it\n");
  // DOS ends, colours, a page's fence and escapes, quotes of a mail.
  std::string dos = good;
  for (std::size_t at = 0; (at = dos.find('\n', at)) != std::string::npos; at += 2) dos.insert(at, 1, '\r');
  same(dos);
  same(with_prefix(good, "\x1b[0m\x1b[32m"));
  same("```text\n" + good + "```\n");
  same(with_prefix(good, "> "));
  std::string escaped = good;
  for (std::size_t at = 0; (at = escaped.find('#', at)) != std::string::npos; at += 2) escaped.insert(at, 1, '\\');
  same(escaped);
  // Another program's line in the midst of a row.
  same(with_change(good, "sum      -1    200.0", "sum      -1nodea:1001:1020 [0] NCCL INFO Channel 00\n    200.0"));
}

TEST_CASE("a header before the options counts, and rows with wrong elements do not") {
  CHECK(refused_log(
            "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   "
            "busbw #wrong\n# nThread 1\n 1048576 262144 float sum -1 200.0 5.24 7.86 3 210.0 4.99 7.49 0\n") ==
        "x:3:46: 3 elements were wrong: the row is left out, as such a run measures nothing\n");
}

TEST_CASE("several tables in one file: apart by operation, ranks and type, repeats become medians") {
  const std::string good = log_text("nccl-tests-all-reduce.txt");
  std::string slower =
      with_change(with_change(good, "200.0    5.24    7.86", "240.0    4.37    6.55"), "#\n# Using", "# Using");
  std::string halves = good;
  for (std::size_t at = 0; (at = halves.find("   float", at)) != std::string::npos;) halves.replace(at, 8, "    half");
  std::vector<Diagnostic> notes;
  const auto tables = parse_measured(good + slower + good + halves, "x", {}, &notes);
  REQUIRE(tables.size() == 2);
  CHECK(tables[0].type == "float");
  CHECK(tables[0].rows[0].time_us == 200);
  CHECK(tables[1].type == "half");
  REQUIRE(notes.size() == 1);
  CHECK_THAT(notes[0].message,
             Catch::Matchers::Contains("is measured again") && Catch::Matchers::Contains("the median counts; 7 more"));
  CHECK(parse_measured(good + slower, "x")[0].rows[0].time_us == 220);
}

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
  CHECK(notes[0].message == "a line that is no whole JSON is left out");
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
  const std::string report = log_text("../../../cli/data/logs/log-nccl-tests-J.json");
  notes.clear();
  const auto cut = parse_measured(report.substr(0, report.find("\"size\":1073741824") + 60), "x", {}, &notes);
  REQUIRE(cut.size() == 1);
  CHECK(cut[0].rows.size() == 3);
  CHECK(notes.at(0).message == "the report ends early: an aborted run; its whole rows count");
}

TEST_CASE("files of other kinds are named with the command that wants them") {
  const auto told = [](const char* name) {
    return refused_log(log_text(std::string("../../../cli/data/logs/") + name));
  };
  CHECK_THAT(told("nccl-topology.xml"), Catch::Matchers::Contains("`gradflight import topology FILE`"));
  CHECK_THAT(told("nvidia-smi-topo-m.txt"),
             Catch::Matchers::Contains("`nvidia-smi topo -m`: `gradflight import topology FILE`"));
  CHECK_THAT(told("ib_write_bw.txt"), Catch::Matchers::Contains("perftest"));
  CHECK_THAT(told("iperf3.json"), Catch::Matchers::Contains("iperf3"));
  CHECK_THAT(told("trace-bf16.json"), Catch::Matchers::Contains("`gradflight import kineto FILE`"));
  CHECK_THAT(refused_log("<!DOCTYPE html><html>"), Catch::Matchers::Contains("a page (HTML)"));
  CHECK_THAT(refused_log(std::string("\xFF\xFE#\0", 4)), Catch::Matchers::Contains("UTF-16"));
}

// Forms of logs in public threads, with numbers of our own; docs/logs.md lists the threads.
TEST_CASE("a rank alone, and a table beside another, are told") {
  const std::string header = "# nThread 1 nGpus 1 minBytes 1310720000\n"
                             "#       size         count      type   redop     time   algbw   busbw  error\n";
  const std::string alone = "  1310720000     327680000     float     sum    3500.0  374.49    0.00  0e+00\n";
  CHECK_THAT(refused_log(header + alone + "# Avg bus bandwidth    : 0\n" + alone + "# Avg bus bandwidth    : 0\n"),
             Catch::Matchers::Contains("one rank alone") && Catch::Matchers::Contains("MPI=1"));
  std::vector<Diagnostic> notes;
  const auto beside = parse_measured(
      "#       size         count      type   redop    root     time   algbw   busbw #wrong  |  #       size         "
      "count      type   redop    root     time   algbw   busbw #wrong\n"
      "     1048576        262144     float     sum      -1    28.00   37.45   65.54      0  |       1048576        "
      "262144     float     sum      -1    27.80   37.72   66.01      0\n"
      "# Avg bus bandwidth    : 65.54\n",
      "x", {}, &notes);
  REQUIRE(beside.size() == 1);
  CHECK(beside[0].op == Operation::all_reduce);
  CHECK(beside[0].ranks == 8);
  CHECK(beside[0].rows[0].time_us == 28.0);
  CHECK(!beside[0].rows[0].inplace_time_us);
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].message == "a second table in the same lines, right of the first, is left out");
  CHECK_THAT(
      refused_log("Collective:             Alltoall\nMemory type:            cuda\n\n       Count        Size     "
                  "           Time, us                           Bandwidth, GB/s\n       65536      262144       "
                  "76.00       72.00       82.00       24.14       25.49       22.38\n"),
      Catch::Matchers::Contains("ucc_perftest"));
}
