// Schedules of users in scenarios: read with their positions, written, and run by both engines.
#include "models/schedules/written/written_schedule.hpp"
#include "scenarios/language/decode/canonical.hpp"
#include "tests/scenarios/support.hpp"
#include "tests/support/forked.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fmt/format.h>

using namespace gradflight;
using namespace gradflight::test;

namespace {

/// Recursive doubling of four ranks.
const std::string doubling = [] {
  std::string steps;
  for (int rank = 0; rank < 4; ++rank) {
    steps += rank > 0 ? ",[" : "[";
    for (const int far : {1, 2})
      steps +=
          fmt::format(R"({0}{{"send":{{"to":{1},"blocks":[0]}},"receive":{{"from":{1},"blocks":[0],"reduce":true}}}})",
                      far > 1 ? "," : "", rank ^ far);
    steps += "]";
  }
  return R"({"operation":"all_reduce","ranks":4,"blocks":1,"steps":[)" + steps + "]}";
}();

Scenario with_schedule(const std::string& schedule, const std::vector<std::string>& more = {}) {
  std::vector<std::string> sets = {"platform.nodes=4", R"(training.exchange={"algorithm":{"file":)" + schedule + "}}"};
  sets.insert(sets.end(), more.begin(), more.end());
  return with(sets);
}

std::string errors_of_schedule(const std::string& schedule) {
  return errors_of([&] { with_schedule(schedule); });
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

} // namespace

TEST_CASE("a schedule of one's own is read, written back, and as fast as the same of the catalogue by both engines") {
  const TemporaryDirectory directory;
  const std::string path = directory.write("mine.json", doubling);
  const Scenario here = with_schedule(doubling), named = with_schedule("\"" + path + "\"");
  REQUIRE(named.phases.back().training.exchange.written != nullptr);
  CHECK(named.phases.back().training.exchange.written->steps.size() == 4);
  CHECK(canonical_json(here) == canonical_json(named));
  CHECK(scenario_id(here) == scenario_id(named));
  CHECK(canonical_json(parse_scenario(canonical_json(here), "again.json")) == canonical_json(here));
  const double time = run(with({"platform.nodes=4", "training.exchange.algorithm=recursive_doubling"})).time;
  CHECK(run(here, EngineKind::hybrid).time == Approx(time).epsilon(1e-12));
  CHECK(run(named, EngineKind::simgrid).time == Approx(time).epsilon(1e-9));
  CHECK(run(with_schedule(doubling, {"training.iterations=3", "training.granularity={\"segments\":3}",
                                     "training.overlap=layerwise", "training.streams=2"}))
            .time > time);
}

TEST_CASE("a warm-up phase may have a schedule of its own") {
  const Scenario s = with_schedule(
      doubling, {R"(training.warmup=[{"iterations":1,"exchange":{"algorithm":"ring"}},{"iterations":1}])"});
  CHECK(s.phases[0].training.exchange.written == nullptr);
  CHECK(s.phases[1].training.exchange.written != nullptr);
  CHECK(canonical_json(parse_scenario(canonical_json(s), "again.json")) == canonical_json(s));
}

TEST_CASE("mistakes of a schedule are told at their places in its file") {
  const TemporaryDirectory directory;
  const std::string broken = replaced(replaced(doubling, "[{\"send\":{\"to\":1,", "[\n{\"send\":{\"to\":0,"),
                                      "\"from\":2,\"blocks\":[0],\"reduce\":true", "\"from\":2,\"blocks\":[1]");
  const std::string path = directory.write("broken.json", broken);
  const std::string errors = errors_of_schedule("\"" + path + "\"");
  INFO(errors);
  CHECK(errors.find(path + ":2:15: /training/exchange/algorithm/file/steps/0/0/send/to: rank 0 waits for itself") !=
        std::string::npos);
  CHECK(errors.find("/steps/0/1/receive/blocks: block 1 does not exist; blocks are 0 to 0") != std::string::npos);
}

TEST_CASE("a schedule that does not fit its job, or is none, is refused") {
  const auto refused = [](const std::string& schedule, const std::string& message) {
    const std::string errors = errors_of_schedule(schedule);
    INFO(errors);
    CHECK(errors.find(message) != std::string::npos);
  };
  refused(replaced(doubling, "all_reduce", "all_reduse"), "did you mean \"all_reduce\"?");
  refused(replaced(doubling, "\"ranks\":4", "\"ranks\":5"), "4 lists of steps for 5 ranks");
  refused(replaced(doubling, "\"blocks\":1", "\"blocks\":1,\"root\":1"), "\"root\" has no effect here");
  std::string received, sent;
  for (int rank = 1; rank < 4; ++rank) {
    received += fmt::format(R"({}{{"receive":{{"from":{},"blocks":[0],"reduce":true}}}})", rank > 1 ? "," : "", rank);
    sent += R"(,[{"send":{"to":0,"blocks":[0]}}])";
  }
  refused(R"({"operation":"reduce","ranks":4,"blocks":1,"steps":[[)" + received + "]" + sent + "]}",
          "this one is reduce");
  refused(R"({"operation":"all_gather","ranks":4,"blocks":6,"steps":[[],[],[],[]]})", "6 blocks are no multiple of 4");
  refused(R"({"operation":"all_reduce","ranks":2,"steps":[[],[]]})", "block 0 ends on rank 0 without");
  refused(R"({"operation":"all_reduce","ranks":4})", "\"steps\" is missing");
  refused("7", "expected an object");
  CHECK(errors_of([] { with_schedule(doubling, {"platform.nodes=8"}); }).find("is for 4 ranks, but the job has 8") !=
        std::string::npos);
  CHECK(errors_of([] {
          with_schedule(doubling, {R"(training.compression={"ratio":2,"placement":"gpu"})"});
        }).find("calls of a schedule from a file cannot run a codec") != std::string::npos);
  CHECK(errors_with({"training.exchange.algorithm=file"}).find("is not an algorithm") != std::string::npos);
}

TEST_CASE("more steps than are taken are counted, not read") {
  std::string steps(3 * 1'000'001, ' ');
  for (std::size_t i = 0; i < steps.size(); i += 3) steps.replace(i, 3, "{},");
  steps.pop_back();
  const std::string errors = errors_of_schedule(R"({"operation":"all_reduce","ranks":1,"steps":[[)" + steps + "]]}");
  CHECK(errors.find("1000001 steps are more than 1000000") != std::string::npos);
  CHECK(errors.size() < 10'000); // the message contains a shortened --set
}
