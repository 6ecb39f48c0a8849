// Fits named parameters to measured values: bounded least squares over relative residuals, with uncertainties.
//
// The caller provides a function that predicts values from parameters; it may simulate. The fit is deterministic: the
// same model, parameters and targets give the same result.
//
// Minimiser: BOBYQA (Powell, "The BOBYQA algorithm for bound constrained optimization without derivatives", DAMTP
// 2009/NA06), from NLopt; COBYLA (Powell 1994) for a single parameter, which BOBYQA does not support. Uncertainty: the
// covariance of linearised least squares (Nocedal & Wright, Numerical Optimization, 10.2) from a finite-difference
// Jacobian. Each target has the weight that the loss gives it (Huber & Ronchetti, Robust Statistics, 7.8).
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace gradflight {

/// The steps of the optimiser: `log` uses equal ratios (needs lower > 0), `linear` equal differences.
enum class FitScale { log, linear };

struct FitParameter {
  std::string name;
  double start = 0, lower = 0, upper = 0; ///< lower <= start <= upper, lower < upper; all in the model's unit
  FitScale scale = FitScale::log;
};

struct FitTarget {
  std::string name;
  double value = 0; ///< measured value, > 0
  double sigma = 0; ///< relative standard deviation of the measurement; 0: unknown. Known for all targets or for none
  double rounding = 0; ///< largest relative change by the rounding of the written value; 0: none
};

/// Returns predictions of all targets, in order, in their unit. May throw: fit() does not catch it.
using FitModel = std::function<std::vector<double>(const std::vector<double>& parameters)>;

struct FitOptions {
  int max_evaluations = 500; ///< of the model, without the Jacobian's
  double tolerance = 1e-7;   ///< of the parameters, as fractions of the range between their bounds
  double difference = 1e-3;  ///< step of the Jacobian, as such a fraction
  /// Threshold for outliers: targets with much larger residuals do not count, because the model does not describe them
  /// and they would distort it. First they count in proportion instead of squared (pseudo-Huber loss). Then, from these
  /// parameters on, they do not count at all (Geman-McClure). 0: all residuals are squared. In the unit of the
  /// residuals: relative errors, or sigmas if these are known.
  double outlier = 0;
};

struct FittedParameter {
  std::string name;
  double value = 0;
  /// 1 sigma, in the parameter's unit. Infinite if the targets do not determine the parameter. Also infinite without
  /// known sigmas, unless there are more targets than parameters.
  double uncertainty = std::numeric_limits<double>::infinity();
  /// The largest additional shift by the targets' rounding, in the parameter's unit. Targets that are rounded in the
  /// same direction shift the value together, and no residual shows that.
  double rounding = 0;
  bool identified = false; ///< false: some change of it (alone or with others) changes no prediction
  bool at_bound = false;   ///< the optimum is on a bound: the targets would need a value beyond it
};

struct FitResidual {
  std::string name;
  double measured = 0, predicted = 0;
  [[nodiscard]] double relative_error() const { return predicted / measured - 1; }
};

struct FitResult {
  std::vector<FittedParameter> parameters; ///< in the given order
  std::vector<FitResidual> residuals;      ///< in the order of the targets
  int evaluations = 0;                     ///< of the model, including the Jacobian's
  bool converged = false;                  ///< false: max_evaluations was reached first
};

/// Throws std::invalid_argument for parameters, targets or predictions that violate the conditions above.
FitResult fit(const std::vector<FitParameter>& parameters, const std::vector<FitTarget>& targets, const FitModel& model,
              const FitOptions& options = {});

} // namespace gradflight
