// What every way of fitting shares: parameters as an optimiser sees them, and what is said of the point it ends at.
#pragma once

#include "analysis/evidence/calibration/fit.hpp"

#include <Eigen/Dense>

namespace gradflight {

/// A parameter as the optimiser sees it: 0 at its lower bound, 1 at its upper.
double to_unit(const FitParameter& p, double value);
double from_unit(const FitParameter& p, double u);

/// Throws std::invalid_argument for what fit() refuses.
void check_fit(const std::vector<FitParameter>& parameters, const std::vector<FitTarget>& targets);

/// Parameters and residuals of a fit that ends at `unit`, where the model says `predicted`, with their uncertainties.
/// `jacobian`: of the residuals, a row for each target and a column for each parameter.
void fill_in(FitResult& result, const std::vector<FitParameter>& parameters, const std::vector<FitTarget>& targets,
             const FitOptions& options, const std::vector<double>& unit, const std::vector<double>& predicted,
             Eigen::MatrixXd jacobian);

} // namespace gradflight
