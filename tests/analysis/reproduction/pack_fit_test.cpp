// Fits of a pack whose figures were made by known numbers: rings on a star, t(p) = 2(p-1) (2 latency + n / (p B)).
#include "analysis/reproduction/pack_fit.hpp"
#include "tests/scenarios/packs/pack_support.hpp"

#include <catch2/catch.hpp>
#include <cmath>

using namespace gradflight;
using namespace gradflight::test;
using Catch::Contains;

namespace {

constexpr double bytes = 6.4e6, bandwidth = 1e9, latency = 1e-5; // what made the figures: 8 Gbps, 10 us

double ring_time(int p, double rate, double one_way) { return 2. * (p - 1) * (2 * one_way + bytes / p / rate); }

/// The files say other numbers than made the figures. Figures t.2 .. t.16, and one that no number has a say in.
class Toy {
  TemporaryDirectory directory_;

public:
  CheckedPack checked = make();
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
  CheckedPack make() {
    std::string published;
    for (const int p : {2, 4, 8, 16})
      published += figure_text(fmt::format("t.{}", p), ring_time(p, bandwidth, latency)) + ",";
    directory_.write("figures.json", "[" + published + figure_text("alone", 0.01) + "]");
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
  "fits": [{ "parameters": ["bandwidth", "latency"], "to": ["t.2", "t.16"] }],
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

} // namespace

TEST_CASE("a pack's fit finds the numbers that made its figures, whatever the files say") {
  Toy toy;
  auto values = toy.fitter.written();
  REQUIRE(values == std::vector<double>{5e8, 5e-5});
  const auto result = toy.fitter.fit({0, 1}, {toy.figure("t.2"), toy.figure("t.16")}, values, {});
  CHECK(result.converged);
  CHECK(values[0] == Approx(bandwidth).epsilon(1e-4));
  CHECK(values[1] == Approx(latency).epsilon(1e-4));
  for (const double error : toy.fitter.errors({toy.figure("t.4"), toy.figure("t.8")}, values))
    CHECK(std::abs(error) < 1e-4);
}

TEST_CASE("a pack's uncertainties are those of linear least squares") {
  Toy toy;
  const double sigma = 0.01;
  const auto found = toy.fitter.uncertainties(toy.checked.pack.fits.front(), {bandwidth, latency}, sigma);
  // Rows: the relative change of t(2) and t(16) with a unit of each number; covariance sigma^2 (J^T J)^-1.
  double a = 0, b = 0, d = 0;
  for (const int p : {2, 16}) {
    const double t = ring_time(p, bandwidth, latency);
    const double of_rate = -2. * (p - 1) * bytes / p / (bandwidth * bandwidth) / t, of_latency = 4. * (p - 1) / t;
    a += of_rate * of_rate;
    b += of_rate * of_latency;
    d += of_latency * of_latency;
  }
  const double determinant = a * d - b * b;
  REQUIRE(found.size() == 2);
  CHECK(found[0].uncertainty == Approx(sigma * std::sqrt(d / determinant)).epsilon(0.02));
  CHECK(found[1].uncertainty == Approx(sigma * std::sqrt(a / determinant)).epsilon(0.02));
  CHECK(toy.fitter.scatter({bandwidth, latency}) == Approx(0).margin(1e-9 + 1.4826 * 1e-9));
}

TEST_CASE("which figures a number has a say in is known without a simulation") {
  Toy toy;
  CHECK(toy.fitter.depends(toy.figure("t.4"), 0));
  CHECK(toy.fitter.depends(toy.figure("t.4"), 1));
  CHECK_FALSE(toy.fitter.depends(toy.figure("alone"), 0));
  CHECK(toy.simulations.count() == 0);
}

TEST_CASE("cross-validation draws the same sets for the same seed, and only such as determine the numbers") {
  Toy toy;
  int told = 0;
  const auto ended = [&](double, double, int evaluations) {
    CHECK(evaluations > 0);
    ++told;
  };
  const auto first = toy.fitter.cross_validate(4, 7, ended);
  CHECK(told == 4);
  CHECK(first.size == 2);
  CHECK(first.of == 5);
  CHECK(first.medians == toy.fitter.cross_validate(4, 7, ended).medians);
  CHECK(first.medians != toy.fitter.cross_validate(4, 8, ended).medians);
  // Each set leaves two t's, which are met, and "alone", which is missed: the median is a t's.
  for (const double median : first.medians) CHECK(median < 1e-3);
  // Of ten pairs four hold "alone", which determines nothing.
  CHECK(toy.fitter.cross_validate(100, 7, ended).medians.size() == 6);
}

TEST_CASE("what cannot be fitted is refused by name") {
  Toy toy;
  const auto ended = [](double, double, int) {};
  const auto message = [&](const PackTransfer& transfer) {
    try {
      toy.fitter.transfer(transfer, ended);
    } catch (const NotFittable& refused) {
      return std::string(refused.what());
    }
    return std::string();
  };
  CHECK_THAT(message({"one", {toy.figure("t.2")}, {toy.figure("t.4")}}),
             Contains("one: 1 figures to fit 2 parameters"));
  CHECK_THAT(message({"none", {toy.figure("alone")}, {toy.figure("t.4")}}), Contains("no parameter has a say"));
  const auto result = toy.fitter.transfer(
      {"small", {toy.figure("t.2"), toy.figure("t.4")}, {toy.figure("t.8"), toy.figure("t.16")}}, ended);
  CHECK(result.predicted == 2);
  CHECK(result.p90 < 1e-3);
}
