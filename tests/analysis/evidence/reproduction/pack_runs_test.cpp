#include "analysis/evidence/reproduction/pack_runs.hpp"

#include "tests/analysis/run/result/captured_scenario.hpp"
#include "tests/scenarios/packs/pack_support.hpp"

#include <catch2/catch.hpp>

using namespace gradflight;
using namespace gradflight::test;
using Catch::Contains;

namespace {

/// Writes a pack with a figure of one experiment with the scenario.
std::string pack_reading(const TemporaryDirectory& directory, const std::string& scenario, const std::string& value) {
  directory.write("figures.json", "[" + figure("a", "2") + "]");
  directory.write("s.json", scenario);
  return directory.write("reproduce.json", fmt::format(R"J({{ "paper": "Toy", "published": "figures.json",
  "experiments": [{{ "name": "x", "scenario": "s.json" }}], "figures": [{{ "id": "a", "value": "{}" }}] }})J",
                                                       value));
}

} // namespace

TEST_CASE("a pack's figure may read what real gradients weigh") {
  const TemporaryDirectory directory;
  const auto checked = check_pack(pack_reading(directory, testing::captured_scenario(), "2 * data.push.ratio(x)"));
  Simulations simulations(1);
  std::vector<const WantedRun*> runs;
  for (const WantedRun& run : checked.experiments) runs.push_back(&run);
  simulations.run(runs);
  const auto found = scores(checked.pack, all_figures(checked.pack), runs, simulations);
  REQUIRE(found.size() == 1);
  const double ratio = simulations.value(checked.experiments.front().prepared.id(), "data.push.ratio");
  CHECK(ratio > 1);
  CHECK(found.front().simulated == 2 * ratio);
}

TEST_CASE("a pack's figure may read neither what its scenario has not, nor a closed form") {
  const TemporaryDirectory directory;
  const auto errors = [&](const std::string& value) {
    return errors_of([&] { check_pack(pack_reading(directory, minimal, value)); });
  };
  CHECK(errors("wire_bytes(x)").empty());
  CHECK_THAT(errors("data.push.ratio(x)"), Contains("reproduce.json:") && Contains("no real gradients"));
  CHECK_THAT(errors("closed_form.time_s(x)"), Contains("closed_form"));
}
