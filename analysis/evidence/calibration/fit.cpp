#include "analysis/evidence/calibration/fit_shared.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <fmt/format.h>
#include <nlopt.hpp>
#include <stdexcept>

namespace gradflight {

namespace {

using Vector = std::vector<double>;

/// The loss of a residual, times 2: r^2 / 2 near 0 and |r| * outlier far away; see FitOptions::outlier.
double loss(double r, double outlier) {
  if (outlier <= 0) return r * r;
  const double scaled = r / outlier;
  // sqrt(1 + x^2) - 1, without cancellation
  return 2 * outlier * outlier * (scaled * scaled / (std::sqrt(1 + scaled * scaled) + 1));
}

/// A loss that ignores outliers (Geman & McClure 1987): r^2 near 0, outlier^2 far away. Any few targets may give it a
/// local minimum, so it only refines the result of loss().
double loss_without_outliers(double r, double outlier) {
  const double scaled = r / outlier;
  return r * r / (1 + scaled * scaled);
}

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

  /// Returns relative residuals, in units of the target's sigma if that is known.
  Eigen::VectorXd residuals(const Vector& unit) {
    const Vector predicted = predict(unit);
    Eigen::VectorXd out(static_cast<Eigen::Index>(predicted.size()));
    for (std::size_t i = 0; i < predicted.size(); ++i) {
      const double sigma = targets_[i].sigma > 0 ? targets_[i].sigma : 1;
      out[static_cast<Eigen::Index>(i)] = (predicted[i] / targets_[i].value - 1) / sigma;
    }
    return out;
  }

  /// Uses central differences, or one-sided ones at a bound.
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

/// The callback of NLopt. It stores the best point, and the model's own exception, which NLopt would replace by its
/// own.
struct Search {
  FitProblem& problem;
  double outlier = 0;
  double (*loss)(double r, double outlier) = nullptr;
  Vector best{};
  double least = std::numeric_limits<double>::infinity();
  std::exception_ptr thrown{};

  static double sum(const Vector& unit, Vector&, void* self) {
    Search& search = *static_cast<Search*>(self);
    try {
      double sum = 0;
      for (const double r : search.problem.residuals(unit)) sum += search.loss(r, search.outlier);
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

/// Stores the best point in `unit`; returns false if max_evaluations was reached before the tolerance.
bool minimise(FitProblem& problem, Vector& unit, const FitOptions& options, double (*loss)(double, double),
              double step) {
  const auto n = static_cast<unsigned>(unit.size());
  nlopt::opt optimiser(n == 1 ? nlopt::LN_COBYLA : nlopt::LN_BOBYQA, n);
  optimiser.set_lower_bounds(0.0);
  optimiser.set_upper_bounds(1.0);
  optimiser.set_initial_step(step);
  optimiser.set_xtol_abs(options.tolerance);
  optimiser.set_stopval(0.0);
  optimiser.set_maxeval(options.max_evaluations);
  Search search{problem, options.outlier, loss, unit};
  optimiser.set_min_objective(&Search::sum, &search);
  bool converged = true;
  try {
    double sum = 0;
    Vector x = unit;
    converged = optimiser.optimize(x, sum) != nlopt::MAXEVAL_REACHED;
  } catch (const nlopt::roundoff_limited&) {
    // Rounding errors prevent further progress, so use the best point.
  } catch (const nlopt::forced_stop&) {
    std::rethrow_exception(search.thrown);
  }
  unit = search.best;
  return converged;
}

} // namespace

FitResult fit(const std::vector<FitParameter>& parameters, const std::vector<FitTarget>& targets, const FitModel& model,
              const FitOptions& options) {
  check_fit(parameters, targets);
  FitProblem problem(parameters, targets, model);
  Vector unit;
  for (const FitParameter& p : parameters) unit.push_back(to_unit(p, p.start));
  FitResult result;
  result.converged = minimise(problem, unit, options, &loss, 0.1);
  if (options.outlier > 0) result.converged &= minimise(problem, unit, options, &loss_without_outliers, 0.01);

  const Vector predicted = problem.predict(unit);
  fill_in(result, parameters, targets, options, unit, predicted, problem.jacobian(unit, options.difference));
  result.evaluations = problem.evaluations;
  return result;
}

} // namespace gradflight
