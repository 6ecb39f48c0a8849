#include "analysis/evidence/calibration/fit_shared.hpp"

#include <cmath>
#include <fmt/format.h>
#include <stdexcept>

namespace gradflight {
namespace {

/// d value / d unit.
double slope(const FitParameter& p, double value) {
  return p.scale == FitScale::log ? value * std::log(p.upper / p.lower) : p.upper - p.lower;
}

/// Returns the weight of the residual in a squared sum with the same slope.
double weight(double r, double outlier) {
  if (outlier <= 0) return 1;
  const double scaled = r / outlier, far = 1 + scaled * scaled;
  return 1 / (far * far);
}

/// Returns the part of a rounding error that targets may share. Scatter decorrelates rounding errors, as the first
/// harmonic of the quantiser shows (Widrow & Kollar, Quantization Noise, 2008). If the scatter is above half of the
/// last digit's step, no shared part remains.
double shared_rounding(double rounding, double variance) {
  if (rounding <= 0) return 0;
  constexpr double pi = 3.141592653589793;
  return rounding * std::exp(-pi * pi / 2 * variance / (rounding * rounding));
}

/// Adds uncertainties: the square root of the diagonal of s^2 (J'J)^-1, by singular values. A direction with a singular
/// value of zero changes no prediction, so its parameters are not identified.
void add_uncertainties(FitResult& result, const std::vector<FitParameter>& parameters,
                       const std::vector<FitTarget>& targets, const Eigen::MatrixXd& jacobian, double sum) {
  const Eigen::Index m = jacobian.rows(), n = jacobian.cols();
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(jacobian, Eigen::ComputeThinU | Eigen::ComputeFullV);
  const Eigen::VectorXd& s = svd.singularValues();
  // Simulated times have rounding errors of about 1e-12. Their differences over the step have about 1e-9 of the
  // largest.
  const double nil = 1e-7 * s[0];
  const bool known = targets.front().sigma > 0;
  double variance = std::numeric_limits<double>::infinity();
  if (m > n) variance = sum / static_cast<double>(m - n);
  // Known scatter is a lower limit; larger residuals increase it (Birge ratio).
  if (known) variance = m > n ? std::max(1.0, variance) : 1.0;
  Eigen::VectorXd shifts(m);
  for (Eigen::Index i = 0; i < m; ++i)
    shifts[i] =
        shared_rounding(targets[static_cast<std::size_t>(i)].rounding, m > n ? sum / static_cast<double>(m - n) : 0);
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    FittedParameter& p = result.parameters[k];
    Eigen::RowVectorXd shares = Eigen::RowVectorXd::Zero(m); // shift of the parameter by a change of each target
    p.identified = true;
    for (Eigen::Index d = 0; d < n; ++d) {
      const double part = svd.matrixV()(i, d);
      if (d < s.size() && s[d] > nil)
        shares += part / s[d] * svd.matrixU().col(d).transpose();
      else if (std::abs(part) > 1e-3)
        p.identified = false;
    }
    if (!p.identified) continue;
    const double unit = slope(parameters[k], p.value);
    p.uncertainty = unit * std::sqrt(variance) * shares.norm();
    p.rounding = unit * shares.cwiseAbs().dot(shifts);
  }
}

} // namespace

double to_unit(const FitParameter& p, double value) {
  if (p.scale == FitScale::log) return std::log(value / p.lower) / std::log(p.upper / p.lower);
  return (value - p.lower) / (p.upper - p.lower);
}

double from_unit(const FitParameter& p, double u) {
  // Return the exact bounds, without rounding errors.
  if (u <= 0) return p.lower;
  if (u >= 1) return p.upper;
  if (p.scale == FitScale::log) return p.lower * std::exp(u * std::log(p.upper / p.lower));
  return p.lower + u * (p.upper - p.lower);
}

void check_fit(const std::vector<FitParameter>& parameters, const std::vector<FitTarget>& targets) {
  if (parameters.empty()) throw std::invalid_argument("nothing to fit: no parameters");
  if (targets.empty()) throw std::invalid_argument("nothing to fit to: no targets");
  for (const FitParameter& p : parameters) {
    if (!(p.lower < p.upper) || !std::isfinite(p.lower) || !std::isfinite(p.upper))
      throw std::invalid_argument(
          fmt::format("{}: bounds are {} to {}; expected a finite lower bound below a finite upper bound", p.name,
                      p.lower, p.upper));
    if (!(p.start >= p.lower && p.start <= p.upper))
      throw std::invalid_argument(
          fmt::format("{}: the start is {}; expected {} to {}", p.name, p.start, p.lower, p.upper));
    if (p.scale == FitScale::log && p.lower <= 0)
      throw std::invalid_argument(
          fmt::format("{}: the lower bound is {}; a log scale needs one above 0", p.name, p.lower));
  }
  const bool known = targets.front().sigma > 0;
  for (const FitTarget& t : targets) {
    if (!(t.value > 0) || !std::isfinite(t.value))
      throw std::invalid_argument(
          fmt::format("{}: the measured value is {}; expected a finite number above 0", t.name, t.value));
    if (!(t.sigma >= 0) || !std::isfinite(t.sigma) || (t.sigma > 0) != known)
      throw std::invalid_argument(
          fmt::format("{}: sigma is {}; expected a number above 0 for all targets, or 0 for all", t.name, t.sigma));
  }
}

void fill_in(FitResult& result, const std::vector<FitParameter>& parameters, const std::vector<FitTarget>& targets,
             const FitOptions& options, const std::vector<double>& unit, const std::vector<double>& predicted,
             Eigen::MatrixXd jacobian) {
  std::vector<double> weights;
  double sum = 0;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const FitTarget& t = targets[i];
    result.residuals.push_back({t.name, t.value, predicted[i]});
    const double error = result.residuals.back().relative_error();
    const double residual = t.sigma > 0 ? error / t.sigma : error;
    weights.push_back(weight(residual, options.outlier));
    sum += weights.back() * residual * residual;
  }

  for (std::size_t i = 0; i < parameters.size(); ++i) {
    FittedParameter p;
    p.name = parameters[i].name;
    p.value = from_unit(parameters[i], unit[i]);
    p.at_bound = unit[i] < 2 * options.tolerance || unit[i] > 1 - 2 * options.tolerance;
    result.parameters.push_back(p);
  }
  for (std::size_t i = 0; i < weights.size(); ++i) jacobian.row(static_cast<Eigen::Index>(i)) *= std::sqrt(weights[i]);
  add_uncertainties(result, parameters, targets, jacobian, sum);
}

} // namespace gradflight
