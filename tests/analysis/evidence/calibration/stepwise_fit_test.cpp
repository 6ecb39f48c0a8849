#include "analysis/evidence/calibration/stepwise_fit.hpp"
#include "tests/analysis/evidence/calibration/fit_support.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <rapidcheck.h>

using namespace gradflight;

namespace {

using Numbers = std::vector<double>;

FitResult by_steps(const std::vector<FitParameter>& parameters, const Numbers& values, const FitModel& model,
                   const FitOptions& options = {.max_evaluations = 300, .tolerance = 1e-5}) {
  std::vector<FitTarget> targets;
  for (std::size_t i = 0; i < values.size(); ++i) targets.push_back({"t" + std::to_string(i), values[i], 0});
  StepwiseFit steps(parameters, targets, options);
  while (!steps.wanted().empty()) {
    std::vector<Numbers> predictions;
    for (const auto& point : steps.wanted()) predictions.push_back(model(point));
    steps.answer(predictions);
  }
  return steps.result();
}

/// Times from a latency, a rate, and a share that hides part of them, as in a training step.
Numbers hidden_times(const Numbers& p) {
  Numbers out;
  for (const double bytes : {1e4, 1e6, 1e7, 1e8}) {
    const double time = p[0] + bytes / p[1];
    out.push_back(time);
    out.push_back(std::max(0.02, time / p[2]) + 0.01);
  }
  return out;
}

const std::vector<FitParameter> three = {
    {"latency", 1e-4, 1e-6, 1e-2}, {"rate", 1e9, 1e8, 1e10}, {"share", 0.6, 0.2, 1, FitScale::linear}};

} // namespace

TEST_CASE("a stepwise fit finds the numbers that made its targets") {
  CHECK(rc::check([] {
    const auto between = [](double low, double high) {
      return low * std::pow(high / low, *rc::gen::inRange(5, 96) / 100.);
    };
    const Numbers made_by = {between(1e-6, 1e-2), between(1e8, 1e10), between(0.2, 1)};
    const auto found = by_steps(three, hidden_times(made_by), hidden_times);
    RC_ASSERT(test::rms_relative_error(found) < 1e-3);
    RC_ASSERT(found.evaluations < 100);
    RC_ASSERT(std::abs(found.parameters[1].value / made_by[1] - 1) < 1e-2);
  }));
}

TEST_CASE("a stepwise fit ends where fit() does, with fewer questions") {
  // Times that no parameters reproduce exactly.
  Numbers values = hidden_times({3e-5, 2e9, 0.7});
  for (std::size_t i = 0; i < values.size(); ++i) values[i] *= i % 2 == 0 ? 1.07 : 0.95;
  std::vector<FitTarget> targets;
  for (const double value : values) targets.push_back({"t", value, 0});
  const auto other = fit(three, targets, hidden_times);
  const auto found = by_steps(three, values, hidden_times);
  CHECK(found.converged);
  CHECK(test::rms_relative_error(found) <= test::rms_relative_error(other) * (1 + 1e-6));
  CHECK(found.evaluations < other.evaluations / 3);
  for (std::size_t i = 0; i < three.size(); ++i) {
    CHECK(found.parameters[i].value == Approx(other.parameters[i].value).epsilon(1e-3));
    CHECK(found.parameters[i].identified);
    CHECK(found.parameters[i].uncertainty == Approx(other.parameters[i].uncertainty).epsilon(0.05));
  }
}

TEST_CASE("a stepwise fit stays within the bounds and says where it ends at one") {
  const auto model = [](const Numbers& p) { return Numbers{p[0], p[0] * p[1]}; };
  const auto found = by_steps({{"a", 2, 1, 4}, {"b", 2, 1, 4}}, {8, 12}, model);
  CHECK(found.parameters[0].value == 4);
  CHECK(found.parameters[0].at_bound);
  CHECK(found.parameters[1].value == Approx(3).epsilon(1e-4));
  CHECK_FALSE(found.parameters[1].at_bound);
}

TEST_CASE("a stepwise fit says which numbers its targets do not determine") {
  const auto product = [](const Numbers& p) { return Numbers{p[0] * p[1], 2 * p[0] * p[1]}; };
  const auto both = by_steps({{"a", 2, 1, 4}, {"b", 2, 1, 4}}, {9, 18}, product);
  CHECK_FALSE(both.parameters[0].identified);
  CHECK_FALSE(both.parameters[1].identified);
  const auto first = [](const Numbers& p) { return Numbers{p[0], 2 * p[0]}; };
  const auto one = by_steps({{"a", 2, 1, 4}, {"b", 2, 1, 4}}, {3, 6}, first);
  CHECK(one.parameters[0].identified);
  CHECK(one.parameters[0].value == Approx(3).epsilon(1e-4));
  CHECK_FALSE(one.parameters[1].identified);
  CHECK(one.parameters[1].value == Approx(2).epsilon(1e-9)); // no change of it affects a prediction
}

TEST_CASE("a stepwise fit takes nothing but squared residuals and answers to its questions") {
  const std::vector<FitTarget> target = {{"t", 1, 0}};
  CHECK_THROWS_AS(StepwiseFit(three, target, {.outlier = 0.1}), std::invalid_argument);
  CHECK_THROWS_AS(StepwiseFit(three, {{"t", 1, 0.1}}, {}), std::invalid_argument);
  CHECK_THROWS_AS(StepwiseFit({}, target, {}), std::invalid_argument);
  StepwiseFit steps(three, target, {});
  CHECK_THROWS_AS(steps.answer({{1}}), std::invalid_argument);
  CHECK_THROWS_AS(steps.result(), std::logic_error);
}
