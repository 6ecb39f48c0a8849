#include "analysis/explore/regression/golden_file.hpp"

#include "analysis/explore/regression/golden_report.hpp"
#include "source_dir.hpp"
#include "tests/analysis/run/result/captured_scenario.hpp"
#include "tests/scenarios/support.hpp"

#include <catch2/catch.hpp>
#include <limits>

using namespace gradflight;
using namespace gradflight::test;
using Catch::Contains;
using State = GoldenFile::State;

namespace {

std::vector<GoldenFile> regressed(const std::string& path) {
  auto files = load_golden({path});
  simulate_gated(files, 1, [](const GoldenFile&) {});
  return files;
}

} // namespace

TEST_CASE("a golden scenario may expect what real gradients weigh and lose, and accepts what they do") {
  const TemporaryDirectory directory;
  const auto path = directory.write(
      "a.json", testing::captured_scenario(R"(, "expect": [{ "quantity": "data.push.ratio", "value": 1 },
    { "quantity": "data.aggregate_max_error", "value": 0 }, { "quantity": "data.exchanges.0.push.payload_bytes", "value": 0 }])"));
  auto files = regressed(path);
  REQUIRE(files.size() == 1);
  REQUIRE(files.front().state == State::moved);
  const auto& data = files.front().outcome.result.data.value();
  for (const auto& [name, value] : {std::pair{"data.push.ratio", data.steps[0].push_payload / data.steps[0].push_wire},
                                    std::pair{"data.aggregate_max_error", data.max_error.value()}}) {
    INFO(name);
    CHECK(files.front().check.find(name)->got == Approx(value));
  }
  CHECK(files.front().check.moved() == 3);
  accept(files);
  CHECK(files.front().state == State::accepted);
  CHECK(regressed(path).front().state == State::ok);
}

TEST_CASE("a number that is not finite cannot be accepted") {
  const TemporaryDirectory directory;
  std::string text = minimal;
  text.insert(text.rfind('}'), R"(, "expect": [{ "quantity": "time_s", "value": 1 }] )");
  std::vector<GoldenFile> files = regressed(directory.write("a.json", text));
  REQUIRE(files.front().state == State::moved);
  for (const double got : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    files.front().check.quantities.front().got = got;
    accept(files);
    CHECK(files.front().state == State::moved);
  }
  files.front().check.quantities.front().got = 2;
  accept(files);
  CHECK(files.front().state == State::accepted);
}

TEST_CASE("numbers of real gradients are no expectation of a scenario without them") {
  const TemporaryDirectory directory;
  std::string text = minimal;
  text.insert(text.rfind('}'), R"(, "expect": [{ "quantity": "data.push.ratio", "value": 1 }] )");
  CHECK_THAT(errors_of([&] { load_golden({directory.write("a.json", text)}); }),
             Contains("/expect/0/quantity") && Contains("no real gradients"));
}

TEST_CASE("what a file inherits is accepted where it is written, and a gate that would gate nothing is an error") {
  const TemporaryDirectory directory;
  directory.write("base.json", minimal);
  CHECK_THAT(errors_of([&] { load_golden({directory.path()}); }), Contains("none of 1 scenario file has \"expect\""));
  directory.write("own.json", R"({ "extends": "base.json", "expect": [{ "quantity": "messages", "value": 1 }] })");
  directory.write("heir.json", R"({ "extends": "own.json" })");
  directory.write("new.json", R"({ "extends": "own.json", "expect": [] })");
  auto files = regressed(directory.path());
  const auto states = [&] {
    std::vector<State> all;
    for (const GoldenFile& golden : files) all.push_back(golden.state); // base, heir, new, own
    return all;
  };
  CHECK(states() == std::vector{State::not_gated, State::moved, State::empty, State::moved});
  CHECK(files[1].own == OwnExpect::none);
  accept(files);
  CHECK(states() == std::vector{State::not_gated, State::accepted, State::accepted, State::accepted});
  CHECK(own_expect(read_scenario(directory.path("heir.json"))) == OwnExpect::none);
  files = regressed(directory.path());
  CHECK(states() == std::vector{State::not_gated, State::ok, State::ok, State::ok});
}

// The program's test does this with `regress`. The sanitized build has no program, and must give the same bits.
TEST_CASE("golden scenarios take as long as expected in any build") {
  const auto files = regressed(GF_SOURCE_DIR "/scenarios/golden");
  CHECK(files.size() > 10);
  for (const GoldenFile& golden : files) {
    INFO(golden.file.string() << ": " << remark(golden));
    CHECK(golden.state == State::ok);
  }
}
