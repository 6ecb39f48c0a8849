#include "scenarios/language/kinds/file_kinds.hpp"
#include "tests/scenarios/support.hpp"
#include "tests/support/effort.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <source_dir.hpp>

using namespace gradflight;
using namespace gradflight::test;

namespace {

namespace fs = std::filesystem;

const std::string star_keys =
    R"("nodes": 2, "network": { "topology": "star", "link": { "bandwidth": "1Gbps", "latency": "1us" } })";
const std::string work_keys = R"("tensors": [ { "bytes": "4MB" } ])";

/// Returns the kind of a shipped file from its folder and name.
FileKind shipped_as(const fs::path& file) {
  const auto folder = file.parent_path().string(), name = file.filename().string();
  const auto within = [&](const char* part) { return folder.find(part) != std::string::npos; };
  if (name == "reproduce.json") return FileKind::pack;
  if (name.ends_with("-fits.json")) return FileKind::fits;
  if (within("/published")) return FileKind::published;
  if (within("/measurements") && !within("/packs/jobs")) return FileKind::measured;
  if (within("/analysis/sweeps")) return FileKind::sweep;
  if (within("/platforms")) return FileKind::platform;
  if (within("/workloads")) return FileKind::workload;
  if (within("/examples/schedules")) return FileKind::schedule;
  return FileKind::scenario;
}

} // namespace

TEST_CASE("every shipped file is read as what its folder and name say") {
  int files = 0, read = 0;
  for (const auto* folder : {"analysis", "platforms", "scenarios", "workloads"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(GF_SOURCE_DIR) / folder)) {
      const auto& file = entry.path();
      if (file.extension() != ".json" || file.filename() == "schema.json" || file.filename() == "index.json") continue;
      if (files++ % (test::is_sanitized ? 4 : 1) != 0) continue;
      CAPTURE(file.string());
      CHECK(read_any_file(file.string()).kind == shipped_as(file));
      ++read;
    }
  }
  CHECK(files > 300);
  CHECK(read > 75);
}

TEST_CASE("a file is what it says, whatever its keys") {
  const TemporaryDirectory dir;
  const auto kind = [&](const std::string& text) { return read_any_file(dir.write("f.json", text)).kind; };
  CHECK(kind(R"({ "kind": "platform", )" + star_keys + "}") == FileKind::platform);
  CHECK(kind(R"({ "kind": "workload" })") == FileKind::workload);
  CHECK(kind(R"({ "kind": "sweep" })") == FileKind::sweep);
  CHECK(kind(R"({ "kind": "pack" })") == FileKind::pack);
  CHECK(kind(R"({ "kind": "fits" })") == FileKind::fits);
  CHECK(kind(R"({ "kind": "measured" })") == FileKind::measured);
  CHECK(kind(R"({ "kind": "scenario", )" + star_keys + "}") == FileKind::scenario);
}

TEST_CASE("a file that does not say is a scenario, unless its keys are all that exactly one other kind requires") {
  const TemporaryDirectory dir;
  const auto kind = [&](const std::string& text) { return read_any_file(dir.write("f.json", text)).kind; };
  CHECK(kind(minimal) == FileKind::scenario);
  CHECK(kind("{}") == FileKind::scenario);
  CHECK(kind("{ " + star_keys + "}") == FileKind::platform);
  CHECK(kind(R"({ "nodes": 2 })") == FileKind::scenario);
  CHECK(kind("{ " + work_keys + "}") == FileKind::workload);
  CHECK(kind("{ " + star_keys + ", " + work_keys + "}") == FileKind::scenario); // matches two other kinds
  CHECK(kind(R"({ "base": "x.json", "axes": {} })") == FileKind::sweep);        // also if x.json cannot be read
  dir.write("x.json", minimal);
  CHECK(kind(R"({ "base": "x.json", "axes": {} })") == FileKind::sweep);
  CHECK(kind(R"({ "digest": "0" })") == FileKind::fits);
  const std::string figure = R"({ "id": "1", "paper": "p", "table_or_figure": "t", "quantity": "q",
      "unit": "s", "value": 1, "kind": "time", "source": "text", "conditions": {} })";
  CHECK(kind("[" + figure + ", {}]") == FileKind::published);
  for (const auto* none : {"[]", "[1]", "[{}]", "[[]]"}) CHECK(kind(none) == FileKind::scenario);
  // The default name identifies a pack.
  CHECK(read_any_file(dir.write("reproduce.json", "{}")).kind == FileKind::pack);
  CHECK(read_any_file(dir.write("reproduce.json", R"({ "kind": "scenario" })")).kind == FileKind::scenario);
}

TEST_CASE("what a file extends tells its kind, too") {
  const TemporaryDirectory dir;
  dir.write("said.json", R"({ "kind": "workload" })");
  dir.write("keys.json", "{ " + star_keys + " }");
  CHECK(read_any_file(dir.write("a.json", R"({ "extends": "said.json" })")).kind == FileKind::workload);
  CHECK(read_any_file(dir.write("b.json", R"({ "extends": "keys.json", "nodes": 3 })")).kind == FileKind::platform);
  CHECK_THAT(
      errors_of([&] { validate_file(dir.write("c.json", R"({ "kind": "platform", "extends": "said.json" })")); }),
      Catch::Contains("said.json:1:11: /kind: this is a workload; expected a platform"));
}

TEST_CASE("kinds that are unknown, or of no use here, are told at their place") {
  const TemporaryDirectory dir;
  const auto unknown = dir.write("u.json", R"({ "kind": "plattform" })");
  CHECK(errors_of([&] { validate_file(unknown); }) ==
        unknown + ":1:11: /kind: \"plattform\" is not a kind of file that is allowed here; did you mean "
                  "\"platform\"? Allowed: scenario, platform, workload, sweep, pack, fits, measured, schedule\n");
  const auto other = dir.write("p.json", R"({ "kind": "platform", )" + star_keys + "}");
  CHECK(errors_of([&] { load_scenario(other); }) == other + ":1:11: /kind: this is a platform; expected a scenario\n");
  CHECK_THAT(errors_of([&] { load_workload(dir.write("n.json", R"({ "kind": 5, )" + work_keys + "}")); }),
             Catch::Contains("n.json:1:11: /kind: 5 is not a kind"));
}

TEST_CASE("a platform and a workload may say what they are wherever they stand") {
  const TemporaryDirectory dir;
  dir.write("p.json", R"({ "kind": "platform", )" + star_keys + "}");
  const auto scenario = [](const std::string& platform) {
    return fmt::format(R"({{ "kind": "scenario", "platform": {}, "workload": {{ "kind": "workload", {} }},
        "training": {{ "exchange": {{ "algorithm": "ring" }} }} }})",
                       platform, work_keys);
  };
  CHECK(load_scenario(dir.write("s.json", scenario("\"p.json\""))).platform.nodes == 2);
  CHECK(load_scenario(dir.write("s.json", scenario("{ \"kind\": \"platform\", " + star_keys + " }"))).platform.nodes ==
        2);
  CHECK_THAT(errors_of([&] { load_scenario(dir.write("s.json", scenario("\"s.json\""))); }),
             Catch::Contains("include each other"));
  dir.write("w.json", R"({ "kind": "workload", )" + work_keys + "}");
  CHECK_THAT(errors_of([&] { load_scenario(dir.write("s.json", scenario("\"w.json\""))); }),
             Catch::Contains("w.json:1:11: /platform/kind: ") &&
                 Catch::Contains("this is a workload; expected a platform"));
}
