// Logs as users paste them, and files that are not logs.
#include "tests/analysis/evidence/measured/logs.hpp"

#include "base/other_file.hpp"

#include <fmt/format.h>
#include <regex>
#include <sstream>

using namespace gradflight;
using namespace gradflight::test;

namespace {

/// A file in tests/cli/data/logs, with content as users have it.
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
        Expected{
            "log-all-gather-operation-unknown.log", Operation::all_gather, 32, 4, 6, "float",
            "the table from line 40 ends without its summary (\"# Avg bus bandwidth\"); only complete rows are used\n"},
        Expected{"log-no-in-place.log", Operation::all_reduce, 4, 0, 12, "float", ""},
        Expected{"log-timestamps.log", Operation::alltoall, 16, 2, 5, "float", ""},
        Expected{
            "log-zero-rows.log", Operation::reduce_scatter, 4, 1, 3, "float",
            "a row of size 0 is left out; 4 more like it\n"
            "the table from line 17 ends without its summary (\"# Avg bus bandwidth\"); only complete rows are used\n"},
        Expected{
            "log-lost-hashes.log", Operation::all_reduce, 2, 1, 2, "float",
            "the table from line 10 ends without its summary (\"# Avg bus bandwidth\"); only complete rows are used\n"},
        Expected{
            "log-bf16-no-summary.log", Operation::all_gather, 2, 0, 7, "bfloat16",
            "the table from line 5 ends without its summary (\"# Avg bus bandwidth\"); only complete rows are used\n"},
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
  CHECK_THAT(refused_log(log_text("../../../../cli/data/logs/log-all-gather-operation-unknown.log")),
             Catch::Matchers::Contains(
                 "does not name its operation, and its columns fit several operations; name it with `collective "
                 "OP --against` or `calibrate --op OP`; OP is one of all_gather, alltoall"));
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
                            "[2026-04-19 03:04:31] ", "[pod/a/b] 2026-04-19T03:04:31.123456789Z ",
                            "Apr  9 03:04:31 nodea launcher[77]: ", "2026-04-19T03:04:31+0000 nodea launcher[77]: ",
                            "test\trun it\t2026-04-19T03:04:31.1234567Z ", "[  123.456789] "}) {
    INFO(label);
    same(with_prefix(good, label));
  }
  // Line numbers, and stamps that differ between lines.
  const auto numbered = [&](auto prefix) {
    std::string all;
    std::istringstream lines(good);
    int number = 0;
    for (std::string line; std::getline(lines, line);) all += prefix(++number) + line + "\n";
    return all;
  };
  same(numbered([](int n) { return fmt::format("{:>6}\t", n); }));
  same(numbered([](int n) { return fmt::format("{:>4}  ", n); })); // pasted without its tab
  same(numbered([](int n) { return fmt::format("train.log:{}:", n + 40); }));
  same(numbered([](int n) { return fmt::format("[{:>5}.{:03}] ", n / 4, n); }));
  same(numbered([](int n) { return fmt::format("test\trun it\t2026-04-19T03:04:{:02}.1234567Z ", n); }));
  same(numbered([](int n) { return fmt::format("Apr 19 03:04:{:02} nodea launcher[77]: ", n); }));
  // Labels inside rows, and lines of other ranks.
  std::string mixed;
  std::istringstream lines(good);
  for (std::string line; std::getline(lines, line);) {
    if (const auto at = line.find("-1    "); at != std::string::npos) line.insert(at + 2, "[1,0]<stdout>:");
    mixed += "[1,0]<stdout>:" + line + "\n[1,3]<stdout>:nodeb:1004:1004 [1] NCCL INFO Channel 00\n";
  }
  same(mixed, "a line that \"[1,0]<stdout>:\" did not write is skipped; 18 more like it\n");
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
  // Tabs in place of blanks.
  for (const char* blanks : {"  +", " +"}) same(std::regex_replace(good, std::regex(blanks), "\t"));
  // A line of another program inside a row.
  same(with_change(good, "sum      -1    200.0", "sum      -1nodea:1001:1020 [0] NCCL INFO Channel 00\n    200.0"));
}

TEST_CASE("a header before the options counts, and rows with wrong elements do not") {
  CHECK(refused_log(
            "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   "
            "busbw #wrong\n# nThread 1\n 1048576 262144 float sum -1 200.0 5.24 7.86 3 210.0 4.99 7.49 0\n") ==
        "x:3:46: 3 elements were wrong: the row is left out, because such a run measures nothing\n");
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
             Catch::Matchers::Contains("was also measured") && Catch::Matchers::Contains("the median is used; 7 more"));
  CHECK(parse_measured(good + slower, "x")[0].rows[0].time_us == 220);
}

TEST_CASE("tables of several reductions are not repetitions") {
  const auto reductions = [](const std::string& text) {
    std::string found;
    for (const MeasuredTable& table : parse_measured(text, "x")) {
      REQUIRE(table.label("redop") != nullptr);
      found += fmt::format("{} {}; ", *table.label("redop"), table.rows.at(0).time_us);
    }
    return found;
  };
  CHECK(reductions("# nThread 1 nGpus 4\n# Collective test starting: all_reduce_perf\n"
                   "# size count type redop root time algbw busbw #wrong\n"
                   "1048576 262144 float sum -1 200.0 5.24 7.86 0\n1048576 262144 float max -1 240.0 4.37 6.55 0\n") ==
        "sum 200; max 240; ");
  CHECK(reductions("collective,ranks,size_bytes,redop,time_us\nall_reduce,8,8,sum,5\nall_reduce,8,8,max,6\n") ==
        "sum 5; max 6; ");
  const std::string row =
      R"({"numCycle": 0, "name": "AllReduce", "nodes": 1, "ranks": 4, "size": 1048576, )"
      R"("type": "float", "inPlace": 0, "algBw": 5.24, "busBw": 7.86, "wrong": "0", "time": 200.0, )";
  CHECK(reductions(row + "\"redop\": \"sum\"}\n" + row + "\"redop\": \"max\"}\n") == "sum 200; max 200; ");
}

TEST_CASE("columns of CSV have their names in any spelling") {
  const MeasuredTable table =
      parse_measured("Collective,Ranks,Nodes,Size_Bytes,Time_US,Type,Gpus Per Rank\nall_reduce,64,8,1024,5,half,1\n",
                     "x")
          .at(0);
  CHECK(table.ranks == 64);
  CHECK(table.nodes == 8);
  CHECK(table.type == "half");
  CHECK(table.rows.at(0).time_us == 5);
  REQUIRE(table.label("gpus_per_rank") != nullptr);
}

TEST_CASE("rows of CSV and JSON whose count does not make their size are left out") {
  const auto left = [](const std::string& text) {
    std::vector<Diagnostic> notes;
    const auto tables = parse_measured(text, "x", {}, &notes);
    REQUIRE(tables.at(0).rows.size() == 1);
    CHECK(tables[0].rows[0].size_bytes == 2048);
    return notes.at(0).message;
  };
  const std::string why = "999 elements of float (4 B each) do not make 1024 B: the row is left out";
  CHECK(left("collective,ranks,size_bytes,count,type,time_us\nall_reduce,8,1024,999,float,5\nall_reduce,8,2048,512,"
             "float,6\n") == why);
  const auto row = [](int size, int count) {
    return fmt::format(
               R"({{"numCycle": 0, "name": "AllReduce", "nodes": 1, "ranks": 4, "size": {}, "count": {}, )"
               R"("type": "float", "redop": "sum", "inPlace": 0, "algBw": {}, "busBw": {}, "wrong": "0", "time": 1.0}})",
               size, count, size / 1e3, size * 1.5 / 1e3) +
           "\n";
  };
  CHECK(left(row(1024, 999) + row(2048, 512)) == why);
}

TEST_CASE("files of other kinds are named with the command that wants them") {
  const auto told = [](const char* name) {
    return refused_log(log_text(std::string("../../../../cli/data/logs/") + name));
  };
  CHECK_THAT(told("nccl-topology.xml"), Catch::Matchers::Contains("`gradflight import topology FILE`"));
  CHECK_THAT(told("nvidia-smi-topo-m.txt"),
             Catch::Matchers::Contains("`nvidia-smi topo -m`: `gradflight import topology FILE`"));
  CHECK_THAT(told("ib_write_bw.txt"), Catch::Matchers::Contains("perftest"));
  CHECK_THAT(told("iperf3.json"), Catch::Matchers::Contains("iperf"));
  CHECK_THAT(told("trace-bf16.json"), Catch::Matchers::Contains("`gradflight import kineto FILE`"));
  CHECK_THAT(refused_log("<!DOCTYPE html><html>"), Catch::Matchers::Contains("a page (HTML)"));
  CHECK_THAT(other_file(std::string("\xFF\xFE#\0", 4)), Catch::Matchers::Contains("UTF-16")); // logs are read
  const auto names = [](const std::string& text, const char* what) {
    INFO(text);
    CHECK_THAT(refused_log(text), Catch::Matchers::Contains(what));
  };
  names("\n<HTML><body>", "a page (HTML)");
  names("\3757zXZ", "packed with xz: unpack it first");
  names("\x28\xB5\x2F\xFD\x04", "packed with zstd");
  names("BZh91AY", "packed with bzip2");
  names("PK\x03\x04\x14", "save it as CSV");
  names("<!DOCTYPE html>\n<pre>\n# nThread 1 nGpus 1\n</pre>\n", "a page (HTML)");
  names("[  5] local 10.0.0.1 port 4 connected to 10.0.0.2 port 5201\n[SUM] 0.0-1.0 sec 1.1 GBytes 9.4 Gbits/sec\n",
        "iperf");
  names("Server listening on 5201 (test #1)\n", "iperf");
  names(R"({"start":{"version":"iperf 3.9"},"intervals":[],"end":{},"error":"closed"})", "iperf");
  names("{\ntest_info: {\ntest: \"RDMA_Write_BW\"\n},\nresults: {\nMsgSize: 65536\n}\n}\n", "perftest");
  names(" #bytes #iterations t_min[usec] t_max[usec] t_typical[usec] t_avg[usec]\n 2 1000 1.9 4.1 2.0 2.0\n",
        "latency of perftest");
  names("# Benchmarking Allreduce\n# #processes = 16\n #bytes #repetitions t_min[usec] t_max[usec] t_avg[usec]\n 4 1 1 "
        "1 1\n",
        "Intel MPI benchmarks");
  names("nvbandwidth Version: v0.4\nmemcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)\n", "nvbandwidth");
  names("<graphs version=\"1\"><graph id=\"0\"><channel><gpu dev=\"0\"/></channel></graph></graphs>",
        "NCCL_GRAPH_DUMP_FILE");
  // Quotations in our own JSON do not change the kind of a file.
  CHECK(
      other_file(R"({ "kind": "platform", "source": "nvbandwidth Version: v0.4, iperf 3.9, ROCm System Management" })")
          .empty());
}

TEST_CASE("files of Gradflight are named, whatever their columns and keys") {
  CHECK_THAT(
      refused_log("{\n  \"op\": \"all_reduce\",\n  \"rows\": [\n    {\n      \"size_bytes\": 8,\n"
                  "      \"time_us\": 4.0,\n      \"busbw_GBps\": 0.002\n    }\n  ]\n}\n"),
      Catch::Matchers::Equals("x: this is the result of `gradflight collective --json`, which no command reads\n"));
  CHECK_THAT(
      refused_log("experiment,rate_mbit,p,bytes,algorithm,rep,seconds\np2p,50,2,1,eager,0,0.00001\n", {}, "m.csv"),
      Catch::Matchers::Contains("this is a file of single measurements (column seconds): leave out --platform"));
  CHECK_THAT(refused_log("[\n  {\n    \"op\": \"all_reduce\",\n    \"rows\": [\n      {\n        \"size_bytes\": 8,\n"
                         "        \"time_us\": 4.0,\n        \"busbw_GBps\": 0.002\n      }\n    ]\n  }\n]\n"),
             Catch::Matchers::Contains("the result of `gradflight collective --json`"));
  CHECK_THAT(refused_log("// mine\n{ \"platform\": { \"nodes\": 2 } }"),
             Catch::Matchers::Contains("this is a scenario of Gradflight"));
  CHECK_THAT(refused_log(R"({ "kind": "platform", "nodes": 2 })"),
             Catch::Matchers::Contains("this is a platform of Gradflight, which has no measured times"));
  CHECK_THAT(refused_log(R"({ "platform": { "nodes": 2 }, "workload": { "model": "resnet50" } })"),
             Catch::Matchers::Contains("this is a scenario of Gradflight, which has no measured times"));
}

TEST_CASE("the half in place first and empty, without types, as mscclpp-test writes it") {
  const auto tables = parse_measured("# Setting up the connection in MSCCL++\n#\n"
                                     "#                                  in-place                   out-of-place\n"
                                     "#     size      count   time  algbw  busbw #wrong   time  algbw  busbw #wrong\n"
                                     "#      (B) (elements)   (us) (GB/s) (GB/s)          (us) (GB/s) (GB/s)\n"
                                     "  67108864    2097152                               500.00 134.22 117.44  0\n"
                                     "# Out of bounds values : 0 OK\n#\n",
                                     "x", {.otherwise = Operation::alltoall});
  REQUIRE(tables.size() == 1);
  CHECK(tables[0].op == Operation::alltoall);
  CHECK(tables[0].ranks == 8);
  CHECK(tables[0].rows.at(0).time_us == 500);
}

TEST_CASE("a date before Open MPI's tag of each line, in a log of OSU 3") {
  const std::string mark = "Mon Jan  5 09:52:05 2026[1,0]<stdout>:";
  std::vector<Diagnostic> notes;
  const auto tables = parse_measured(mark + "# OSU MPI Multi-threaded Latency Test v3.6\n" + mark +
                                         "# Size          Latency (us)\nMon Jan  5 09:52:06 2026[1,1]<stdout>:ready\n" +
                                         mark + "0     2.25\n" + mark + "1024     3.50\n",
                                     "x", {}, &notes);
  REQUIRE(tables.size() == 1);
  CHECK(tables[0].benchmark == Benchmark::latency);
  CHECK(tables[0].rows.back().time_us == 3.5);
}

TEST_CASE("OSU: one-sided tests, barriers and rows whose validation failed are left out") {
  for (const char* title :
       {"OSU MPI_Put Latency Test v7.2", "OSU MPI_Get Bandwidth Test v7.2", "OSU MPI Barrier Latency Test v7.2"})
    CHECK_THAT(refused_log(std::string("# ") + title + "\n# Size          Latency (us)\n8   2.5\n16  2.6\n"),
               Catch::Matchers::Contains("is left out; known are osu_latency"));
  std::vector<Diagnostic> notes;
  const auto tables = parse_measured("$ mpirun -np 16 osu_allreduce -c\n# OSU MPI Allreduce Latency Test v7.2\n"
                                     "# Size       Avg Latency(us)        Validation\n"
                                     "4              20.00              Pass\n8              21.00              Fail\n",
                                     "x", {}, &notes);
  REQUIRE(tables.size() == 1);
  CHECK(tables[0].rows.size() == 1);
  REQUIRE(notes.size() == 1);
  CHECK_THAT(notes[0].message, Catch::Matchers::Contains("validation failed"));
}

TEST_CASE("a benchmark that failed before its first row says where, and a run after it counts") {
  const std::string start =
      "# nThread 1 nGpus 1 minBytes 8\n# Using devices\n#  Rank  0 Pid 1 on a device  0 [0x00] X\n";
  const std::string failure = "a: Test NCCL failure common.cu:959 'unhandled system error'\n";
  CHECK_THAT(refused_log(start + failure),
             Catch::Matchers::Contains("x:4:1: the benchmark failed here, before any row"));
  const std::string good = "# nThread 1 nGpus 1 minBytes 8\n"
                           "# size  count  type  redop  time  algbw  busbw  #wrong\n"
                           "  1048576  262144  float  sum  100.0  10.49  15.73  0\n# Avg bus bandwidth : 15.73\n";
  std::vector<Diagnostic> notes;
  CHECK(parse_measured(start + failure + good, "x", {}, &notes).at(0).ranks == 4);
  CHECK(notes.size() == 1);
}
