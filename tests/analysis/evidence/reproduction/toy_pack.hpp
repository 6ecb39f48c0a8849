// A pack with figures from known parameters: rings on a star, t(p) = 2(p-1) (2 latency + n / (p B)).
#pragma once

#include "analysis/evidence/reproduction/pack_fit.hpp"
#include "tests/scenarios/packs/pack_support.hpp"

#include <catch2/catch.hpp>

namespace gradflight::test {

inline constexpr double toy_bytes = 6.4e6, toy_bandwidth = 1e9,
                        toy_latency = 1e-5; // the true parameters of the figures: 8 Gbps, 10 us

inline double ring_time(int p, double rate, double one_way) {
  return 2. * (p - 1) * (2 * one_way + toy_bytes / p / rate);
}

/// The files contain other parameters than the true ones. Figures are t.2 .. t.16, and one that depends on no
/// parameter.
class ToyPack {
  TemporaryDirectory directory_;

public:
  explicit ToyPack(const std::string& fits = R"J([{ "parameters": ["bandwidth", "latency"], "to": ["t.2", "t.16"] }])J")
      : checked(make(fits)) {}

  CheckedPack checked;
  Simulations simulations{1};
  PackFitter fitter{checked, simulations};

  [[nodiscard]] std::size_t figure(const std::string& id) const {
    const auto& figures = checked.pack.figures;
    const auto found =
        std::find_if(figures.begin(), figures.end(), [&](const PackFigure& f) { return f.published.id == id; });
    REQUIRE(found != figures.end());
    return static_cast<std::size_t>(found - figures.begin());
  }

private:
  static std::string scenario(const std::string& platform) {
    return fmt::format(R"J({{ "platform": {}, "workload": {{ "tensors": [{{ "name": "g", "bytes": "6.4MB" }}] }},
  "training": {{ "exchange": {{ "algorithm": "ring" }} }} }})J",
                       platform);
  }
  CheckedPack make(const std::string& fits) {
    std::string figures;
    for (const int p : {2, 4, 8, 16})
      figures += figure_text(fmt::format("t.{}", p), ring_time(p, toy_bandwidth, toy_latency)) + ",";
    directory_.write("figures.json", "[" + figures + figure_text("alone", 0.01) + "]");
    const std::string star = R"J({ "nodes": 4, "network": { "topology": "star",
  "link": { "bandwidth": "4Gbps", "latency": "50us" } } })J";
    directory_.write("cluster.json", star);
    directory_.write("s.json", scenario(R"J("cluster.json")J"));
    directory_.write("alone.json", scenario(star));
    const std::string at = R"J("file": "cluster.json", "at": "/network/link/)J";
    return check_pack(directory_.write("reproduce.json", R"J({ "paper": "Toy", "published": "figures.json",
  "fitted": [
    { "name": "bandwidth", )J" + at + R"J(bandwidth", "bounds": ["1Gbps", "64Gbps"], "why": "the link" },
    { "name": "latency", )J" + at + R"J(latency", "bounds": ["1us", "100us"], "why": "the cable" }],
  "fits": )J" + fits + R"J(,
  "experiments": [
    { "name": "p{p}", "for": { "p": [2, 4, 8, 16] }, "scenario": "s.json", "set": { "platform.nodes": "{p}" } },
    { "name": "alone", "scenario": "alone.json" }],
  "figures": [
    { "id": "t.{p}", "for": { "p": [2, 4, 8, 16] }, "value": "time_s(p{p})" },
    { "id": "alone", "value": "time_s(alone)" }] })J"));
  }
  static std::string figure_text(const std::string& id, double value) {
    return gradflight::test::figure(id, fmt::format("{}", value));
  }
};

} // namespace gradflight::test
