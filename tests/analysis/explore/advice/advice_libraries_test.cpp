// Advice on scenarios whose exchange is a library's calls.
#include "tests/analysis/explore/advice/advice_cases.hpp"

#include <nlohmann/json.hpp>
#include <set>

using namespace gradflight;
using namespace gradflight::test;

TEST_CASE("a library is offered where its calls are possible alone") {
  const auto offered = [](const char* machine, int nodes) {
    const ScenarioSource source = source_of(fmt::format(R"({{ "machine": "{}", "nodes": {} }})", machine, nodes));
    const Prepared prepared = prepare_changed(source, {});
    std::set<std::string> libraries;
    for (const WhatIf& what : what_ifs(prepared.scenario(), prepared.canonical())) {
      const std::string name = what.topic == "exchange" ? what.set.front().second.value("algorithm", "") : "";
      if (!name.starts_with("nccl") && !name.starts_with("rccl") && !name.starts_with("mpi")) continue;
      INFO(machine << " " << name);
      CHECK_NOTHROW(prepare_changed(source, {what.sets(), {}, {}}));
      libraries.insert(name);
    }
    return libraries;
  };
  CHECK(offered("dgx-h100", 1).contains("nccl:nvls"));
  const auto without_reduction = offered("dgx-a100", 2); // its switches do not reduce, and RCCL has no tables for A100
  CHECK(without_reduction.contains("nccl"));
  CHECK(without_reduction.contains("nccl:tree"));
  CHECK_FALSE(without_reduction.contains("nccl:nvls"));
  CHECK_FALSE(without_reduction.contains("rccl"));
  const auto two_nodes = offered("dgx-h100", 2);
  CHECK_FALSE(two_nodes.contains("nccl:nvls")); // between nodes it would need a network that reduces
  CHECK(two_nodes.contains("nccl:nvls_tree"));
  CHECK(offered("mi300x-8", 1).contains("rccl"));
  CHECK(offered("rack-25gbe", 1).contains("nccl"));
}

TEST_CASE("a library's hops are named beside latency, which links alone do not lower") {
  const Advice advice = advice_on({"nccl.json", R"({ "platform": "dgx-a100", "workload": { "tensors": [
    { "name": "g", "bytes": "16KB" }] }, "training": { "exchange": { "algorithm": "nccl" } } })"});
  CHECK(advice.step.bounds.front().what == Bounding::latency);
  CHECK(advice.step.verdict.starts_with("Latency with the library's hops bounds the step: "));
}

TEST_CASE("where a library chooses differently because of a change, advice names the choice") {
  const Advice advice =
      advice_on(source_of(R"({ "machine": "dgx-1-v100", "nodes": 2 })", R"({ "algorithm": "nccl" })", "", "4MB"));
  CHECK(advice.step.call == "nccl:tree LL128, 8 channels");
  CHECK(gain_of(advice, "unlimited NICs") > 0.02);
  CHECK(find(advice, "unlimited NICs")->step.call == "nccl:ring LL128, 16 channels");
  CHECK(find(advice, "unlimited NVLink")->step.call == advice.step.call);
  const std::string text = advice_text(advice);
  CHECK(text.find("The library then chooses nccl:ring LL128, 16 channels.\n") != std::string::npos);
  CHECK(text.find("The library then chooses mpi") == std::string::npos); // that is the change itself
  const auto json = nlohmann::json::parse(advice_json(advice));
  CHECK(json.at("call") == advice.step.call);
  for (const auto& what : json.at("what_if")) {
    if (what.at("change") == "unlimited NICs") CHECK(what.at("call") == "nccl:ring LL128, 16 channels");
    if (what.at("change") == "unlimited NVLink") CHECK_FALSE(what.contains("call"));
  }
  const Advice plain = advise(source_of(star_with("")), {}, {.budget = 0, .jobs = 1});
  CHECK(plain.step.call.empty());
  CHECK_FALSE(nlohmann::json::parse(advice_json(plain)).contains("call"));
}

TEST_CASE("faster hardware is also tried with the algorithm that a library chooses now") {
  // With NICs twice as fast, NCCL would take rings, which gain less than its trees. Uplinks do not matter.
  const Advice advice =
      advice_on(source_of(R"({ "machine": "rack-25gbe", "nodes": 2 })", R"({ "algorithm": "nccl" })", "", "200MB"));
  CHECK(advice.step.call == "nccl:tree Simple, 2 channels");
  CHECK(find(advice, "NICs and uplinks x 2")->step.call == "nccl:ring Simple, 2 channels");
  const Tried* kept = find(advice, "NICs and uplinks x 2 + NCCL's trees");
  REQUIRE(kept != nullptr);
  CHECK(kept->step.call == advice.step.call);
  CHECK(kept->gain > 0.2);
  CHECK(gain_of(advice, "NICs and uplinks x 2") < 0.6 * kept->gain);
}

TEST_CASE("advice says that a lower latency shortens the waiting for credits") {
  const Advice advice = advice_on(source_of(
      R"({ "machine": "dgx-a100", "nodes": 2, "overrides": [{ "link": "node1.nic1.up", "latency": "10ms" }] })",
      R"({ "algorithm": "nccl" })", "", "100MB"));
  CHECK(advice.step.bounds.front().noun() == "waiting for credits");
  CHECK_THAT(advice_text(advice), Catch::Contains("Links with a lower latency also shorten the waiting for credits"));
}

TEST_CASE("a library's link gains no more than its own share and the protocol's, if the library chooses alike") {
  const Advice advice =
      advice_on(source_of(R"({ "machine": "rack-100gbe", "nodes": 2 })", R"({ "algorithm": "nccl" })", "", "1MB"));
  const auto share = [&](Bounding what) {
    double sum = 0;
    for (const Bound& bound : advice.step.bounds) sum += bound.what == what ? bound.share : 0;
    return sum;
  };
  const Tried* nvlink = find(advice, "unlimited NVLink");
  REQUIRE(nvlink != nullptr);
  CHECK(nvlink->step.call == advice.step.call);
  CHECK(nvlink->gain > share(Bounding::intra_node)); // so the text explains it
  CHECK(nvlink->gain <= share(Bounding::intra_node) + share(Bounding::protocol) + 1e-4);
  CHECK_THAT(advice_text(advice), Catch::Contains("Faster links also shorten the protocol's share"));
}

TEST_CASE("advice says that algorithms outside of a library lack its launches and hops") {
  const Advice advice =
      advice_on(source_of(R"({ "machine": "rack-100gbe", "nodes": 2 })", R"({ "algorithm": "nccl" })", "", "8kB"));
  const Tried* direct = find(advice, "direct sends");
  REQUIRE(direct != nullptr);
  CHECK(direct->gain > 0.3);
  CHECK(leaves_library(advice, *direct));
  CHECK_FALSE(leaves_library(advice, *find(advice, "unlimited NVLink")));
  CHECK_THAT(advice_text(advice),
             Catch::Contains("Other algorithms than the library's are simulated without its launches"));
  const auto rows = nlohmann::json::parse(advice_json(advice))["what_if"];
  REQUIRE(rows.size() == advice.tried.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    CHECK(rows[i].contains("without_library_costs") == leaves_library(advice, advice.tried[i]));
  const Advice plain = advise(source_of(star_with("")), {}, {.budget = 30, .jobs = 1});
  CHECK(other_library_text(plain).empty());
}
