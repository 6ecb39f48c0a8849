#include "analysis/evidence/calibration/fit.hpp"
#include "tests/analysis/evidence/calibration/fit_support.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <rapidcheck.h>

using namespace gradflight;

namespace {

const std::vector<double> fitted_sizes = {1e3, 1e4, 1e5, 1e6, 1e7};

/// Returns exactly alpha + bytes * beta.
std::vector<double> straight_line(const std::vector<double>& p) {
  std::vector<double> out;
  for (const double bytes : fitted_sizes) out.push_back(p[0] + bytes * p[1]);
  return out;
}

std::vector<FitTarget> targets_of(const std::vector<double>& values) {
  std::vector<FitTarget> out;
  for (std::size_t i = 0; i < values.size(); ++i) out.push_back({"t" + std::to_string(i), values[i], 0});
  return out;
}

} // namespace

TEST_CASE("a line's alpha and beta are found from exact values") {
  CHECK(rc::check([] {
    const double alpha = std::pow(10.0, *rc::gen::inRange(-600, -300) / 100.0);
    const double beta = std::pow(10.0, *rc::gen::inRange(-1000, -700) / 100.0);
    const FitResult r = fit({{"alpha", 1e-4, 1e-7, 1e-1}, {"beta", 1e-8, 1e-12, 1e-5}},
                            targets_of(straight_line({alpha, beta})), straight_line);
    RC_ASSERT(r.converged);
    RC_ASSERT(std::abs(r.parameters[0].value / alpha - 1) < 1e-4);
    RC_ASSERT(std::abs(r.parameters[1].value / beta - 1) < 1e-4);
    RC_ASSERT(r.parameters[0].identified && r.parameters[1].identified);
    RC_ASSERT(test::rms_relative_error(r) < 1e-4);
  }));
}

TEST_CASE("one parameter alone is found, on either scale") {
  const auto model = [](const std::vector<double>& p) { return std::vector<double>{2 * p[0], 3 * p[0]}; };
  for (const FitScale scale : {FitScale::log, FitScale::linear}) {
    const FitResult r = fit({{"x", 1, 0.5, 100, scale}}, {{"a", 14, 0}, {"b", 21, 0}}, model);
    CHECK(r.parameters[0].value == Approx(7).epsilon(1e-5));
    CHECK(r.converged);
  }
}

TEST_CASE("the uncertainty is that of linear regression") {
  // y = x, measured four times as 0.9, 1.1, 0.9, 1.1, with relative residuals x/y - 1.
  const auto model = [](const std::vector<double>& p) { return std::vector<double>(4, p[0]); };
  const FitResult r =
      fit({{"x", 0.7, 0, 2, FitScale::linear}}, {{"a", 0.9, 0}, {"b", 1.1, 0}, {"c", 0.9, 0}, {"d", 1.1, 0}}, model);
  // Minimum of sum (x/y - 1)^2: x = sum(1/y) / sum(1/y^2); s^2 = residuals^2 / 3; sigma = s / sqrt(sum 1/y^2).
  const double first = 2 / 0.9 + 2 / 1.1, second = 2 / 0.81 + 2 / 1.21, x = first / second;
  const double sum = 2 * std::pow(x / 0.9 - 1, 2) + 2 * std::pow(x / 1.1 - 1, 2);
  CHECK(r.parameters[0].value == Approx(x).epsilon(1e-5));
  CHECK(r.parameters[0].uncertainty == Approx(std::sqrt(sum / 3 / second)).epsilon(1e-4));
  CHECK(test::rms_relative_error(r) == Approx(std::sqrt(sum / 4)).epsilon(1e-6));
}

TEST_CASE("known scatter of the measurements is believed, and widened by residuals beyond it") {
  const auto model = [](const std::vector<double>& p) { return std::vector<double>(2, p[0]); };
  const auto sigma_of = [&](double a, double b) {
    return fit({{"x", 1.5, 1, 3}}, {{"a", a, 0.01}, {"b", b, 0.01}}, model).parameters[0].uncertainty;
  };
  CHECK(sigma_of(2, 2) == Approx(2 * 0.01 / std::sqrt(2)).epsilon(1e-3));
  CHECK(sigma_of(1.9, 2.1) > 5 * sigma_of(2, 2));
  // One target and one parameter: only a known scatter gives an uncertainty.
  const auto one = [](const std::vector<double>& p) { return p; };
  CHECK(fit({{"x", 1.5, 1, 3}}, {{"a", 2, 0.01}}, one).parameters[0].uncertainty == Approx(0.02).epsilon(1e-3));
  const FittedParameter unknown = fit({{"x", 1.5, 1, 3}}, {{"a", 2, 0}}, one).parameters[0];
  CHECK(unknown.value == Approx(2).epsilon(1e-5));
  CHECK(unknown.identified);
  CHECK(std::isinf(unknown.uncertainty));
}

TEST_CASE("an optimum beyond a bound ends on it, and says so") {
  const FitResult r = fit({{"alpha", 1e-4, 1e-5, 1e-3}, {"beta", 3e-8, 2e-8, 1e-7}},
                          targets_of(straight_line({1e-4, 1e-8})), straight_line);
  CHECK(r.parameters[1].value == 2e-8);
  CHECK(r.parameters[1].at_bound);
  CHECK_FALSE(r.parameters[0].at_bound);
  CHECK(test::rms_relative_error(r) > 0.1);
}

TEST_CASE("what the targets do not determine is declared so") {
  SECTION("a parameter that changes nothing") {
    const auto model = [](const std::vector<double>& p) { return straight_line({p[0], p[1]}); };
    const FitResult r = fit({{"alpha", 1e-4, 1e-7, 1e-1}, {"beta", 1e-8, 1e-12, 1e-5}, {"idle", 1, 0.1, 10}},
                            targets_of(straight_line({3e-5, 2e-9})), model);
    CHECK_FALSE(r.parameters[2].identified);
    CHECK(std::isinf(r.parameters[2].uncertainty));
    CHECK(r.parameters[0].identified);
    CHECK(r.parameters[0].value == Approx(3e-5).epsilon(1e-3));
  }
  SECTION("two that only their product determines") {
    const auto model = [](const std::vector<double>& p) { return straight_line({p[0], p[1] * p[2]}); };
    const FitResult r = fit({{"alpha", 1e-4, 1e-7, 1e-1}, {"beta", 1e-8, 1e-12, 1e-5}, {"factor", 1, 0.1, 10}},
                            targets_of(straight_line({3e-5, 2e-9})), model);
    CHECK(r.parameters[0].identified);
    CHECK_FALSE(r.parameters[1].identified);
    CHECK_FALSE(r.parameters[2].identified);
    CHECK(r.parameters[1].value * r.parameters[2].value == Approx(2e-9).epsilon(1e-3));
  }
  SECTION("more parameters than targets") {
    const auto model = [](const std::vector<double>& p) { return std::vector<double>{p[0] + p[1]}; };
    const FitResult r = fit({{"a", 1, 0.1, 10}, {"b", 1, 0.1, 10}}, {{"sum", 5, 0.01}}, model);
    CHECK_FALSE(r.parameters[0].identified);
    CHECK(r.residuals[0].predicted == Approx(5).epsilon(1e-4));
  }
}

TEST_CASE("targets that the model does not describe do not decide where outliers count less") {
  auto values = straight_line({1e-4, 1e-8});
  values.push_back(values[2] * 3); // one more measurement, which is wrong
  const auto model = [](const std::vector<double>& p) {
    auto out = straight_line(p);
    out.push_back(out[2]);
    return out;
  };
  const std::vector<FitParameter> parameters = {{"alpha", 1e-3, 1e-7, 1e-1}, {"beta", 1e-7, 1e-12, 1e-5}};
  FitOptions options;
  const FitResult squared = fit(parameters, targets_of(values), model, options);
  options.outlier = 0.01;
  const FitResult robust = fit(parameters, targets_of(values), model, options);
  CHECK(std::abs(squared.parameters[1].value / 1e-8 - 1) > 0.03);
  CHECK(std::abs(robust.parameters[1].value / 1e-8 - 1) < 0.01);
  CHECK(std::abs(robust.parameters[0].value / 1e-4 - 1) < 0.01);
  CHECK(robust.parameters[0].uncertainty < squared.parameters[0].uncertainty);
  CHECK(robust.residuals[5].relative_error() == Approx(1.0 / 3 - 1).epsilon(0.02));
}

TEST_CASE("targets that the model does not describe do not bend what the others agree on") {
  // Times of messages over a link that sends 3,200 bytes immediately, and two messages that found this credit used. The
  // latter depend on the rate four times as much as the others.
  constexpr double rate = 6.25e6, share = 0.997;
  const auto time = [](double used, double bytes) { return 1e-5 + std::max(0.0, bytes / used - 3200) / rate; };
  std::vector<FitTarget> targets;
  const std::vector<double> messages = {4096, 4500, 16384, 65536, 262144, 1048576, 4194304};
  for (const double bytes : messages) targets.push_back({"message", time(share, bytes), 0});
  targets[0].value *= 2;
  targets[1].value *= 1.8;
  const FitModel model = [&](const std::vector<double>& p) {
    std::vector<double> predicted;
    for (const double bytes : messages) predicted.push_back(time(p[0], bytes));
    return predicted;
  };
  FitOptions options;
  options.outlier = 0.05;
  const FitResult result = fit({{"efficiency", 0.95, 0.3, 1, FitScale::linear}}, targets, model, options);
  CHECK(result.parameters[0].value == Approx(share).epsilon(1e-3));
}

TEST_CASE("the same fit gives the same bits") {
  const auto run = [] {
    auto values = straight_line({3e-5, 2e-9});
    values[1] *= 1.03;
    values[3] *= 0.98;
    return fit({{"alpha", 1e-4, 1e-7, 1e-1}, {"beta", 1e-8, 1e-12, 1e-5}}, targets_of(values), straight_line);
  };
  const FitResult a = run(), b = run();
  CHECK(a.parameters[0].value == b.parameters[0].value);
  CHECK(a.parameters[1].uncertainty == b.parameters[1].uncertainty);
  CHECK(a.evaluations == b.evaluations);
}

TEST_CASE("the evaluation limit is kept, and said") {
  FitOptions options;
  options.max_evaluations = 6;
  int calls = 0;
  const auto counted = [&](const std::vector<double>& p) {
    ++calls;
    return straight_line(p);
  };
  const FitResult r = fit({{"alpha", 1e-2, 1e-7, 1e-1}, {"beta", 1e-6, 1e-12, 1e-5}},
                          targets_of(straight_line({3e-5, 2e-9})), counted, options);
  CHECK_FALSE(r.converged);
  CHECK(r.evaluations == calls);
  CHECK(calls == 6 + 1 + 4); // the search, its best point, the Jacobian
}

TEST_CASE("what cannot be fitted is refused, and a model's own exceptions pass") {
  const auto model = [](const std::vector<double>& p) { return p; };
  const std::vector<FitTarget> target = {{"t", 1, 0}};
  CHECK_THROWS_WITH(fit({}, target, model), "nothing to fit: no parameters");
  CHECK_THROWS_WITH(fit({{"x", 1, 0.1, 10}}, {}, model), "nothing to fit to: no targets");
  CHECK_THROWS_WITH(fit({{"x", 1, 2, 2}}, target, model),
                    "x: bounds are 2 to 2; expected a finite lower bound below a finite upper bound");
  CHECK_THROWS_WITH(fit({{"x", 1, 2, 3}}, target, model), "x: the start is 1; expected 2 to 3");
  CHECK_THROWS_WITH(fit({{"x", 1, 0, 3}}, target, model), "x: the lower bound is 0; a log scale needs one above 0");
  CHECK_THROWS_WITH(fit({{"x", 1, 0.1, 3}}, {{"t", 0, 0}}, model),
                    "t: the measured value is 0; expected a finite number above 0");
  CHECK_THROWS_WITH(fit({{"x", 1, 0.1, 3}}, {{"t", 1, 0.1}, {"u", 1, 0}}, model),
                    "u: sigma is 0; expected a number above 0 for all targets, or 0 for all");
  CHECK_THROWS_WITH(fit({{"x", 1, 0.1, 3}}, {{"t", 1, 0}, {"u", 1, 0}}, model), "1 predictions for 2 targets");
  const auto failing = [](const std::vector<double>&) -> std::vector<double> { throw std::runtime_error("no"); };
  CHECK_THROWS_WITH(fit({{"x", 1, 0.1, 3}}, target, failing), "no");
}
