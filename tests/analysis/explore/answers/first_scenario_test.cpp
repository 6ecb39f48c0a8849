#include "analysis/explore/answers/first_scenario.hpp"
#include "analysis/run/prepare.hpp"

#include <catch2/catch.hpp>

using namespace gradflight;

namespace {

Scenario read(const FirstScenario& said) {
  return prepare_changed(ScenarioSource{"first.json", first_scenario_json(with_usual(said))}, {}).scenario();
}

} // namespace

TEST_CASE("a first scenario can be read whatever was said") {
  const Scenario usual = read({});
  CHECK(usual.workers() == 128);
  CHECK(usual.workload.name == "bert-large");

  FirstScenario racks;
  racks.nodes = "8";
  racks.gpus_per_node = "1";
  racks.oversubscription = "4";
  racks.step = "450ms";
  racks.compression = "fp16";
  const Scenario oversubscribed = read(racks);
  CHECK(oversubscribed.workers() == 8);
  CHECK(oversubscribed.workload.forward() + oversubscribed.workload.backward() == Approx(0.45));

  FirstScenario machine;
  machine.machine = "dgx-h100";
  machine.nodes = "4";
  machine.parameters = "7B";
  machine.step = "1s";
  const Scenario of_machines = read(machine);
  CHECK(of_machines.workers() == 32);
  CHECK(of_machines.workload.elements() == 7'000'000'000);
}

TEST_CASE("a machine of the catalogue computes on its own GPU") {
  FirstScenario said;
  said.machine = "dgx-h100";
  CHECK(with_usual(said).gpu == "H100");
  said.gpu = "A100";
  CHECK(with_usual(said).gpu == "A100");
  said.gpu.clear();
  said.machine = "no-such-machine";
  CHECK(with_usual(said).gpu == "A100");
  CHECK(with_usual({}).gpu == "A100");
}

TEST_CASE("an oversubscription may be written as a ratio") {
  FirstScenario said;
  said.oversubscription = "4:1";
  CHECK(with_usual(said).oversubscription == "4");
  said.oversubscription = "4:2";
  CHECK(with_usual(said).oversubscription == "2");
  said.oversubscription = "4:0";
  CHECK(with_usual(said).oversubscription == "4:0");
  said.oversubscription = "4:x";
  CHECK(with_usual(said).oversubscription == "4:x");
}

TEST_CASE("a hierarchical exchange groups the GPUs of a machine") {
  FirstScenario said;
  said.algorithm = "hierarchical";
  said.nodes = "4";
  CHECK(first_scenario_json(with_usual(said)).find(R"("group_size": 8)") != std::string::npos);
  CHECK(read(said).workers() == 32);
  said.machine = "gh200-x4-slingshot";
  CHECK(first_scenario_json(with_usual(said)).find(R"("group_size": 4)") != std::string::npos);
  CHECK(read(said).workers() == 16);
}

TEST_CASE("an answer to a settled question has no effect") {
  FirstScenario said;
  const auto reasons = [&] {
    std::vector<std::string> found;
    for (const FirstQuestion& question : first_questions())
      if (const std::string why = without_effect(question, said); !why.empty()) found.push_back(why);
    return found;
  };
  said.gpu = "H100";
  said.step = "100ms";
  CHECK(reasons().empty());
  said.layers = "12";
  CHECK(reasons() == std::vector<std::string>{"has no effect without --parameters"});
  said.parameters = "1B";
  CHECK(reasons().empty());
  said.model = "gpt2";
  CHECK(reasons().size() == 2);
}

TEST_CASE("what is settled is not asked") {
  FirstScenario said;
  const auto settled_options = [&] {
    std::vector<std::string> names;
    for (const FirstQuestion& question : first_questions())
      if (settled(question, said)) names.emplace_back(question.option);
    return names;
  };
  said.model = "resnet50";
  CHECK(settled_options() == std::vector<std::string>{"--parameters", "--layers"});
  said.machine = "dgx-a100";
  said.step = "100ms";
  CHECK(settled_options() == std::vector<std::string>{"--gpus-per-node", "--bandwidth", "--latency",
                                                      "--oversubscription", "--parameters", "--layers", "--gpu"});
}

TEST_CASE("what cannot be is told where it stands, all at once") {
  FirstScenario wrong;
  wrong.nodes = "0";
  wrong.latency = "5";
  try {
    read(wrong);
    FAIL("read");
  } catch (const InputErrors& errors) {
    REQUIRE(errors.diagnostics().size() == 2);
    CHECK(errors.diagnostics()[0].pointer == "/platform/nodes");
    CHECK(errors.diagnostics()[1].pointer == "/platform/network/link/latency");
  }
}
