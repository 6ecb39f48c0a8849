#include "analysis/explore/regression/golden_report.hpp"

#include "tests/scenarios/support.hpp"

#include <catch2/catch.hpp>

using namespace gradflight;
using namespace gradflight::test;
using Catch::Contains;
using State = GoldenFile::State;

namespace {

/// Two expected numbers; `moved` of them differ from the results.
GoldenFile golden(const std::string& file, State state, std::size_t moved = 0) {
  GoldenFile golden{file, Prepared(with({})), OwnExpect::filled, state, {}, {}, {}};
  golden.outcome = {golden.prepared.scenario(), "id", {}, {}};
  golden.outcome.result.time = 2;
  for (std::size_t i = 0; i < 2; ++i)
    golden.check.quantities.push_back({{i == 0 ? "time_s" : "messages", 1, 0, ""}, i < moved ? 2.0 : 1.0});
  return golden;
}

std::vector<GoldenFile> golden_of_each_state() {
  std::vector<GoldenFile> files;
  files.push_back(golden("golden/ok.json", State::ok));
  files.push_back(golden("golden/moved.json", State::moved, 1));
  files.push_back(golden("golden/accepted.json", State::accepted, 1));
  files.push_back(golden("golden/empty.json", State::empty));
  files.push_back(golden("golden/failed.json", State::failed));
  files.push_back(golden("golden/plain.json", State::not_gated));
  files[4].message = "deadlock";
  return files;
}

} // namespace

TEST_CASE("a golden scenario in a line") {
  CHECK(remark(golden("a", State::ok)) == "2 numbers as expected");
  CHECK(remark(golden("a", State::moved, 1)) == "1 of 2 numbers moved");
  CHECK(remark(golden("a", State::accepted, 2)) == "2 of 2 numbers moved, now expected");
  CHECK(remark(golden("a", State::accepted)) == "now expects 2 numbers, nothing before");
  CHECK_THAT(remark(golden("a", State::empty)), Contains("--accept"));
  CHECK(remark(golden_of_each_state()[4]) == "deadlock");
  CHECK(remark(golden("a", State::not_gated)) == "expects nothing");
}

TEST_CASE("every state is counted under its name") {
  auto files = golden_of_each_state();
  files.push_back(golden("again", State::moved));
  using Counts = std::vector<std::pair<std::string, std::size_t>>;
  CHECK(tally(files) ==
        Counts{{"ok", 1}, {"moved", 2}, {"accepted", 1}, {"empty", 1}, {"failed", 1}, {"not gated", 1}});
  for (const GoldenFile& file : files) CHECK_FALSE(std::string(state_name(file.state)).empty());
}

TEST_CASE("a JUnit case for each that is gated: moved and empty fail, without a result is an error") {
  const auto cases = junit_cases(golden_of_each_state());
  REQUIRE(cases.size() == 5);
  using Kind = JunitCase::Kind;
  const std::vector<Kind> kinds = {Kind::passed, Kind::failure, Kind::passed, Kind::failure, Kind::error};
  for (std::size_t i = 0; i < cases.size(); ++i) CHECK(cases[i].kind == kinds[i]);
  CHECK(cases[1].name == "moved.json");
  CHECK(cases[1].message == "time_s +100 %");
  CHECK_THAT(cases[1].text, Contains("golden/moved.json\n") && Contains("time_s") && !Contains("messages"));
  CHECK(cases[4].message == "deadlock");
  CHECK(cases[0].message.empty());
}

TEST_CASE("a JUnit case's class is the folder, however it was written") {
  const auto class_of = [](const std::string& file) {
    std::vector<GoldenFile> files;
    files.push_back(golden(file, State::ok));
    return junit_cases(files).front().classname;
  };
  CHECK(class_of("scenarios/golden/a.json") == "scenarios.golden");
  CHECK(class_of("./scenarios/../scenarios/golden/a.json") == "scenarios.golden");
  CHECK(class_of("../golden/a.json") == "golden");
  CHECK(class_of("/tmp/golden/a.json") == "tmp.golden");
  CHECK(class_of("a.json") == "gradflight");
}
