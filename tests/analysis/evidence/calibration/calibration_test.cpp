// Calibration with times from the simulator: it must find the parameters of the simulation.
#include "analysis/evidence/calibration/calibration.hpp"

#include "analysis/evidence/calibration/calibration_text.hpp"
#include "scenarios/language/json/diagnostics.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

using namespace gradflight;

namespace {

constexpr double true_alpha = 3e-4, efficiency = 0.87, reduce_bandwidth = 3e9;

/// Returns cases as rows with the times of a platform with the values above. Rates and sizes differ from those of the
/// measurements in the repository.
std::string synthetic(const std::vector<std::string>& rows) {
  const std::string header = "experiment,rate_mbit,p,bytes,algorithm,rep,seconds\n";
  std::string text = header;
  for (const std::string& row : rows) text += row + ",0,1\n";
  Measurements blank = parse_measurements(text, "blank.csv");
  text = header;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Experiment experiment = make_experiment(blank.cases[i], {}, "blank.csv");
    experiment.scenario.platform.message_overhead = Seconds(true_alpha);
    experiment.scenario.platform.protocol->efficiency = efficiency;
    experiment.scenario.platform.reduce_bandwidth = ByteRate(reduce_bandwidth);
    text += fmt::format("{},0,{}\n", rows[i], simulate_experiments({&experiment}, 1).front());
  }
  return text;
}

const FittedParameter& parameter(const std::optional<FitResult>& result, std::size_t index) {
  REQUIRE(result);
  return result->parameters.at(index);
}

} // namespace

TEST_CASE("calibration finds the values that made the times, at any rate and size") {
  const Measurements m = parse_measurements(
      synthetic({"p2p,20,2,10000,eager", "p2p,20,2,300000,eager", "p2p,700,2,5000000,rendezvous",
                 "reduce,0,1,500000,float", "reduce,0,1,4000000,float", "ring,20,6,700000,rendezvous",
                 "halving_doubling,700,8,9000000,rendezvous", "hierarchical,300,8,2000000,eager",
                 "parameter_server,20,3,100000,eager", "parameter_server_push,20,3,100000,eager",
                 "topk_tree,20,5,200000,rendezvous", "recursive_doubling,20,5,200000,eager"}),
      "synthetic.csv");
  const Calibration c = calibrate(m, {});
  CHECK(parameter(c.transfer, 0).name == "message_overhead");
  CHECK(parameter(c.transfer, 0).value == Approx(true_alpha).epsilon(1e-3));
  CHECK(parameter(c.transfer, 1).value == Approx(efficiency).epsilon(1e-3));
  CHECK(parameter(c.transfer, 1).identified);
  CHECK(parameter(c.reduction, 0).value == Approx(reduce_bandwidth).epsilon(1e-3));
  CHECK(c.fitted.size() == 5);
  REQUIRE(c.groups.size() == 2);
  for (const ComparedGroup& group : c.groups) {
    CHECK(group.met() == group.cases.size());
    for (const ComparedCase& compared : group.cases)
      CHECK(compared.simulated == Approx(compared.measured->median()).epsilon(1e-3));
  }
  CHECK(c.groups[0].algorithm == "rendezvous");
  CHECK(c.groups[0].cases.size() == 3);
  CHECK(c.groups[1].cases.size() == 4);
  CHECK(c.platform.network.link.bandwidth.value() == Approx(700e6 / 8));
}

TEST_CASE("the settings decide what is fitted to and compared, and what is known") {
  const Measurements m = parse_measurements(
      synthetic({"p2p,20,2,300000,eager", "ring,20,4,700000,eager", "ring,20,4,70000,eager", "ring,20,4,700,eager"}),
      "synthetic.csv");
  CalibrationSettings settings;
  settings.fit_to = {"ring"};
  settings.above = 0;
  settings.tolerance = 1e-3;
  const Calibration c = calibrate(m, settings);
  CHECK(c.fitted.size() == 3);
  CHECK_FALSE(c.reduction);
  REQUIRE(c.groups.size() == 1);
  CHECK(c.groups[0].met() == 1);
  settings.sets = {"platform.protocol.efficiency=0.5", "platform.nodes=1000000000"};
  CHECK_THROWS_AS(calibrate(m, settings), InputErrors);
  settings.sets.clear();
  settings.fit_to = {"topk_tree"};
  CHECK_THROWS_WITH(
      calibrate(m, settings),
      "synthetic.csv: the file has no rows of experiment topk_tree to fit to; it has rows of p2p, ring\n");
}

TEST_CASE("there must be something to fit to, and every mistake is told where it stands") {
  const std::string header =
      "experiment,rate_mbit,p,bytes,algorithm,rep,seconds,training.exchange.severs,platform.nic.engines\n";
  const auto errors_of = [&](const std::string& rows, std::vector<std::string> fit_to, std::vector<std::string> sets) {
    const Measurements m = parse_measurements(header + rows, "dir/m.csv");
    CalibrationSettings settings;
    settings.fit_to = std::move(fit_to);
    settings.sets = std::move(sets);
    try {
      calibrate(m, settings);
    } catch (const InputErrors& errors) {
      return errors.format();
    }
    return std::string();
  };
  CHECK(errors_of("ring,50,4,1000,eager,0,1,,\n", {"reduce", "reduce"}, {}) ==
        "dir/m.csv: the file has no rows of experiment reduce to fit to; it has rows of ring\n");
  CHECK(errors_of("ring,50,4,1000,eager,0,1,,\np2p,50,4,1000,eager,0,0,,\np2p,50,4,1000,eager,1,0,,\n",
                  {"p2p", "reduce"}, {}) ==
        "dir/m.csv:3:1: the medians of experiment p2p are all 0 s, so nothing can be fitted to them\n");
  const std::string told =
      errors_of("p2p,50,2,1000,eager,0,1,3,\np2p,50,2,2000,eager,0,1,3,\nnone.json,50,2,1000,eager,0,1,,\n"
                "none.json,50,4,1000,eager,0,1,,\nring,50,4,1000,eager,0,1,,0\n",
                {"p2p"}, {"platform.nods=2"});
  INFO(told);
  const auto tells = [&](const std::string& line) { return ("\n" + told).find("\n" + line) != std::string::npos; };
  CHECK(tells("dir/m.csv:1:70: /training/exchange/severs: unknown key \"severs\"; did you mean \"servers\"?"));
  CHECK(tells("dir/m.csv:4:1: \"dir/none.json\": no such file\n"));
  CHECK(tells("dir/m.csv:6:27: /platform/nic/engines: expected an integer from 1 to 1024, got the number 0\n"));
  CHECK(tells("--set platform.nods=2: /platform/nods: unknown key \"nods\""));
  CHECK(std::ranges::count(told, '\n') == 4);
}

TEST_CASE("the platform that is written is the one that was fitted") {
  const Measurements m = parse_measurements(
      synthetic({"p2p,20,2,10000,eager", "p2p,20,2,300000,eager", "p2p,30,2,1000000,eager"}), "synthetic.csv");
  CalibrationSettings settings;
  settings.sets = {"platform.protocol.eager_limit=4KiB", "platform.message_bytes=100B", "platform.gpus_per_node=2",
                   "platform.network.link.egress_bandwidth=40Mbps"};
  auto json = nlohmann::json::parse(calibrated_platform(m, calibrate(m, settings)));
  CHECK(json["protocol"]["eager_limit"] == "4KiB"); // although every case is eager
  CHECK(json["message_bytes"] == "100B");
  CHECK(json["gpus_per_node"] == 2);
  CHECK(json["network"]["link"]["bandwidth"] == "30Mbps");
  CHECK(json["network"]["link"]["egress_bandwidth"] == "5MB/s");
  CHECK(json["source"].get<std::string>().ends_with("; all else as in p2p 30 Mbit/s p=2 1000000 B eager"));

  settings.sets = {"platform.protocol=null"}; // parameters that the platform does not have are not fitted
  const Calibration plain = calibrate(m, settings);
  CHECK(plain.transfer->parameters.size() == 1);
  const std::string text = calibrated_platform(m, plain);
  CHECK(text.starts_with(calibrated_opening));
  CHECK(text.find("efficiency") == std::string::npos);
  CHECK_FALSE(nlohmann::json::parse(text).contains("protocol"));
}

TEST_CASE("the platform that is written cites its measurements and reads back") {
  const Measurements m = parse_measurements(
      synthetic({"p2p,20,2,10000,eager", "p2p,20,2,300000,eager", "p2p,20,2,1000000,eager", "reduce,0,1,500000,float"}),
      "synthetic.csv");
  const Calibration c = calibrate(m, {});
  const auto json = nlohmann::json::parse(calibrated_platform(m, c));
  const std::string source = json["source"];
  CHECK(source.starts_with("gradflight calibrate: synthetic.csv (XXH64 " + m.hash +
                           "), fitted to 3 cases of p2p, 1 case of reduce; message_overhead "));
  CHECK(source.find("uncertainty unknown: too few rows") != std::string::npos); // one reduce row for one parameter
  CHECK(json["network"]["link"]["bandwidth"] == "20Mbps");
  CHECK(json["protocol"]["efficiency"].get<double>() == Approx(efficiency).epsilon(1e-3));
  const auto report = nlohmann::json::parse(calibration_json(m, c, {}));
  CHECK(report["parameters"].size() == 3);
  CHECK(report["parameters"][2]["uncertainty_bytes_per_s"].is_null());
  CHECK(report["measurements"]["rows"] == 4);
}
