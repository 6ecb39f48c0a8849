// Fits named parameters to measured values: bounded least squares over relative residuals, with uncertainties.
//
// Pure: what a set of parameters predicts is a function the caller gives (it may simulate). Deterministic: the same
// model, parameters and targets give the same result.
//
// Minimiser: BOBYQA (Powell, "The BOBYQA algorithm for bound constrained optimization without derivatives", DAMTP
// 2009/NA06), of NLopt; COBYLA (Powell 1994) where there is one parameter, which BOBYQA does not take. Uncertainty: the
// covariance of linearised least squares (Nocedal & Wright, Numerical Optimization, 10.2) from a finite-difference
// Jacobian, each target with the weight that the loss gives it (Huber & Ronchetti, Robust Statistics, 7.8).
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace gradflight {

/// How the optimiser steps: `log` in equal ratios (needs lower > 0), `linear` in equal differences.
enum class FitScale { log, linear };

struct FitParameter {
  std::string name;
  double start = 0, lower = 0, upper = 0; ///< lower < upper, start within; all in the model's unit
  FitScale scale = FitScale::log;
};

struct FitTarget {
  std::string name;
  double value = 0;    ///< measured, > 0
  double sigma = 0;    ///< relative standard deviation of the measurement; 0: unknown. All known, or none
  double rounding = 0; ///< largest relative change that rounding made where the value was written; 0: none
};

/// Predictions of all targets, in their order, in their unit. May throw: fit() lets it through.
using FitModel = std::function<std::vector<double>(const std::vector<double>& parameters)>;

struct FitOptions {
  int max_evaluations = 500; ///< of the model, the Jacobian's not counted
  double tolerance = 1e-7;   ///< of the parameters, as fractions of the stretch between their bounds
  double difference = 1e-3;  ///< step of the Jacobian, as such a fraction
  /// Targets whose residuals are well beyond this one do not count: the model does not describe them, and would be bent
  /// towards them. First they count in proportion rather than squared (pseudo-Huber loss), then, from the parameters
  /// that this gives, not at all (Geman-McClure). 0: all are squared. In the unit of the residuals: relative errors, or
  /// sigmas where these are known.
  double outlier = 0;
};

struct FittedParameter {
  std::string name;
  double value = 0;
  /// 1 sigma, in the parameter's unit; infinite where the targets do not determine the parameter, or where there are no
  /// more targets than parameters and no target's sigma is known.
  double uncertainty = std::numeric_limits<double>::infinity();
  /// How far the targets' rounding may shift the value beyond that, in the parameter's unit: targets that are rounded
  /// alike shift it together, and no residual shows that.
  double rounding = 0;
  bool identified = false; ///< false: some change of it (alone or with others) changes no prediction
  bool at_bound = false;   ///< the optimum lies on a bound: the targets pull beyond it
};

struct FitResidual {
  std::string name;
  double measured = 0, predicted = 0;
  [[nodiscard]] double relative_error() const { return predicted / measured - 1; }
};

struct FitResult {
  std::vector<FittedParameter> parameters; ///< in the order given
  std::vector<FitResidual> residuals;      ///< in the order of the targets
  double rms_relative_error = 0;           ///< of the residuals
  int evaluations = 0;                     ///< of the model, the Jacobian's counted
  bool converged = false;                  ///< false: max_evaluations came first
};

/// Throws std::invalid_argument for parameters, targets or predictions that are not as described above.
FitResult fit(const std::vector<FitParameter>& parameters, const std::vector<FitTarget>& targets, const FitModel& model,
              const FitOptions& options = {});

} // namespace gradflight
