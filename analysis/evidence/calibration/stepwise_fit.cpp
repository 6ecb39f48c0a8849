#include "analysis/evidence/calibration/stepwise_fit.hpp"

#include "analysis/evidence/calibration/fit_shared.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace gradflight {
namespace {

constexpr double first_reach = 0.1, longest_reach = 0.4;
constexpr double close_by = 0.02; ///< slopes measured within this distance are accurate enough for the point

double square(const std::vector<double>& v) {
  double sum = 0;
  for (const double x : v) sum += x * x;
  return sum;
}

double longest(const std::vector<double>& v) {
  double most = 0;
  for (const double x : v) most = std::max(most, std::abs(x));
  return most;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

std::vector<double> difference(std::vector<double> a, const std::vector<double>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
  return a;
}

} // namespace

StepwiseFit::StepwiseFit(std::vector<FitParameter> parameters, std::vector<FitTarget> targets,
                         const FitOptions& options)
    : parameters_(std::move(parameters)), targets_(std::move(targets)), options_(options), reach_(first_reach) {
  check_fit(parameters_, targets_);
  if (options_.outlier > 0 || targets_.front().sigma > 0)
    throw std::invalid_argument("a stepwise fit supports neither outliers nor a known sigma");
  for (const auto& p : parameters_) unit_.push_back(to_unit(p, p.start));
  ask_slopes(Question::start);
}

void StepwiseFit::ask(Question question, std::vector<Vector> units) {
  question_ = question;
  units_ = std::move(units);
  wanted_.clear();
  for (const auto& unit : units_) {
    auto& values = wanted_.emplace_back();
    for (std::size_t i = 0; i < unit.size(); ++i) values.push_back(from_unit(parameters_[i], unit[i]));
  }
}

/// At the start the point itself comes first. All fits that begin there request the same predictions.
void StepwiseFit::ask_slopes(Question question) {
  std::vector<Vector> units;
  if (question == Question::start) units.push_back(unit_);
  for (std::size_t i = 0; i < unit_.size(); ++i) {
    auto& moved = units.emplace_back(unit_);
    moved[i] += moved[i] + options_.difference <= 1 ? options_.difference : -options_.difference;
  }
  ask(question, std::move(units));
}

StepwiseFit::Vector StepwiseFit::residuals(const Vector& predicted) const {
  if (predicted.size() != targets_.size()) throw std::invalid_argument("expected one prediction for each target");
  Vector out;
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    out.push_back(predicted[i] / targets_[i].value - 1);
    if (!std::isfinite(out.back())) throw std::invalid_argument(targets_[i].name + ": prediction is not finite");
  }
  return out;
}

void StepwiseFit::answer(const std::vector<Vector>& predictions) {
  if (predictions.size() != wanted_.size())
    throw std::invalid_argument("expected predictions for each requested set of parameters");
  evaluations_ += static_cast<int>(predictions.size());
  auto of_slopes = predictions.begin();
  switch (question_) {
  case Question::step: take_step(predictions.front()); break;
  case Question::start:
    predicted_ = *of_slopes++;
    residuals_ = residuals(predicted_);
    [[fallthrough]];
  case Question::slopes: take_slopes({of_slopes, predictions.end()});
  }
  go_on();
}

void StepwiseFit::take_slopes(const std::vector<Vector>& predictions) {
  slopes_.clear();
  for (std::size_t i = 0; i < unit_.size(); ++i) {
    const double moved = units_[units_.size() - unit_.size() + i][i] - unit_[i];
    auto& slope = slopes_.emplace_back(difference(residuals(predictions[i]), residuals_));
    for (double& s : slope) s /= moved;
  }
  measured_ = slopes_;
  measured_at_ = unit_;
}

StepwiseFit::Vector StepwiseFit::predicted_residuals(const Vector& step) const {
  auto out = residuals_;
  for (std::size_t i = 0; i < step.size(); ++i)
    for (std::size_t k = 0; k < out.size(); ++k) out[k] += slopes_[i][k] * step[i];
  return out;
}

void StepwiseFit::take_step(const Vector& predicted) {
  const auto found = residuals(predicted);
  const auto step = difference(units_.front(), unit_);
  const auto expected = predicted_residuals(step);
  const double length = longest(step), before = square(residuals_), gain = before - square(found);
  const double ratio = gain / (before - square(expected));
  const auto surprise = difference(found, expected);
  for (std::size_t i = 0; i < step.size(); ++i)
    for (std::size_t k = 0; k < found.size(); ++k) slopes_[i][k] += surprise[k] * step[i] / square(step);
  if (ratio < 0.25)
    reach_ = length / 4;
  else if (ratio > 0.75)
    reach_ = std::min(longest_reach, std::max(reach_, 2 * length));
  if (gain > 0) {
    unit_ = units_.front();
    predicted_ = predicted;
    residuals_ = found;
  }
}

/// Returns the step with the least predicted sum of squares, within the box and the bounds. It minimises one variable
/// at a time. A small multiple of the identity keeps variables without effect on predictions unchanged.
StepwiseFit::Vector StepwiseFit::best_step() const {
  const std::size_t n = unit_.size();
  std::vector<Vector> squares(n, Vector(n));
  Vector slope(n), step(n);
  double most = 0;
  for (std::size_t i = 0; i < n; ++i) {
    slope[i] = dot(slopes_[i], residuals_);
    for (std::size_t j = 0; j < n; ++j) squares[i][j] = dot(slopes_[i], slopes_[j]);
    most = std::max(most, squares[i][i]);
  }
  if (most <= 0) return step;
  for (std::size_t i = 0; i < n; ++i) squares[i][i] += 1e-8 * most;
  for (int sweep = 0; sweep < 20'000; ++sweep) {
    double moved = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double low = std::max(-reach_, -unit_[i]), high = std::min(reach_, 1 - unit_[i]);
      const double to = std::clamp(step[i] - (slope[i] + dot(squares[i], step)) / squares[i][i], low, high);
      moved = std::max(moved, std::abs(to - step[i]));
      step[i] = to;
    }
    if (moved < 1e-3 * options_.tolerance) break;
  }
  return step;
}

void StepwiseFit::go_on() {
  const auto step = best_step();
  const double before = square(residuals_), after = square(predicted_residuals(step));
  const bool still = longest(step) < options_.tolerance || after >= before * (1 - 1e-6) ||
                     longest(residuals_) < 1e-3 * options_.tolerance;
  const bool measured = longest(difference(unit_, measured_at_)) < close_by;
  if (still && !measured) {
    reach_ = std::max(reach_, close_by);
    return ask_slopes(Question::slopes);
  }
  converged_ = still;
  if (still || evaluations_ >= options_.max_evaluations) return ask(Question::step, {});
  auto next = unit_;
  for (std::size_t i = 0; i < next.size(); ++i) next[i] = std::clamp(next[i] + step[i], 0.0, 1.0);
  ask(Question::step, {std::move(next)});
}

FitResult StepwiseFit::result() const {
  if (!wanted_.empty()) throw std::logic_error("this fit has not ended");
  FitResult result;
  result.converged = converged_;
  result.evaluations = evaluations_;
  Eigen::MatrixXd jacobian(static_cast<Eigen::Index>(targets_.size()), static_cast<Eigen::Index>(unit_.size()));
  for (std::size_t i = 0; i < measured_.size(); ++i)
    jacobian.col(static_cast<Eigen::Index>(i)) =
        Eigen::Map<const Eigen::VectorXd>(measured_[i].data(), static_cast<Eigen::Index>(measured_[i].size()));
  fill_in(result, parameters_, targets_, options_, unit_, predicted_, std::move(jacobian));
  return result;
}

} // namespace gradflight
