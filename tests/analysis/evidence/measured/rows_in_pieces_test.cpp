// Rows that launchers, other programs and mails have cut, stamped or stripped of their header.
#include "tests/analysis/evidence/measured/logs.hpp"

#include "analysis/evidence/measured/time_stamps.hpp"

#include <fmt/format.h>
#include <functional>
#include <sstream>

using namespace gradflight;
using namespace gradflight::test;
using Catch::Matchers::Contains;

namespace {

const std::string table_header =
    "# nThread 1 nGpus 1 minBytes 1048576\n"
    "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw "
    "#wrong\n";
const std::string summary = "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 50\n";
const std::vector<std::string> row_words = {"1048576", "262144", "float", "sum",   "-1",    "53.11", "19.74",
                                            "37.02",   "0",      "54.00", "19.42", "36.41", "0"};
const std::string next_row = "2097152 524288 float sum -1 66.21 31.67 59.39 0 66.87 31.36 58.80 0\n";

std::string words(std::size_t from, std::size_t to) {
  std::string text;
  for (std::size_t i = from; i < to; ++i) text += "  " + row_words[i];
  return text;
}

struct Read {
  std::vector<MeasuredTable> tables;
  std::string notes;
};
Read read(const std::string& text, const std::string& path = "x") {
  std::vector<Diagnostic> notes;
  Read found{parse_measured(text, path, {}, &notes), {}};
  for (const Diagnostic& note : notes) found.notes += note.message + "\n";
  return found;
}

/// With each line's prefix by its number from 1.
template <class Prefix> std::string prefixed(const std::string& text, Prefix prefix) {
  std::string all;
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) all += prefix(++number) + line + "\n";
  return all;
}

const std::string nccl_line = "node1:4000:4100 [0] NCCL INFO Channel 00/0 : 0[7000] -> 1[f000]";

} // namespace

TEST_CASE("a row that another program's line has cut is put together") {
  for (std::size_t at = 1; at < row_words.size(); ++at) {
    INFO("behind word " << at);
    std::vector<std::string> cuts = {words(0, at) + "\n" + nccl_line + "\n" + words(at, row_words.size()) + "\n"};
    if (at != 3 && at != 4) // "floatnode1" names no type
      cuts.push_back(words(0, at) + nccl_line + "\n" + words(at, row_words.size()) + "\n");
    for (const std::string& cut : cuts) {
      const Read found = read(table_header + cut + next_row + summary);
      CHECK(found.notes.empty());
      REQUIRE(found.tables.size() == 1);
      REQUIRE(found.tables[0].rows.size() == 2);
      const MeasuredRow& first = found.tables[0].rows[0];
      CHECK(first.time_us == 53.11);
      CHECK(first.inplace_time_us == 54.0);
      CHECK(first.line == 3);
      CHECK(found.tables[0].ranks == 16);
    }
  }
}

TEST_CASE("a cut row does not take the next row's words, and says where it breaks off") {
  const Read cut = read(table_header + words(0, 6) + "\n" + next_row + summary);
  CHECK(cut.notes == "a row of 6 entries, where the header has 13 columns, is left out\n");
  CHECK(cut.tables.at(0).rows.size() == 1);
  const Read killed = read(table_header + next_row + words(0, 7) + "Killed\n");
  CHECK_THAT(killed.notes, Contains("a row that breaks off at \"19.74Killed\" is left out\n"));
  CHECK(killed.tables.at(0).rows.size() == 1);
  CHECK_THAT(refused_log(table_header + "1M 262144 float sum -1 53.11 19.74 37.02 0\n" + summary),
             Contains("a row that breaks off at \"1M\" is left out"));
  // Halves that are missing stay apart: two short rows are no whole one.
  const Read halves =
      read(table_header + words(0, 9) + "\n" + "2097152 524288 float sum -1 66.21 31.67 59.39 0\n" + summary);
  CHECK(halves.notes.empty());
  CHECK(halves.tables.at(0).rows.size() == 2);
}

TEST_CASE("rows without a header are read with the columns that nccl-tests prints") {
  const std::string note = "rows without a header are read with the columns that nccl-tests prints\n";
  for (const std::string& text :
       {words(0, 13) + "\n" + next_row, words(0, 9) + "\n",
        std::string("1048576 262144 float sum 53.11 19.74 37.02 0e+00 54.00 19.42 36.41 0e+00\n")}) {
    INFO(text);
    const Read found = read(text);
    CHECK_THAT(found.notes, Contains(note));
    REQUIRE(found.tables.size() == 1);
    CHECK(found.tables[0].op == Operation::all_reduce);
    CHECK(found.tables[0].ranks == 16);
    CHECK(found.tables[0].rows[0].time_us == 53.11);
  }
  // Times and rates that do not agree, and pairs of numbers, may be anything.
  CHECK_THAT(refused_log("1048576 262144 float sum -1 53.11 99.74 37.02 0\n"), Contains("unknown kind of log"));
  for (const char* rows : {"1048576 53.11\n2097152 66.21\n", "1048576,53.11\n2097152,66.21\n"})
    CHECK_THAT(refused_log(rows), Contains("these rows of numbers have no known header; write CSV"));
}

TEST_CASE("a mail has wrapped header and rows") {
  std::string wrapped;
  std::istringstream lines(table_header + words(0, 13) + "\n" + next_row + summary);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.size() > 76 ? line.rfind(' ', 76) : std::string::npos;
    wrapped += "> " + line.substr(0, at) + "\n";
    if (at != std::string::npos) wrapped += line.substr(at + 1) + "\n";
  }
  REQUIRE(wrapped.find("\nbusbw #wrong     time") != std::string::npos);
  const Read found = read(wrapped);
  CHECK(found.notes.empty());
  CHECK(found.tables.at(0).rows.size() == 2);
  CHECK(found.tables[0].rows[0].inplace_time_us == 54.0);
}

TEST_CASE("the list of devices and the ratio contradict each other: both are named") {
  std::string devices = "# Using devices\n";
  for (int rank = 0; rank < 8; ++rank) devices += fmt::format("#  Rank {} Pid 1 on a device {} [0x00] X\n", rank, rank);
  CHECK_THAT(refused_log(devices + table_header.substr(table_header.find("#  ")) + words(0, 13) + "\n" + summary),
             Contains("the log has a list of 8 ranks, but busbw / algbw = 1.875 fits all_reduce among 16 ranks"));
}

TEST_CASE("time stamps are taken off") {
  for (const char* stamp :
       {"2026-04-19 03:04:31", "2026-04-19T03:04:31.123Z", "[2026/04/19 03:04:31,123]", "Apr  9 03:04:31", "03:04:31",
        "Sun Apr 19 03:04:31 2026", "[Sun Apr 19 03:04:31 2026]", "Sun Apr 19 03:04:31 UTC 2026",
        "4/19/2026 3:04:31 PM", "19.04.2026 03:04:31", "2026-04-19T03:04:31+02:00", "[  12.345678]", "03:04:31:"}) {
    INFO(stamp);
    const std::string line = std::string(stamp) + " # nThread 1";
    std::string_view rest = line;
    measured::take_stamp(rest);
    CHECK(rest == " # nThread 1");
  }
  for (const char* none : {"1048576 262144", "2026-04-19", "12.5 0", "[0] # nThread", "", "  ", "1:2:3", "[12.5"}) {
    INFO(none);
    std::string_view rest = none;
    measured::take_stamp(rest);
    CHECK(rest == none);
  }
}

TEST_CASE("stamps and labels that differ from line to line") {
  const std::string good = log_text("nccl-tests-all-reduce.txt");
  for (const auto& prefix : std::vector<std::function<std::string(int)>>{
           [](int n) { return fmt::format("Wed Apr 15 03:04:{:02} 2026[1,0]<stdout>:", n); },
           [](int n) { return fmt::format("[Wed Apr 15 03:04:{:02} 2026][1,0]<stdout>: ", n); },
           [](int n) { return fmt::format("[Wed Apr 15 03:04:{:02} 2026]<stdout>: ", n); },
           [](int n) { return fmt::format("4/15/2026 3:04:{:02} PM ", n); },
           [](int n) { return fmt::format("{}.250000 ", n); }, [](int n) { return fmt::format("17762228{:05} ", n); },
           [](int n) { return fmt::format("1776222871.{:06} node1 launcher[77]: ", n); },
           [](int n) { return fmt::format("\x1b_bk;t=17762228{:05}\x07", n); },
           [](int) { return std::string("[prterun-a-77@1,0][a:78]<stdout>: "); },
           [](int n) { return fmt::format("[pod/a-x7k2p/b] 2026-04-19T03:04:{:02}.123456789Z [1,0]<stdout>:", n); },
           [](int n) { return fmt::format("nccl-1  | 2026-04-19T03:04:{:02}.123456789Z [1,0]<stdout>:", n); },
           [](int n) { return fmt::format("launcher-a launcher 2026-04-19T03:04:{:02}.123Z [1,0]<stdout>:", n); },
           [](int n) { return fmt::format("test\trun it\t2026-04-19T03:04:{:02}.1234567Z [1,0]<stdout>:", n); },
           [](int n) { return fmt::format(" 0: Sun Apr 19 03:04:{:02} 2026<stdout>:", n); },
           [](int n) { return fmt::format("[2026-04-19, 03:04:{:02} UTC] {{subprocess.py:93}} INFO - ", n); },
           [](int n) { return fmt::format("<14>1 2026-04-19T03:04:{:02}.123Z node0 app 123 - - ", n); },
           [](int n) { return fmt::format("I0419 03:04:{:02}.123456 1234 x.cc:12] ", n); },
           [](int) { return std::string("[0]<stdout>: "); }}) {
    INFO(prefix(1));
    const Read found = read(prefixed(good, prefix));
    CHECK(found.notes.empty());
    REQUIRE(found.tables.size() == 1);
    CHECK(found.tables[0].rows.size() == 4);
    CHECK(found.tables[0].ranks == 4);
  }
}

TEST_CASE("UTF-16, unusual blanks and zeros in a log") {
  const std::string good = log_text("nccl-tests-all-reduce.txt");
  const auto rows = [](const std::string& text) { return read(text).tables.at(0).rows.size(); };
  const auto utf16 = [](const std::string& text) {
    std::string bytes;
    for (const char c : text) bytes += {c, '\0'};
    return bytes;
  };
  CHECK(rows("\xFF\xFE" + utf16(good)) == 4);
  CHECK(rows(utf16(good)) == 4);
  // PowerShell appends UTF-16 to what another shell has begun.
  const std::size_t table = good.find("#       size");
  CHECK(rows(good.substr(0, table) + utf16(good.substr(table))) == 4);
  for (const char* blank : {"\xc2\xa0", "\xe2\x80\x89", "\xe2\x80\xaf", "\xe3\x80\x80", "\xa0", "\f"}) {
    std::string text;
    for (const char c : good) text += c == ' ' ? std::string(blank) : std::string(1, c);
    CHECK(rows(text) == 4);
  }
  CHECK(rows(prefixed(good, [](int) { return std::string("\xe2\x80\x8b"); })) == 4);
}
