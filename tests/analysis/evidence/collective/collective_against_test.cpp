// The table of a log that a simulated table is compared with.
#include "analysis/evidence/collective/collective_against.hpp"

#include "platforms/code/spec/spec.hpp"
#include "scenarios/language/json/diagnostics.hpp"

#include <catch2/catch.hpp>
#include <string>

using namespace gradflight;

TEST_CASE("a run that the log lacks is refused with the runs that it has") {
  std::vector<MeasuredTable> tables(2);
  tables[0].ranks = tables[1].ranks = 8;
  tables[0].run = "first";
  tables[1].run = "second";
  const auto refused = [&](const std::string& run) {
    try {
      return measured_table(tables, "x.log", {.ranks = 8, .nodes = 1, .run = run}).run;
    } catch (const InputErrors& errors) {
      return errors.format();
    }
  };
  CHECK(refused("second") == "second");
  CHECK(refused("third") == "x.log: --run third: the log has no such run. Allowed: first, second\n");
  CHECK(refused("SECOND") ==
        "x.log: --run SECOND: the log has no such run; did you mean \"second\"? Allowed: first, second\n");
  CHECK(refused("").find("choose one with --run. Allowed: \"first\", \"second\"") != std::string::npos);
}

TEST_CASE("sizes of a log outside the range, and sizes without an element for each rank") {
  MeasuredTable table;
  table.file = "x.log";
  table.op = Operation::all_gather;
  int line = 0;
  for (const double bytes : {16.0, 8.0, 1048576.0, 268435456.0})
    table.rows.push_back({.size_bytes = bytes, .line = ++line});
  std::vector<Diagnostic> notes;
  CHECK(sizes_of(table, {.ranks = 8}, notes) == std::vector<double>{1048576, 268435456});
  REQUIRE(notes.size() == 1);
  CHECK(format(notes[0]) == "x.log:1:1: size 16 B is below 32 B, the smallest for all_gather with elements of 4 bytes "
                            "among 8 ranks: the row is left out; 1 more like it");
  CHECK(sizes_of(table, {.ranks = 2, .end = 100}, notes) == std::vector<double>{8, 16});
  CHECK(notes.size() == 1);
  const auto refused = [&](const WantedSizes& wanted) {
    try {
      sizes_of(table, wanted, notes);
    } catch (const InputErrors& errors) {
      return errors.format();
    }
    return std::string("read");
  };
  CHECK(refused({.ranks = 8, .begin = 1073741824}) ==
        "x.log: the log has no size from 1 GiB on; its sizes are 8 B to 256 MiB\n");
  CHECK(refused({.ranks = 8, .begin = 2097152, .end = 4194304}) ==
        "x.log: the log has no size from 2 MiB to 4 MiB; its sizes are 8 B to 256 MiB\n");
  CHECK(refused({.ranks = 8, .end = 4}) == "x.log: the log has no size up to 4 B; its sizes are 8 B to 256 MiB\n");
  CHECK(refused({.ranks = 8, .end = 100}).find("x.log:1:1: size 16 B is below 32 B") == 0);
}

TEST_CASE("a log that was measured on other GPUs is noted") {
  PlatformSpec platform;
  MeasuredTable table;
  table.file = "x.log";
  table.line = 4;
  const auto note = [&](const char* measured, const char* type) {
    table.gpu = measured;
    platform.node.emplace();
    platform.node->gpu.name = type;
    const auto found = other_gpu(table, platform);
    return found ? format(*found) : "";
  };
  CHECK(note("NVIDIA A100-SXM4-80GB", "H100") ==
        "x.log:4:1: the log was measured on NVIDIA A100-SXM4-80GB, but the platform has H100");
  CHECK(note("NVIDIA A100-SXM4-80GB", "A100").empty());
  CHECK(note("NVIDIA GH200 480GB", "GH200").empty()); // which also contains the name of the H200
  CHECK_FALSE(note("NVIDIA GH200 480GB", "H200").empty());
  CHECK(note("Invented GPU 40GB", "H100").empty());
  CHECK(note("NVIDIA A100-SXM4-80GB", "my own").empty());
  CHECK(note("", "H100").empty());
}
