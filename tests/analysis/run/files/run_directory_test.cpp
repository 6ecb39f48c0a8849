#include "analysis/run/files/output_file.hpp"
#include "analysis/run/files/process.hpp"
#include "analysis/run/files/run_directory.hpp"
#include "tests/analysis/run/result/outcome_example.hpp"

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

/// A temporary directory of a test; deleted afterwards.
struct Scratch {
  Scratch() {
    std::string name = (fs::temp_directory_path() / "gradflight-XXXXXX").string();
    path = mkdtemp(name.data());
  }
  ~Scratch() { fs::remove_all(path); }
  fs::path path;
};

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
  const Scratch scratch;
  const fs::path out = scratch.path / "deep" / "run";
  RunDirectory(out, "{}\n").write(testing::example_outcome(), command, {});
  CHECK(names(out) == std::set<std::string>{"scenario.json", "result.json", "links.csv", "command.txt", "meta.json"});
  CHECK(slurp(out / "scenario.json") == "{}\n");
  CHECK(slurp(out / "command.txt") == "gradflight run 'a b.json' --set 'x='\\''y'\\'''\n");
}

TEST_CASE("the same scenario may be run again into its directory, another may not", "[system]") {
  const Scratch scratch;
  const fs::path out = scratch.path / "run";
  RunDirectory(out, "{}\n").write(testing::example_outcome(), command, {});
  const std::string before = slurp(out / "result.json");
  RunDirectory(out, "{}\n").write(testing::example_outcome(), command, {});
  CHECK(slurp(out / "result.json") == before);
  CHECK_THROWS_AS(RunDirectory(out, "{ }\n"), OutputError);
  CHECK(slurp(out / "scenario.json") == "{}\n");
}

TEST_CASE("a directory of someone else's is left alone", "[system]") {
  const Scratch scratch;
  put(scratch.path / "thesis.tex", "years of work");
  CHECK_THROWS_AS(RunDirectory(scratch.path, "{}\n"), OutputError);
  put(scratch.path / "scenario.json", "{}\n"); // a scenario alone does not make a run directory
  CHECK_THROWS_AS(RunDirectory(scratch.path, "{}\n"), OutputError);
  CHECK(names(scratch.path) == std::set<std::string>{"scenario.json", "thesis.tex"});
  CHECK_THROWS_AS(RunDirectory(scratch.path / "thesis.tex", "{}\n"), OutputError);
}

TEST_CASE("a run that was killed while its files took their places may be run again, and only that one", "[system]") {
  const Scratch scratch;
  put(scratch.path / "scenario.json.tmp.here.1", "{");
  { const RunDirectory nothing_but_temporaries(scratch.path, "{}\n"); }
  put(scratch.path / "links.csv", "");
  CHECK_THROWS_AS(RunDirectory(scratch.path, "{}\n"), OutputError); // the scenario is always written first
  put(scratch.path / "scenario.json", "{}\n");
  CHECK_THROWS_AS(RunDirectory(scratch.path, "{ }\n"), OutputError);
  RunDirectory(scratch.path, "{}\n").write(testing::example_outcome(), command, {});
  CHECK(slurp(scratch.path / "command.txt").starts_with("gradflight run"));
}

TEST_CASE("two runs at once do not share a directory", "[system]") {
  const Scratch scratch;
  {
    const RunDirectory first(scratch.path / "run", "{}\n");
    CHECK_THROWS_WITH(RunDirectory(scratch.path / "run", "{ }\n"), Catch::StartsWith("another process is writing"));
  }
  CHECK_NOTHROW(RunDirectory(scratch.path / "run", "{ }\n"));
}

TEST_CASE("a run that fails leaves no empty directory behind, but keeps one it was given", "[system]") {
  const Scratch scratch;
  { const RunDirectory never_written(scratch.path / "run", "{}\n"); }
  CHECK(names(scratch.path).empty());
  { const RunDirectory never_written(scratch.path, "{}\n"); }
  CHECK(fs::exists(scratch.path));
}

TEST_CASE("a file not committed leaves what was there", "[system]") {
  const Scratch scratch;
  put(scratch.path / "f", "old");
  { OutputFile(scratch.path / "f").write("new"); }
  CHECK(slurp(scratch.path / "f") == "old");
  CHECK(names(scratch.path) == std::set<std::string>{"f"});
  OutputFile file(scratch.path / "f");
  file.write("new");
  file.commit();
  CHECK(slurp(scratch.path / "f") == "new");
  CHECK_THROWS_AS(OutputFile(scratch.path), OutputError);
  CHECK_THROWS_AS(OutputFile(scratch.path / "no" / "such" / "directory"), OutputError);
}

TEST_CASE("a link stays one, a mode is kept, and a device stays what it is", "[system]") {
  const Scratch scratch;
  put(scratch.path / "f", "old");
  fs::permissions(scratch.path / "f", fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("f", scratch.path / "link");
  OutputFile through(scratch.path / "link");
  through.write("new");
  through.commit();
  CHECK(fs::is_symlink(scratch.path / "link"));
  CHECK(slurp(scratch.path / "f") == "new");
  CHECK(fs::status(scratch.path / "f").permissions() == (fs::perms::owner_read | fs::perms::owner_write));

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
  const Scratch scratch;
  OutputFile file(scratch.path / "f");
  file.write("half");
  file.flush();
  CHECK(names(scratch.path).empty());
  file.commit();
  CHECK(names(scratch.path) == std::set<std::string>{"f"});
}

TEST_CASE("what processes that are no more have left beside a file is removed", "[system]") {
  const Scratch scratch;
  const std::string here = host_name(), gone = "999999999";
  const auto own = fmt::format("f.tmp.{}.{}", here, getpid()), left = fmt::format("f.tmp.{}.{}", here, gone);
  const std::set<std::string> others{own, "f.tmp.x", fmt::format("g.tmp.{}.{}", here, gone),
                                     fmt::format("f.tmp.{}-2.{}", here, gone)}; // the last one is from another machine
  for (const auto& name : others) put(scratch.path / name, "half");
  put(scratch.path / left, "half");
  CHECK(temporary_path(scratch.path / "f") == scratch.path / own);
  CHECK(names(scratch.path) == others);
}

TEST_CASE("a link that leads to nothing yet stays one", "[system]") {
  const Scratch scratch;
  fs::create_symlink("f", scratch.path / "link");
  OutputFile through(scratch.path / "link");
  through.write("new");
  through.commit();
  CHECK(fs::read_symlink(scratch.path / "link") == "f");
  CHECK(slurp(scratch.path / "f") == "new");
  fs::create_symlink("round", scratch.path / "round");
  CHECK_THROWS_AS(OutputFile(scratch.path / "round"), OutputError);
  CHECK(fs::is_symlink(scratch.path / "round"));
}

TEST_CASE("a pipe that nobody reads is refused, not waited for", "[system]") {
  const Scratch scratch;
  REQUIRE(mkfifo((scratch.path / "pipe").c_str(), 0600) == 0);
  CHECK_THROWS_WITH(OutputFile(scratch.path / "pipe"), Catch::EndsWith("it is a pipe without a reader"));
}

TEST_CASE("several files are all written, or none", "[system]") {
  const Scratch scratch;
  CHECK_THROWS_AS(write_all({{scratch.path / "a", "1"}, {"/dev/full", "2"}}), ResultLost);
  CHECK(names(scratch.path).empty());
  write_all({{scratch.path / "a", "1"}, {scratch.path / "b", "2"}});
  CHECK(slurp(scratch.path / "a") + slurp(scratch.path / "b") == "12");
}

TEST_CASE("only a file of the same kind is replaced", "[system]") {
  const Scratch scratch;
  CHECK_NOTHROW(require_replaceable(scratch.path / "none", "<a>", "an a"));
  CHECK_NOTHROW(require_replaceable("/dev/null", "<a>", "an a"));
  put(scratch.path / "f", "");
  CHECK_NOTHROW(require_replaceable(scratch.path / "f", "<a>", "an a"));
  put(scratch.path / "f", "<a> and more");
  CHECK_NOTHROW(require_replaceable(scratch.path / "f", "<a>", "an a"));
  for (const auto* other : {"<b> and more", "<a"}) {
    put(scratch.path / "f", other);
    CHECK_THROWS_AS(require_replaceable(scratch.path / "f", "<a>", "an a"), OutputError);
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
