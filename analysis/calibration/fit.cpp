#include "analysis/calibration/fit.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <exception>
#include <fmt/format.h>
#include <nlopt.hpp>
#include <stdexcept>

namespace gradflight {

namespace {

using Vector = std::vector<double>;

/// A parameter as the optimiser sees it: 0 at its lower bound, 1 at its upper.
double to_unit(const FitParameter& p, double value) {
  if (p.scale == FitScale::log) return std::log(value / p.lower) / std::log(p.upper / p.lower);
  return (value - p.lower) / (p.upper - p.lower);
}

double from_unit(const FitParameter& p, double u) {
  // The bounds themselves, not what rounding makes of them.
  if (u <= 0) return p.lower;
  if (u >= 1) return p.upper;
  if (p.scale == FitScale::log) return p.lower * std::exp(u * std::log(p.upper / p.lower));
  return p.lower + u * (p.upper - p.lower);
}

/// d value / d unit.
double slope(const FitParameter& p, double value) {
  return p.scale == FitScale::log ? value * std::log(p.upper / p.lower) : p.upper - p.lower;
}

void check(const std::vector<FitParameter>& parameters, const std::vector<FitTarget>& targets) {
  if (parameters.empty()) throw std::invalid_argument("nothing to fit: no parameters");
  if (targets.empty()) throw std::invalid_argument("nothing to fit to: no targets");
  for (const FitParameter& p : parameters) {
    if (!(p.lower < p.upper) || !std::isfinite(p.lower) || !std::isfinite(p.upper))
      throw std::invalid_argument(fmt::format("{}: bounds {} to {} are no range", p.name, p.lower, p.upper));
    if (!(p.start >= p.lower && p.start <= p.upper))
      throw std::invalid_argument(fmt::format("{}: starts at {}, outside {} to {}", p.name, p.start, p.lower, p.upper));
    if (p.scale == FitScale::log && p.lower <= 0)
      throw std::invalid_argument(fmt::format("{}: lower bound {} on a log scale", p.name, p.lower));
  }
  const bool known = targets.front().sigma > 0;
  for (const FitTarget& t : targets) {
    if (!(t.value > 0) || !std::isfinite(t.value))
      throw std::invalid_argument(fmt::format("{}: measured value {} is not positive", t.name, t.value));
    if (!(t.sigma >= 0) || !std::isfinite(t.sigma) || (t.sigma > 0) != known)
      throw std::invalid_argument(fmt::format("{}: sigma {}; all targets have one, or none has", t.name, t.sigma));
  }
}

/// The loss of a residual: r^2 / 2 near 0 and |r| * outlier far away, times 2; see FitOptions::outlier.
double loss(double r, double outlier) {
  if (outlier <= 0) return r * r;
  const double scaled = r / outlier;
  // sqrt(1 + x^2) - 1 without its cancellation
  return 2 * outlier * outlier * (scaled * scaled / (std::sqrt(1 + scaled * scaled) + 1));
}

/// What the residual weighs in a squared sum of the same slope.
double weight(double r, double outlier) { return outlier <= 0 ? 1 : 1 / std::sqrt(1 + (r / outlier) * (r / outlier)); }

class FitProblem {
public:
  FitProblem(const std::vector<FitParameter>& parameters, const std::vector<FitTarget>& targets, const FitModel& model)
      : parameters_(parameters), targets_(targets), model_(model) {}

  [[nodiscard]] Vector values(const Vector& unit) const {
    Vector out(unit.size());
    for (std::size_t i = 0; i < unit.size(); ++i) out[i] = from_unit(parameters_[i], unit[i]);
    return out;
  }

  Vector predict(const Vector& unit) {
    ++evaluations;
    Vector predicted = model_(values(unit));
    if (predicted.size() != targets_.size())
      throw std::invalid_argument(fmt::format("{} predictions for {} targets", predicted.size(), targets_.size()));
    for (std::size_t i = 0; i < predicted.size(); ++i)
      if (!std::isfinite(predicted[i])) throw std::invalid_argument(targets_[i].name + ": prediction is not finite");
    return predicted;
  }

  /// Relative residuals, in units of the target's sigma where that is known.
  Eigen::VectorXd residuals(const Vector& unit) {
    const Vector predicted = predict(unit);
    Eigen::VectorXd out(static_cast<Eigen::Index>(predicted.size()));
    for (std::size_t i = 0; i < predicted.size(); ++i) {
      const double sigma = targets_[i].sigma > 0 ? targets_[i].sigma : 1;
      out[static_cast<Eigen::Index>(i)] = (predicted[i] / targets_[i].value - 1) / sigma;
    }
    return out;
  }

  /// Central differences, one-sided at a bound.
  Eigen::MatrixXd jacobian(const Vector& unit, double step) {
    Eigen::MatrixXd out(static_cast<Eigen::Index>(targets_.size()), static_cast<Eigen::Index>(unit.size()));
    for (std::size_t i = 0; i < unit.size(); ++i) {
      Vector low = unit, high = unit;
      low[i] = std::max(0.0, unit[i] - step);
      high[i] = std::min(1.0, unit[i] + step);
      out.col(static_cast<Eigen::Index>(i)) = (residuals(high) - residuals(low)) / (high[i] - low[i]);
    }
    return out;
  }

  int evaluations = 0;

private:
  const std::vector<FitParameter>& parameters_;
  const std::vector<FitTarget>& targets_;
  const FitModel& model_;
};

/// What NLopt calls back: keeps the best point, and the model's own exception, which NLopt would replace by its own.
struct Search {
  FitProblem& problem;
  double outlier = 0;
  Vector best{};
  double least = std::numeric_limits<double>::infinity();
  std::exception_ptr thrown{};

  static double sum(const Vector& unit, Vector&, void* self) {
    Search& search = *static_cast<Search*>(self);
    try {
      double sum = 0;
      for (const double r : search.problem.residuals(unit)) sum += loss(r, search.outlier);
      if (sum < search.least) {
        search.least = sum;
        search.best = unit;
      }
      return sum;
    } catch (...) {
      search.thrown = std::current_exception();
      throw nlopt::forced_stop();
    }
  }
};

/// Leaves the best point found in `unit`; false where max_evaluations came before the tolerance was met.
bool minimise(FitProblem& problem, Vector& unit, const FitOptions& options) {
  const auto n = static_cast<unsigned>(unit.size());
  nlopt::opt optimiser(n == 1 ? nlopt::LN_COBYLA : nlopt::LN_BOBYQA, n);
  optimiser.set_lower_bounds(0.0);
  optimiser.set_upper_bounds(1.0);
  optimiser.set_initial_step(0.1);
  optimiser.set_xtol_abs(options.tolerance);
  optimiser.set_stopval(0.0);
  optimiser.set_maxeval(options.max_evaluations);
  Search search{problem, options.outlier, unit};
  optimiser.set_min_objective(&Search::sum, &search);
  bool converged = true;
  try {
    double sum = 0;
    Vector x = unit;
    converged = optimiser.optimize(x, sum) != nlopt::MAXEVAL_REACHED;
  } catch (const nlopt::roundoff_limited&) {
    // As close as rounding lets it come: the best point stands.
  } catch (const nlopt::forced_stop&) {
    std::rethrow_exception(search.thrown);
  }
  unit = search.best;
  return converged;
}

/// Fills in uncertainties: sqrt of the diagonal of s^2 (J'J)^-1, by singular values; a direction whose singular value
/// is nil is one in which no prediction changes, and the parameters it is made of are not identified.
void add_uncertainties(FitResult& result, const std::vector<FitParameter>& parameters,
                       const std::vector<FitTarget>& targets, const Eigen::MatrixXd& jacobian, double sum) {
  const Eigen::Index m = jacobian.rows(), n = jacobian.cols();
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(jacobian, Eigen::ComputeThinU | Eigen::ComputeFullV);
  const Eigen::VectorXd& s = svd.singularValues();
  // Simulated times carry rounding of some 1e-12, differences of them over the step some 1e-9 of the largest.
  const double nil = 1e-7 * s[0];
  const bool known = targets.front().sigma > 0;
  double variance = std::numeric_limits<double>::infinity();
  if (m > n) variance = sum / static_cast<double>(m - n);
  // Known scatter is believed at least; residuals beyond it widen it (Birge ratio).
  if (known) variance = m > n ? std::max(1.0, variance) : 1.0;
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    FittedParameter& p = result.parameters[k];
    double inverse = 0;
    p.identified = true;
    for (Eigen::Index d = 0; d < n; ++d) {
      const double part = svd.matrixV()(i, d);
      if (d < s.size() && s[d] > nil)
        inverse += part * part / (s[d] * s[d]);
      else if (std::abs(part) > 1e-3)
        p.identified = false;
    }
    if (p.identified) p.uncertainty = slope(parameters[k], p.value) * std::sqrt(variance * inverse);
  }
}

} // namespace

FitResult fit(const std::vector<FitParameter>& parameters, const std::vector<FitTarget>& targets, const FitModel& model,
              const FitOptions& options) {
  check(parameters, targets);
  FitProblem problem(parameters, targets, model);
  Vector unit;
  for (const FitParameter& p : parameters) unit.push_back(to_unit(p, p.start));
  FitResult result;
  result.converged = minimise(problem, unit, options);

  const Vector predicted = problem.predict(unit);
  std::vector<double> weights;
  double sum = 0, relative = 0;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const FitTarget& t = targets[i];
    result.residuals.push_back({t.name, t.value, predicted[i]});
    const double error = result.residuals.back().relative_error();
    relative += error * error;
    const double residual = t.sigma > 0 ? error / t.sigma : error;
    weights.push_back(weight(residual, options.outlier));
    sum += weights.back() * residual * residual;
  }
  result.rms_relative_error = std::sqrt(relative / static_cast<double>(targets.size()));

  const Vector values = problem.values(unit);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    FittedParameter p;
    p.name = parameters[i].name;
    p.value = values[i];
    p.at_bound = unit[i] < 2 * options.tolerance || unit[i] > 1 - 2 * options.tolerance;
    result.parameters.push_back(p);
  }
  Eigen::MatrixXd jacobian = problem.jacobian(unit, options.difference);
  for (std::size_t i = 0; i < weights.size(); ++i) jacobian.row(static_cast<Eigen::Index>(i)) *= std::sqrt(weights[i]);
  add_uncertainties(result, parameters, targets, jacobian, sum);
  result.evaluations = problem.evaluations;
  return result;
}

} // namespace gradflight
