#include "analysis/evidence/reproduction/pack_calibration.hpp"

#include "tests/analysis/evidence/reproduction/toy_pack.hpp"

using namespace gradflight;
using namespace gradflight::test;
using Catch::Contains;

TEST_CASE("every fit of a pack, rounded as it is written, and told once its uncertainties are known") {
  // One more figure than parameters, so that residuals determine their uncertainties.
  ToyPack toy(R"J([{ "parameters": ["bandwidth", "latency"], "to": ["t.2", "t.4", "t.16"] }])J");
  const Pack& pack = toy.checked.pack;
  int told = 0;
  const auto calibrated = fit_pack(
      pack, toy.fitter,
      [&](const PackFit& fit, const Calibrated& so_far, const FitResult& result, const std::vector<double>& errors) {
        ++told;
        CHECK(&fit == &pack.fits.front());
        CHECK(result.converged);
        CHECK(errors.size() == 3);
        CHECK(so_far.uncertainties[1].has_value());
      });
  CHECK(told == 1);
  const std::vector<double> made_by = {toy_bandwidth, toy_latency};
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(calibrated.determined[i]);
    CHECK(calibrated.values[i] == Approx(made_by[i]).epsilon(1e-4));
    CHECK(calibrated.values[i] == pack.parameters[i].rounded(calibrated.values[i], 5));
    REQUIRE(calibrated.uncertainties[i]);
    CHECK(*calibrated.uncertainties[i] < 1e-3 * made_by[i]);
  }
  CHECK_NOTHROW(require_determined(pack, calibrated));
}

TEST_CASE("a number that its figures do not determine stays as it was written, and is refused by name") {
  ToyPack toy(R"J([{ "parameters": ["bandwidth"], "to": ["t.16"] }, { "parameters": ["latency"], "to": ["alone"] }])J");
  std::vector<std::size_t> fitted;
  const auto calibrated =
      fit_pack(toy.checked.pack, toy.fitter,
               [&](const PackFit& fit, const auto&, const auto&, const auto&) { fitted.push_back(fit.parameters[0]); });
  CHECK(fitted == std::vector<std::size_t>{0, 1});
  CHECK(calibrated.determined == std::vector<bool>{true, false});
  CHECK(calibrated.values[1] == toy.fitter.written()[1]);
  CHECK_FALSE(calibrated.uncertainties[1]);
  CHECK_THROWS_WITH(require_determined(toy.checked.pack, calibrated),
                    Contains("do not determine latency") && !Contains("bandwidth"));
}
