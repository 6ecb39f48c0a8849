#include "analysis/evidence/measured/read_measured.hpp"

#include "base/input_file.hpp"
#include "scenarios/language/json/diagnostics.hpp"
#include "source_dir.hpp"
#include "tests/analysis/evidence/measured/logs.hpp"
#include "tests/support/effort.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>
#include <sstream>

using namespace gradflight;
using namespace gradflight::test;

namespace {

const std::string shipped_tables = GF_SOURCE_DIR "/analysis/measurements/modern/";

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
  CHECK(collectives[0].ranks == 0);
  CHECK(collectives[1].op == Operation::alltoall);
  CHECK(collectives[1].size_of_a_rank);
  const auto pairs = read_measured(sample_logs + "osu-pairs.txt");
  REQUIRE(pairs.size() == 2);
  CHECK(pairs[0].benchmark == Benchmark::bandwidth);
  CHECK(pairs[0].ranks == 8);
  CHECK(pairs[0].rows[1].time_us == Approx(4 * 1024 / 4096.0)); // a microsecond per message of each pair
  CHECK(pairs[1].benchmark == Benchmark::latency);
  CHECK(pairs[1].ranks == 2);
  CHECK(pairs[1].rows[0].size_bytes == 0);
  AboutLog about;
  about.ranks = 16;
  CHECK(read_measured(sample_logs + "osu-collectives.txt", about)[1].vector_bytes({2, 5.1, {}, 0}) == 32);
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
        Spoilt{"Rank  3", "Rank  2", 4, "3 ranks are listed, up to number 2: some are missing or listed twice"},
        Spoilt{"500.0 ", "500q0 ", 3, "x:18:1: a row that breaks off at \"500q0\" is left out"},
        Spoilt{"500.0 ", "540.0 ", 3, "algbw 8.39 GB/s contradicts 4194304 B in 540 us: the row is left out"},
        Spoilt{" 2097152        524288", " 8097152        524288", 3,
               "algbw 6.99 GB/s contradicts 8097152 B in 300 us"},
        Spoilt{"   12.58", "   11.58", 3, "busbw / algbw is 1.38, but should be 1.5 for all_reduce among 4"},
        Spoilt{"    520.0", "    52q.0", 4, "the in-place half of a row is incomplete and is left out"},
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
  // The list of ranks is lost, so bandwidths determine their number.
  const auto unlisted = parse_measured(with_change(good, "Rank  3", "Rank  5"), "x");
  CHECK(unlisted[0].ranks_from == "busbw / algbw = 1.5");
  CHECK(unlisted[0].nodes == 0);
}

TEST_CASE("a log that contradicts itself or the user is refused with both") {
  const std::string good = log_text("nccl-tests-all-reduce.txt");
  CHECK_THAT(refused_log(with_change(good, "all_reduce_perf", "reduce_scatter_perf")),
             Catch::Matchers::Contains("busbw / algbw is 1.5, but should be 0.75 for reduce_scatter among 4 ranks"));
  const auto ratio = [](const std::string& busbw) {
    return refused_log("# nThread 1 nGpus 1\n# Collective test starting: all_reduce_perf\n"
                       "#  Rank  0 Pid 1 on nodea device  0\n#  Rank  1 Pid 2 on nodeb device  0\n"
                       "# size count type redop root time algbw busbw #wrong\n"
                       "1048576 262144 float sum -1 80.50 13.03 " +
                       busbw + " 0\n# Avg bus bandwidth : 1\n");
  };
  CHECK(ratio("22.80") ==
        "x:6:1: busbw / algbw is 1.75, but should be 1 for all_reduce among 2 ranks (it fits 8 ranks)\n");
  CHECK(ratio("20.00") == "x:6:1: busbw / algbw is 1.535, but should be 1 for all_reduce among 2 ranks\n");
  CHECK_THAT(refused_log(good, {Operation::alltoall, 0, 0}),
             Catch::Matchers::Contains("the log is of all_reduce, but alltoall is requested"));
  CHECK_THAT(refused_log(good, {{}, 8, 0}), Catch::Matchers::Contains("the log is of 4 ranks, but 8 are requested"));
  CHECK_THAT(refused_log(with_change(good, ": 0 OK", ": 4 FAILED")), Catch::Matchers::Contains("FAILED"));
  // Notes become mistakes only if nothing is left; each kind occurs once.
  std::string lost = good;
  for (const char* time : {"200.0", "300.0", "500.0", "900.0"}) lost = with_change(lost, time, "nan  ");
  CHECK(refused_log(lost) == "x:16:57: \"nan\" is not a time or rate above 0: the row is left out; 3 more like it\n");
}

TEST_CASE("whatever is cut off or changed in a log, it is read or refused") {
  for (const char* name : {"nccl-tests-all-reduce.txt", "nccl-tests-two-runs.txt", "nccl-tests-2017.txt",
                           "osu-collectives.txt", "osu-pairs.txt"}) {
    const std::string good = log_text(name);
    REQUIRE_FALSE(good.empty());
    for (std::size_t cut = 0; cut < good.size(); cut += test::is_sanitized ? 17 : 7)
      CHECK_FALSE(refused_log(good.substr(0, cut)).empty());
    for (std::size_t at = 0; at < good.size(); at += test::is_sanitized ? 11 : 3)
      for (const char instead : {'#', '9', '-', ' ', '\n', '\x80'}) {
        std::string changed = good;
        changed[at] = instead;
        CHECK_FALSE(refused_log(changed).empty());
      }
  }
}

TEST_CASE("what is no log is said to be none") {
  CHECK(refused_log("").find("the file is empty") != std::string::npos);
  CHECK(refused_log("hello\n").find("unknown kind of log") != std::string::npos);
  CHECK(refused_log("# nThread 1\n\xff\n").find("ends before its first row") != std::string::npos);
  CHECK(
      refused_log("size_bytes,time_us\n\xff,1\n").find("x:2:1: byte 0xff is not valid UTF-8: save the file as UTF-8") ==
      0);
  CHECK(refused_log("# nThread 1 nGpus 1\n").find("ends before its first row") != std::string::npos);
  CHECK(refused_log("# OSU MPI Allreduce Latency Test v5.7\n# Size  Avg Latency(us)\n").find("cut off") !=
        std::string::npos);
  CHECK(refused_log("# OSU MPI Allreduce Latency Test v5.7\n# Size       Avg Latency(us)\n4 1.0\n8\n").find("read") ==
        0);
  CHECK(refused_log("run,seconds\na,1\n").find("unknown kind of log") != std::string::npos);
  CHECK(refused_log("one, two\nthree, four\n").find("unknown kind of log") != std::string::npos);
  CHECK(refused_log("size_bytes,time_us\n4,1\n").find("the log does not name its operation") != std::string::npos);
  CHECK(refused_log("collective,ranks,size_bytes,time_us\nall_redoose,4,4,1\nallreduce,0,8,nan\n") ==
        "x:2:1: unknown collective \"all_redoose\": the row is left out. Allowed: all_reduce, all_gather, "
        "reduce_scatter, alltoall, broadcast, reduce, gather, scatter, sendrecv\n"
        "x:3:11: ranks \"0\" should be a whole number above 0: the row is left out\n"
        "x:3:15: time_us \"nan\" should be a number above 0: the row is left out\n");
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
  CHECK(vtrain[0].op == Operation::all_reduce); // no column names it, but the bandwidths determine it
  const auto forced = read_measured(shipped_tables + "amd-mi300x-rccl.csv");
  CHECK(forced.back().algorithm == "Ring");
  CHECK(forced.front().algorithm.empty());
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
