// The sensitivities of figures to a pack's numbers and choices, and the values of closed forms.
#include "analysis/evidence/reproduction/pack_choice.hpp"
#include "analysis/evidence/reproduction/pack_sensitivity.hpp"
#include "tests/scenarios/packs/pack_support.hpp"

#include <catch2/catch.hpp>

using namespace gradflight;
using namespace gradflight::test;

namespace {

/// A ring of p at 1 GB/s with 5 us per cable: t(p) = compute + 2(p-1) (10 us + 8 MB / (p 1 GB/s)).
double ring_seconds(int p, double compute, double latency) {
  return compute + 2. * (p - 1) * (2 * latency + 8e6 / p / 1e9);
}

PaperScore judged(const TemporaryDirectory& directory, const std::string& value) {
  directory.write("figures.json", "[" + figure("a", "0.02") + "]");
  directory.write("s.json", R"J({ "platform": { "nodes": 4, "network": { "topology": "star",
      "link": { "bandwidth": "8Gbps", "latency": "5us" } } },
    "workload": { "layers": [ { "name": "l", "forward": "1ms", "backward": "2ms", "tensors": [ { "name": "t", "bytes": "8MB" } ] } ] },
    "training": { "exchange": { "algorithm": "ring" }, "iterations": 3 } })J");
  const auto file = directory.write("reproduce.json", fmt::format(R"J({{ "paper": "Toy", "published": "figures.json",
    "experiments": [{{ "name": "x", "scenario": "s.json" }}], "figures": [{{ "id": "a", "value": "{}" }}],
    "given": [ {{ "name": "compute", "file": "s.json", "at": "/workload/layers", "time": true, "why": "w" }},
      {{ "name": "bandwidth", "file": "s.json", "at": "/platform/network/link/bandwidth", "why": "w" }} ],
    "choices": [ {{ "what": "a", "alternatives": "b", "tried_on": "c", "without": {{ "set": {{ "platform.nodes": 2 }} }} }},
      {{ "what": "a", "alternatives": "b", "tried_on": "c" }} ] }})J",
                                                                  value));
  static std::vector<CheckedPack> packs; // scores point into it
  packs = load_packs({file});
  const PackSensitivity sensitivity(packs.front());
  Simulations simulations(1);
  std::vector<const WantedRun*> wanted{&packs.front().experiments.front()};
  sensitivity.add_runs(wanted);
  simulations.run(wanted);
  auto board = score_all(packs, simulations);
  sensitivity.judge(board.front(), simulations);
  return board.front();
}

} // namespace

TEST_CASE("sensitivities are those of the formula, and choices are simulated without") {
  const TemporaryDirectory directory;
  const auto paper = judged(directory, "iteration_time_s(x)");
  const auto& a = paper.figures.front();
  const double time = ring_seconds(4, 3e-3, 5e-6), bytes = 1.5 * 8e6 / 1e9;
  REQUIRE(a.sensitivities.size() == 2);
  CHECK(*a.simulated == Approx(time));
  CHECK(a.sensitivities[0] == Approx(std::log1p(0.01 * 3e-3 / time) / std::log(1.01)));
  CHECK(a.sensitivities[1] == Approx(std::log1p(bytes * (1 / 1.01 - 1) / time) / std::log(1.01)));
  CHECK(*a.input_share == a.sensitivities[0]); // the bandwidth is not a time
  CHECK(a.role() == FigureRole::predicted);
  REQUIRE(paper.choices.size() == 2);
  CHECK(paper.choices[0].with.median.value() == Approx(std::abs(time / 0.02 - 1)));
  CHECK(paper.choices[0].without.median.value() == Approx(std::abs(ring_seconds(2, 3e-3, 5e-6) / 0.02 - 1)));
  CHECK(paper.choices[1].with.count == 0);
}

TEST_CASE("a figure that is 0 hangs on nothing, and no error is past what a double holds") {
  const TemporaryDirectory directory;
  const auto none = judged(directory, "0 * time_s(x)").figures.front();
  CHECK(none.sensitivities == std::vector<double>{0, 0});
  CHECK(none.non_input_error() == -1);
  auto far = none;
  far.input_share = std::nextafter(1.0, 0.0);
  far.relative_error = 1e300;
  CHECK_FALSE(far.non_input_error());
  far.closed_form = -1.7e308;
  CHECK_FALSE(far.form_error()); // its value over 0.02 is out of range
}

TEST_CASE("a closed form stands in the place of every simulated time of a figure") {
  const TemporaryDirectory directory;
  const double time = ring_seconds(4, 3e-3, 5e-6);
  const auto form = [&](const std::string& value) { return judged(directory, value).figures.front().closed_form; };
  CHECK(form("iteration_time_s(x)").value() == Approx(time).epsilon(1e-12));
  CHECK(form("time_s(x) / 3").value() == Approx(time).epsilon(1e-12));
  CHECK(form("iterations.1.end_s(x) - iterations.0.end_s(x)").value() == Approx(time).epsilon(1e-12));
  CHECK(form("iteration_breakdown.alpha_s(x)").value() == Approx(6 * 1e-5));
  CHECK(form("breakdown.beta_s(x)").value() == Approx(3 * 1.5 * 8e-3));
  CHECK(form("iteration_time_s(x) - compute_time_s(x)").value() == Approx(time - 3e-3)); // compute is always simulated
  CHECK_FALSE(form("wire_bytes(x)"));                                                    // not a time
  CHECK_FALSE(form("time_s(x) - exposed_communication_time_s(x)"));
}
