#include "analysis/explore/sweeps/sweep_records.hpp"

#include "analysis/explore/sweeps/sweep_quantities.hpp"
#include "analysis/run/files/output_file.hpp"
#include "tests/support/temporary_directory.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <rapidcheck.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace gradflight;
using Catch::Contains;
namespace fs = std::filesystem;

namespace {

SweepRecord record(const std::string& id, double time, PointStatus status = PointStatus::ok,
                   const std::string& message = {}) {
  return {id, status, message, {time, std::int64_t{7}, std::string("ring"), {}}, 0.25, 1000};
}

std::string only_file(const fs::path& directory) {
  std::string found;
  for (const auto& entry : fs::directory_iterator(directory)) found = entry.path().string();
  return found;
}

void write(const fs::path& file, const std::vector<SweepRecord>& records) {
  std::ofstream out(file);
  for (const auto& r : records) out << record_line(r) << '\n';
}

} // namespace

TEST_CASE("a record reads back to the same bits, and no changed byte goes unnoticed", "[system]") {
  REQUIRE(rc::check("record", [](double time, const std::string& message) {
    auto written = record("0123456789abcdef", time, PointStatus::failed, "m");
    const auto line = record_line(written);
    RC_ASSERT(line.find('\n') == std::string::npos);
    RC_ASSERT(parse_record_line(line).value().agrees_with(written));
    written.message = message; // any bytes, but never two lines
    RC_ASSERT(record_line(written).find('\n') == std::string::npos);

    auto damaged = line;
    const auto at = *rc::gen::inRange<std::size_t>(0, line.size());
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    RC_ASSERT(!parse_record_line(damaged).has_value());
    RC_ASSERT(!parse_record_line(line.substr(0, at)).has_value());
  }));
}

TEST_CASE("what was appended is read, from all files", "[system]") {
  const test::TemporaryDirectory scratch;
  {
    RecordWriter one(scratch.root()), two(scratch.root());
    one.append(record("a", 1));
    two.append(record("b", 2));
    one.append(record("c", 3, PointStatus::failed, "deadlock"));
  }
  const auto set = read_records(scratch.root());
  CHECK(set.by_id.size() == 3);
  CHECK(set.by_id.at("c").message == "deadlock");
  CHECK(set.by_id.at("b").cells.at(0) == Cell(2.0));
  CHECK(set.conflicts.empty());
  CHECK(set.damaged_lines == 0);
}

TEST_CASE("a writer without records leaves no file", "[system]") {
  const test::TemporaryDirectory scratch;
  { const RecordWriter none(scratch.root()); }
  CHECK(fs::is_empty(scratch.root()));
}

TEST_CASE("a torn last line does not count, wherever it was torn", "[system]") {
  const test::TemporaryDirectory scratch;
  const auto file = scratch.root() / "records.h.1.1.jsonl";
  write(file, {record("a", 1), record("b", 2)});
  const auto whole = fs::file_size(file);
  const auto second = record_line(record("b", 2)).size() + 1;
  for (std::size_t cut = 1; cut < second; ++cut) {
    fs::resize_file(file, whole - cut);
    const auto set = read_records(scratch.root());
    CHECK(set.by_id.size() == 1);
    CHECK(set.damaged_lines == 1);
    write(file, {record("a", 1), record("b", 2)});
  }
}

TEST_CASE("two results for one id are a conflict: killed gives way to anything", "[system]") {
  const test::TemporaryDirectory scratch;
  write(scratch.root() / "records.h.1.1.jsonl",
        {record("a", 1), record("b", 1), record("k", 0, PointStatus::killed, "x")});
  write(scratch.root() / "records.h.2.1.jsonl", {record("a", 1), record("b", 2), record("k", 5)});
  write(scratch.root() / "records.h.3.1.jsonl", {record("k", 0, PointStatus::killed, "signal")});
  const auto set = read_records(scratch.root());
  CHECK(set.by_id.at("k").status == PointStatus::ok);
  REQUIRE(set.conflicts.size() == 1);
  CHECK(set.conflicts[0].id == "b");
  CHECK_THAT(set.conflicts[0].first, Contains("records.h.1.1.jsonl:2: ") && Contains("[1.0,"));
  CHECK_THAT(set.conflicts[0].second, Contains("records.h.2.1.jsonl:2: ") && Contains("[2.0,"));
}

TEST_CASE("wall time and memory are no part of a result", "[system]") {
  auto slower = record("a", 1);
  slower.wall_s = 99;
  slower.max_rss_bytes = 5;
  CHECK(slower.agrees_with(record("a", 1)));
  CHECK_FALSE(record("a", 1).agrees_with(record("a", std::nextafter(1.0, 2.0))));
}

TEST_CASE("a full disk is told, and what fitted is kept", "[system]") {
  const test::TemporaryDirectory scratch;
  const pid_t child = fork(); // in a child, because the limit would stay for the remaining tests
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    int appended = 0;
    try {
      RecordWriter writer(scratch.root());
      for (; appended < 100; ++appended) writer.append(record("point" + std::to_string(appended), 1));
    } catch (const OutputError&) {
      _exit(appended);
    }
    _exit(200);
  }
  int status = 0;
  waitpid(child, &status, 0);
  REQUIRE(WIFEXITED(status));
  const int appended = WEXITSTATUS(status);
  CHECK(appended > 2);
  CHECK(appended < 100);
  CHECK(std::ssize(read_records(scratch.root()).by_id) == appended);
  CHECK(fs::file_size(only_file(scratch.root())) <= 1000);
}

TEST_CASE("quantities go by name, dotted path, column or pointer", "[system]") {
  for (const auto* name :
       {"time_s", "messages", "breakdown.gamma_s", "breakdown_gamma_s", "/links/12/busy_s", "links.0.bytes",
        "links.node0.up.bytes", "closed_form.alpha_s", "iterations.3.end_s", "data.push.ratio"}) {
    CAPTURE(name);
    CHECK(quantity_names().problem(name).empty());
  }
  CHECK_THAT(quantity_names().problem("tiem_s"), Contains("did you mean \"time_s\"?"));
  for (const auto* name : {"id", "links", "breakdown", "", "/", "iterations.x.end_s", "links.bytes", "scenario"}) {
    CAPTURE(name);
    CHECK_FALSE(quantity_names().problem(name).empty());
  }
}
