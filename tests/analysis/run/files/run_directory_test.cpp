#include "analysis/run/files/output_file.hpp"
#include "analysis/run/files/process.hpp"
#include "analysis/run/files/run_directory.hpp"
#include "tests/analysis/run/result/outcome_example.hpp"
#include "tests/support/temporary_directory.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

using namespace gradflight;
namespace fs = std::filesystem;

namespace {

std::string slurp(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

void put(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }

std::set<std::string> names(const fs::path& directory) {
  std::set<std::string> found;
  for (const auto& entry : fs::directory_iterator(directory)) found.insert(entry.path().filename());
  return found;
}

const std::vector<std::string> command = {"gradflight", "run", "a b.json", "--set", "x='y'"};

} // namespace

TEST_CASE("a run directory holds the five files and nothing temporary", "[system]") {
  const test::TemporaryDirectory scratch;
  const fs::path out = scratch.root() / "deep" / "run";
  RunDirectory(out, "{}\n").write(testing::example_outcome(), command, {});
  CHECK(names(out) == std::set<std::string>{"scenario.json", "result.json", "links.csv", "command.txt", "meta.json"});
  CHECK(slurp(out / "scenario.json") == "{}\n");
  CHECK(slurp(out / "command.txt") == "gradflight run 'a b.json' --set 'x='\\''y'\\'''\n");
}

TEST_CASE("the same scenario may be run again into its directory, another may not", "[system]") {
  const test::TemporaryDirectory scratch;
  const fs::path out = scratch.root() / "run";
  RunDirectory(out, "{}\n").write(testing::example_outcome(), command, {});
  const std::string before = slurp(out / "result.json");
  RunDirectory(out, "{}\n").write(testing::example_outcome(), command, {});
  CHECK(slurp(out / "result.json") == before);
  CHECK_THROWS_AS(RunDirectory(out, "{ }\n"), OutputError);
  CHECK(slurp(out / "scenario.json") == "{}\n");
}

TEST_CASE("a directory of someone else's is left alone", "[system]") {
  const test::TemporaryDirectory scratch;
  put(scratch.root() / "thesis.tex", "years of work");
  CHECK_THROWS_AS(RunDirectory(scratch.root(), "{}\n"), OutputError);
  put(scratch.root() / "scenario.json", "{}\n"); // a scenario alone does not make a run directory
  CHECK_THROWS_AS(RunDirectory(scratch.root(), "{}\n"), OutputError);
  CHECK(names(scratch.root()) == std::set<std::string>{"scenario.json", "thesis.tex"});
  CHECK_THROWS_AS(RunDirectory(scratch.root() / "thesis.tex", "{}\n"), OutputError);
}

TEST_CASE("a run that was killed while its files took their places may be run again, and only that one", "[system]") {
  const test::TemporaryDirectory scratch;
  put(scratch.root() / "scenario.json.tmp.here.1", "{");
  { const RunDirectory nothing_but_temporaries(scratch.root(), "{}\n"); }
  put(scratch.root() / "links.csv", "");
  CHECK_THROWS_AS(RunDirectory(scratch.root(), "{}\n"), OutputError); // the scenario is always written first
  put(scratch.root() / "scenario.json", "{}\n");
  CHECK_THROWS_AS(RunDirectory(scratch.root(), "{ }\n"), OutputError);
  RunDirectory(scratch.root(), "{}\n").write(testing::example_outcome(), command, {});
  CHECK(slurp(scratch.root() / "command.txt").starts_with("gradflight run"));
}

TEST_CASE("two runs at once do not share a directory", "[system]") {
  const test::TemporaryDirectory scratch;
  {
    const RunDirectory first(scratch.root() / "run", "{}\n");
    CHECK_THROWS_WITH(RunDirectory(scratch.root() / "run", "{ }\n"), Catch::StartsWith("another process is writing"));
  }
  CHECK_NOTHROW(RunDirectory(scratch.root() / "run", "{ }\n"));
}

TEST_CASE("a run that fails leaves no empty directory behind, but keeps one it was given", "[system]") {
  const test::TemporaryDirectory scratch;
  { const RunDirectory never_written(scratch.root() / "run", "{}\n"); }
  CHECK(names(scratch.root()).empty());
  { const RunDirectory never_written(scratch.root(), "{}\n"); }
  CHECK(fs::exists(scratch.root()));
}

TEST_CASE("a file not committed leaves what was there", "[system]") {
  const test::TemporaryDirectory scratch;
  put(scratch.root() / "f", "old");
  { OutputFile(scratch.root() / "f").write("new"); }
  CHECK(slurp(scratch.root() / "f") == "old");
  CHECK(names(scratch.root()) == std::set<std::string>{"f"});
  OutputFile file(scratch.root() / "f");
  file.write("new");
  file.commit();
  CHECK(slurp(scratch.root() / "f") == "new");
  CHECK_THROWS_AS(OutputFile(scratch.root()), OutputError);
  CHECK_THROWS_AS(OutputFile(scratch.root() / "no" / "such" / "directory"), OutputError);
}

TEST_CASE("a link stays one, a mode is kept, and a device stays what it is", "[system]") {
  const test::TemporaryDirectory scratch;
  put(scratch.root() / "f", "old");
  fs::permissions(scratch.root() / "f", fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("f", scratch.root() / "link");
  OutputFile through(scratch.root() / "link");
  through.write("new");
  through.commit();
  CHECK(fs::is_symlink(scratch.root() / "link"));
  CHECK(slurp(scratch.root() / "f") == "new");
  CHECK(fs::status(scratch.root() / "f").permissions() == (fs::perms::owner_read | fs::perms::owner_write));

  OutputFile null("/dev/null");
  null.write("gone");
  null.commit();
  CHECK(fs::is_character_file("/dev/null"));

  OutputFile full("/dev/full");
  full.write("no room");
  CHECK_THROWS_AS(full.commit(), ResultLost);
  CHECK(fs::is_character_file("/dev/full"));
}

TEST_CASE("what is not complete has no name, so that nothing is left where the process is killed", "[system]") {
  const test::TemporaryDirectory scratch;
  OutputFile file(scratch.root() / "f");
  file.write("half");
  file.flush();
  CHECK(names(scratch.root()).empty());
  file.commit();
  CHECK(names(scratch.root()) == std::set<std::string>{"f"});
}

TEST_CASE("what processes that are no more have left beside a file is removed", "[system]") {
  const test::TemporaryDirectory scratch;
  const std::string here = host_name(), gone = "999999999";
  const auto own = fmt::format("f.tmp.{}.{}", here, getpid()), left = fmt::format("f.tmp.{}.{}", here, gone);
  const std::set<std::string> others{own, "f.tmp.x", fmt::format("g.tmp.{}.{}", here, gone),
                                     fmt::format("f.tmp.{}-2.{}", here, gone)}; // the last one is from another machine
  for (const auto& name : others) put(scratch.root() / name, "half");
  put(scratch.root() / left, "half");
  CHECK(temporary_path(scratch.root() / "f") == scratch.root() / own);
  CHECK(names(scratch.root()) == others);
}

TEST_CASE("a link that leads to nothing yet stays one", "[system]") {
  const test::TemporaryDirectory scratch;
  fs::create_symlink("f", scratch.root() / "link");
  OutputFile through(scratch.root() / "link");
  through.write("new");
  through.commit();
  CHECK(fs::read_symlink(scratch.root() / "link") == "f");
  CHECK(slurp(scratch.root() / "f") == "new");
  fs::create_symlink("round", scratch.root() / "round");
  CHECK_THROWS_AS(OutputFile(scratch.root() / "round"), OutputError);
  CHECK(fs::is_symlink(scratch.root() / "round"));
}

TEST_CASE("a pipe that nobody reads is refused, not waited for", "[system]") {
  const test::TemporaryDirectory scratch;
  REQUIRE(mkfifo((scratch.root() / "pipe").c_str(), 0600) == 0);
  CHECK_THROWS_WITH(OutputFile(scratch.root() / "pipe"), Catch::EndsWith("it is a pipe without a reader"));
}

TEST_CASE("several files are all written, or none", "[system]") {
  const test::TemporaryDirectory scratch;
  CHECK_THROWS_AS(write_all({{scratch.root() / "a", "1"}, {"/dev/full", "2"}}), ResultLost);
  CHECK(names(scratch.root()).empty());
  write_all({{scratch.root() / "a", "1"}, {scratch.root() / "b", "2"}});
  CHECK(slurp(scratch.root() / "a") + slurp(scratch.root() / "b") == "12");
}

TEST_CASE("only a file of the same kind is replaced", "[system]") {
  const test::TemporaryDirectory scratch;
  CHECK_NOTHROW(require_replaceable(scratch.root() / "none", "<a>", "an a"));
  CHECK_NOTHROW(require_replaceable("/dev/null", "<a>", "an a"));
  put(scratch.root() / "f", "");
  CHECK_NOTHROW(require_replaceable(scratch.root() / "f", "<a>", "an a"));
  put(scratch.root() / "f", "<a> and more");
  CHECK_NOTHROW(require_replaceable(scratch.root() / "f", "<a>", "an a"));
  for (const auto* other : {"<b> and more", "<a"}) {
    put(scratch.root() / "f", other);
    CHECK_THROWS_AS(require_replaceable(scratch.root() / "f", "<a>", "an a"), OutputError);
  }
}

TEST_CASE("the link table has a row for each link", "[system]") {
  const auto csv = links_csv(testing::example_outcome().result);
  CHECK(csv.substr(0, csv.find('\n')) == "name,bandwidth_bytes_per_s,bytes,busy_s,utilisation");
  CHECK(csv.find("node1.up,1250000000,0,0,0\n") != std::string::npos);
  RunResult odd;
  odd.links = {{"a,\"b\"", 0, 0, 1}};
  CHECK(links_csv(odd).find("\"a,\"\"b\"\"\",1,0,0,0\n") != std::string::npos);
}
