// The meanings of names, columns and units in a log, and contradictions between them.
#include "tests/analysis/evidence/measured/logs.hpp"

#include <fmt/format.h>

using namespace gradflight;
using namespace gradflight::test;
using Catch::Matchers::Contains;

TEST_CASE("OSU: sizes of a reduce-scatter are of the vector, those of an all-gather of a block") {
  const auto vector_of = [](const char* program, const char* title) {
    return parse_measured(fmt::format("$ mpirun -np 16 {}\n# OSU MPI {} Latency Test v7.2\n"
                                      "# Size       Avg Latency(us)\n1024              20.00\n",
                                      program, title),
                          "x")
        .front();
  };
  const MeasuredTable scattered = vector_of("osu_reduce_scatter", "Reduce_scatter"),
                      gathered = vector_of("osu_allgather", "Allgather");
  CHECK(scattered.vector_bytes(scattered.rows.front()) == 1024);
  CHECK(gathered.vector_bytes(gathered.rows.front()) == 16 * 1024);
  CHECK_THAT(refused_log("$ mpirun -np 16 osu_neighbor_allgather\n# OSU MPI Neighborhood Allgather Latency Test v7.5\n"
                         "# Size       Avg Latency(us)\n1024              20.00\n"),
             Catch::Matchers::Contains("is left out; known are osu_latency"));
}

TEST_CASE("a benchmark of another operation is left out by its name, whatever is asked for") {
  const std::string rows = "#       size         count      type   redop    root     time   algbw   busbw #wrong\n"
                           "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)\n"
                           "        1024           256     float    none      -1    20.00    0.05    0.05      0\n";
  AboutLog asked;
  asked.op = Operation::all_gather;
  for (const char* start : {"# Collective test starting: hypercube_perf\n", "$ ./build/hypercube_perf -b 1K\n"})
    CHECK_THAT(refused_log(start + rows, asked), Catch::Matchers::Contains("hypercube is not simulated"));
}

TEST_CASE("a name and a reduction column that contradict each other are refused with both") {
  const std::string text = log_text("nccl-tests-all-reduce.txt");
  AboutLog asked;
  asked.op = Operation::all_gather;
  CHECK_THAT(refused_log(text, asked), Catch::Matchers::Contains("all_gather"));
  const std::string named = "# Collective test starting: reduce_scatter_perf\n"
                            "#       size         count      type   redop    root     time   algbw   busbw #wrong\n"
                            "        1024           256     float    {}      -1    20.00    0.05    0.05      0\n";
  CHECK_THAT(refused_log(fmt::format(fmt::runtime(named), "none")),
             Catch::Matchers::Contains("the log names reduce_scatter, but its column redop names no reduction"));
  CHECK(refused_log(fmt::format(fmt::runtime(named), " sum")) == "read");
}

TEST_CASE("a row with a count that its type and size contradict is left out") {
  const std::string table = "#       size         count      type   redop    root     time   algbw   busbw #wrong\n"
                            "        1024           512     float     sum      -1    20.00    0.05    0.05      0\n"
                            "        2048           512     float     sum      -1    20.00    0.10    0.10      0\n";
  std::vector<Diagnostic> notes;
  AboutLog asked;
  asked.ranks = 2;
  const auto tables = parse_measured(table, "x", asked, &notes);
  REQUIRE(tables.front().rows.size() == 1);
  CHECK(tables.front().rows.front().size_bytes == 2048);
  REQUIRE_FALSE(notes.empty());
  CHECK(notes.front().message == "512 elements of float (4 B each) do not make 1024 B: the row is left out");
}

TEST_CASE("settings between two tables are of the second") {
  const std::string table = "#       size         count      type   redop    root     time   algbw   busbw #wrong\n"
                            "        1024           256     float     sum      -1    20.00    0.05    0.05      0\n"
                            "# Avg bus bandwidth    : 0.05\n";
  const auto tables = parse_measured("$ export NCCL_ALGO=Ring\n$ ./build/all_reduce_perf\n" + table +
                                         "$ export NCCL_ALGO=Tree\n$ ./build/all_reduce_perf\n" + table,
                                     "x");
  REQUIRE(tables.size() == 2);
  CHECK(tables[0].called() == "Ring");
  CHECK(tables[1].called() == "Tree");
}

TEST_CASE("CSV: units of times, cells that say nothing, a second half of columns, and tables of our own") {
  const auto first = [](const std::string& text) { return parse_measured(text, "x").front(); };
  CHECK(first("collective,ranks,size_bytes,time_ms\nall_reduce,8,1024,0.5\n").rows.front().time_us == 500);
  for (const char* size : {"1024", "1K", "1KiB", "1k"})
    CHECK(
        first(fmt::format("collective,ranks,size_bytes,time_us\nall_reduce,8,{},20\n", size)).rows.front().size_bytes ==
        1024);
  for (const char* size : {"1KB", "1.5.K", "K", "1KiBs"})
    CHECK_THAT(refused_log(fmt::format("collective,ranks,size_bytes,time_us\nall_reduce,8,{},20\n", size)),
               Catch::Matchers::Contains("should be a whole number of bytes, 0 or more, such as 1048576 or 1MiB"));
  CHECK(first("collective,ranks,size_bytes,value,unit\nall_reduce,8,1024,2,ms\n").rows.front().time_us == 2000);
  std::vector<Diagnostic> notes;
  CHECK(parse_measured("collective,ranks,size,time\nall_reduce,8,1024,20\n", "x", {}, &notes).front().rows.size() == 1);
  REQUIRE(notes.size() == 1);
  CHECK_THAT(notes[0].message, Catch::Matchers::Contains("names no unit: microseconds are assumed"));
  const MeasuredTable open = first("collective,ranks,nodes,size_bytes,time_us\nall_reduce,,,1024,20\n");
  CHECK(open.ranks == 0);
  const MeasuredTable sheet = first("size,count,type,redop,root,time,algbw,busbw,#wrong,time,algbw,busbw,#wrong\n"
                                    "1024,256,float,sum,-1,20.00,0.05,0.09,0,21.00,0.05,0.09,0\n");
  CHECK(sheet.rows.front().inplace_time_us == 21);
  CHECK_THAT(refused_log("op,size_bytes,time_us,closed_form_us\nall_reduce,1024,20,19\n"),
             Catch::Matchers::Contains("simulated, not measured"));
}

TEST_CASE("a table of chosen columns says its operation by its bandwidths") {
  const auto tables = parse_measured("| size (B) | time (us) | algbw (GB/s) | busbw (GB/s) |\n|---:|---:|---:|---:|\n"
                                     "| 1048576 | 79.15 | 13.248 | 24.840 |\n| 16777216 | 816.43 | 20.549 | 38.530 |\n",
                                     "x");
  REQUIRE(tables.size() == 1);
  CHECK(tables[0].op == Operation::all_reduce);
  CHECK(tables[0].ranks == 16);
  CHECK(tables[0].rows.size() == 2);
}

TEST_CASE("a table whose columns and bandwidths are of no operation is left out for that") {
  AboutLog about;
  about.otherwise = Operation::all_reduce;
  CHECK_THAT(refused_log("# nThread 1 nGpus 1 minBytes 8\n# size count type redop root time algbw busbw #wrong\n"
                         "  1048576  262144  float  none  -1  100.0  10.49  15.73  0\n",
                         about),
             Catch::Matchers::Contains("the operation of the table is unknown") &&
                 Catch::Matchers::Contains("busbw / algbw = 1.5"));
}

TEST_CASE("tables whose operation nothing names are repeats only if their times are alike") {
  const auto table = [](double scale, double of_smallest = 0) {
    std::string text = "# nThread 1 nGpus 1 minBytes 1048576\n"
                       "# size count type redop root time algbw busbw #wrong time algbw busbw #wrong\n";
    for (const double size : {1048576.0, 4194304.0, 16777216.0}) {
      const double factor = size < 2e6 && of_smallest > 0 ? of_smallest : scale;
      const double time = factor * size / 40e3, algbw = size / time / 1000;
      text += fmt::format("{} {} float none -1 {:.2f} {:.2f} {:.2f} 0 {:.2f} {:.2f} {:.2f} 0\n", size, size / 64, time,
                          algbw, algbw * 15 / 16, time, algbw, algbw * 15 / 16);
    }
    return text + "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 12.3\n";
  };
  const AboutLog about = {.op = Operation::all_gather};
  const auto repeats = parse_measured(table(1) + table(1.2, 1.9) + table(0.85, 0.6), "x", about);
  REQUIRE(repeats.size() == 1);
  CHECK(repeats[0].rows.at(0).time_us == 26.21);
  for (const double scale : {4.0, 0.25, 1.4}) { // an all-to-all's may be close to an all-gather's
    INFO(scale);
    CHECK_THAT(refused_log(table(1) + table(scale), about),
               Contains("x:9:1: the times of this table are") && Contains("those of the table in line 2") &&
                   Contains("Write one table into each file, or the command above each table, such as "
                            "\"all_gather_perf\""));
  }
  // With the commands, each table is of its own operation.
  const std::string named = "$ ./all_gather_perf\n" + table(1) + "$ ./alltoall_perf\n" + table(4);
  CHECK(parse_measured(named, "x").size() == 2);
  // Within one table, a column of types or a new cycle starts again.
  const std::string once = table(1), again = table(4);
  const auto rows = [](const std::string& text) {
    const auto begin = text.find("1048576 16384");
    return text.substr(begin, text.find("# Out of") - begin);
  };
  CHECK(parse_measured(with_change(once, "# Out of", rows(again) + "# Out of"), "x", about).size() == 1);
}

TEST_CASE("a last value that may be cut off is left out") {
  const auto last = [](const std::string& text, const std::string& wanted_note) {
    INFO(text);
    std::vector<Diagnostic> notes;
    const auto tables = parse_measured(text, "x", {.op = Operation::all_reduce, .ranks = 8}, &notes);
    std::string found;
    for (const Diagnostic& note : notes)
      if (note.message.find("line end") != std::string::npos) found += fmt::format("{}:{}", note.line, note.message);
    CHECK_THAT(found, Contains(wanted_note));
    CHECK(found.empty() == wanted_note.empty());
    return tables.at(0).rows.back().size_bytes;
  };
  const std::string osu = "# OSU MPI Allreduce Latency Test v7.3\n# Size       Avg Latency(us)\n",
                    rows = "1024 12.62\n65536 207.62\n";
  CHECK(last(osu + rows + "1048576 20",
             "5:the file ends at \"20\" without a line end, and this value has fewer decimals "
             "than the others of its column: it may be cut off, and the row is left out") == 65536);
  CHECK(last(osu + rows + "1048576 2012.3", "\"2012.3\"") == 65536);
  CHECK(last(osu + rows + "1048576 2012.34", "") == 1048576);
  CHECK(last(osu + rows + "1048576 20\n", "") == 1048576);
  CHECK(last(osu + "1024 12.62\n1048576 20", "") == 1048576);
  CHECK(last(osu + "1024 12.62\n65536 207\n1048576 20", "") == 1048576);
  const std::string csv = "size_bytes,time_us\n1024,12.62\n65536,207.62\n";
  CHECK(last(csv + "1048576,20", "4:the file ends at \"20\"") == 65536);
  CHECK(last(csv + "1048576,2012.34", "") == 1048576);
  CHECK(last(csv + "1048576,20\n", "") == 1048576);
  CHECK(last("time_us,size_bytes\n12.62,1024\n207.62,65536\n2012.34,1048576", "") == 1048576);
}

TEST_CASE("OSU: variants for unequal counts, measured with equal ones") {
  const auto op = [](const char* name) {
    return parse_measured(fmt::format("# OSU MPI {} Latency Test v7.3\n# Size       Avg Latency(us)\n8 1.25\n", name),
                          "x")
        .at(0)
        .op;
  };
  CHECK(op("Allgatherv") == Operation::all_gather);
  CHECK(op("Gatherv") == Operation::gather);
  CHECK(op("Scatterv") == Operation::scatter);
  CHECK(op("Reduce_scatter_block") == Operation::reduce_scatter);
}

TEST_CASE("a device listed twice on one host shows that several hosts have its name") {
  std::string log = "# nThread 1 nGpus 1 minBytes 8\n# Using devices\n";
  for (int rank = 0; rank < 16; ++rank)
    log += fmt::format("#  Rank {:2} Group  0 Pid  {} on  localhost device {:2} [0x{:02x}] NVIDIA A100\n", rank,
                       9000 + rank, rank % 8, 7 + rank % 8);
  log += "# size count type redop root time algbw busbw #wrong\n"
         "1048576 262144 float sum -1 53.11 19.74 37.02 0\n# Avg bus bandwidth    : 37.02\n";
  std::vector<Diagnostic> notes;
  const auto tables = parse_measured(log, "x", {}, &notes);
  CHECK(tables.at(0).ranks == 16);
  CHECK(tables.at(0).nodes == 0);
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].message == "a device of \"localhost\" is listed twice: several hosts have this name, so the number of "
                            "nodes is left out; --nodes sets it");
  CHECK(parse_measured(log, "x", {.nodes = 2}).at(0).nodes == 2);
}

TEST_CASE("line ends of old Macs, and those that were converted twice") {
  const std::string log = "# nThread 1 nGpus 1 minBytes 8\n# size count type redop root time algbw busbw #wrong\n"
                          "1048576 262144 float sum -1 53.11 19.74 37.02 0\n# Avg bus bandwidth    : 37.02\n",
                    csv = "size_bytes,time_us\n1048576,53.11\n";
  for (const std::string& text : {log, csv})
    for (const char* end : {"\r", "\r\n", "\r\r\n"}) {
      INFO(text << end);
      std::string ended;
      for (const char c : text) ended += c == '\n' ? std::string(end) : std::string(1, c);
      const auto tables = parse_measured(ended, "x.csv", {.op = Operation::all_reduce});
      REQUIRE(tables.size() == 1);
      CHECK(tables[0].rows.at(0).time_us == 53.11);
    }
}

// Formats of logs in public threads, with our own numbers; docs/logs.md lists the threads.
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
