// Fits of a pack with figures from known parameters.
#include "tests/analysis/evidence/reproduction/toy_pack.hpp"

#include <cmath>

using namespace gradflight;
using namespace gradflight::test;
using Catch::Contains;

TEST_CASE("a pack's fit finds the numbers that made its figures, whatever the files say") {
  ToyPack toy;
  auto values = toy.fitter.written();
  REQUIRE(values == std::vector<double>{5e8, 5e-5});
  const auto result = toy.fitter.fit({0, 1}, {toy.figure("t.2"), toy.figure("t.16")}, values, {});
  CHECK(result.converged);
  CHECK(values[0] == Approx(toy_bandwidth).epsilon(1e-4));
  CHECK(values[1] == Approx(toy_latency).epsilon(1e-4));
  for (const double error : toy.fitter.errors({toy.figure("t.4"), toy.figure("t.8")}, values))
    CHECK(std::abs(error) < 1e-4);
}

TEST_CASE("a pack's uncertainties are those of linear least squares") {
  ToyPack toy;
  const double sigma = 0.01;
  const auto found = toy.fitter.uncertainties(toy.checked.pack.fits.front(), {toy_bandwidth, toy_latency}, sigma);
  // Rows are the relative changes of t(2) and t(16) per unit of each parameter; the covariance is sigma^2 (J^T J)^-1.
  double a = 0, b = 0, d = 0;
  for (const int p : {2, 16}) {
    const double t = ring_time(p, toy_bandwidth, toy_latency);
    const double of_rate = -2. * (p - 1) * toy_bytes / p / (toy_bandwidth * toy_bandwidth) / t,
                 of_latency = 4. * (p - 1) / t;
    a += of_rate * of_rate;
    b += of_rate * of_latency;
    d += of_latency * of_latency;
  }
  const double determinant = a * d - b * b;
  REQUIRE(found.size() == 2);
  CHECK(found[0].uncertainty == Approx(sigma * std::sqrt(d / determinant)).epsilon(0.02));
  CHECK(found[1].uncertainty == Approx(sigma * std::sqrt(a / determinant)).epsilon(0.02));
  CHECK(toy.fitter.scatter({toy_bandwidth, toy_latency}) == Approx(0).margin(1e-9 + 1.4826 * 1e-9));
}

TEST_CASE("which figures a number has a say in is known without a simulation") {
  ToyPack toy;
  CHECK(toy.fitter.depends(toy.figure("t.4"), 0));
  CHECK(toy.fitter.depends(toy.figure("t.4"), 1));
  CHECK_FALSE(toy.fitter.depends(toy.figure("alone"), 0));
  CHECK(toy.simulations.count() == 0);
}

TEST_CASE("cross-validation draws the same sets for the same seed, and only such as determine the numbers") {
  ToyPack toy;
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
  // Each set leaves two figures t, which are predicted well, and "alone", which is not: the median is that of a t.
  for (const double median : first.medians) CHECK(median < 1e-3);
  // Of ten pairs, four contain "alone", which determines nothing.
  CHECK(toy.fitter.cross_validate(100, 7, ended).medians.size() == 6);
}

TEST_CASE("fits at once end as each does alone, however many run at a time, and share what they simulate") {
  const auto fits = [](ToyPack& toy) {
    const auto of = [&](const char* a, const char* b) {
      return PartialFit{{0, 1}, {toy.figure(a), toy.figure(b)}, {toy.figure("t.4")}, toy.fitter.written()};
    };
    return std::vector{of("t.2", "t.16"), of("t.8", "t.2"), of("t.2", "alone"), of("t.2", "t.16")};
  };
  ToyPack together;
  auto all = fits(together);
  std::vector<bool> told;
  together.fitter.fit_together(all, [&](const PartialFit& fit) { told.push_back(fit.determined()); });
  CHECK(told == std::vector<bool>{true, true, false, true});
  CHECK(all[0].values == all[3].values);
  std::size_t apart = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    ToyPack alone;
    Simulations two(2);
    PackFitter fitter(alone.checked, two);
    std::vector<PartialFit> one{fits(alone)[i]};
    fitter.fit_together(one, [](const PartialFit&) {});
    CHECK(one.front().values == all[i].values);
    CHECK(one.front().errors.median == all[i].errors.median);
    apart += two.count();
  }
  CHECK(together.simulations.count() < apart * 2 / 3);
}

TEST_CASE("what cannot be fitted is refused by name") {
  ToyPack toy;
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
             Contains("one: 1 figures are too few to fit 2 parameters"));
  CHECK_THAT(message({"none", {toy.figure("alone")}, {toy.figure("t.4")}}), Contains("no parameter influences"));
  const auto result = toy.fitter.transfer(
      {"small", {toy.figure("t.2"), toy.figure("t.4")}, {toy.figure("t.8"), toy.figure("t.16")}}, ended);
  CHECK(result.predicted == 2);
  CHECK(result.p90 < 1e-3);
}
