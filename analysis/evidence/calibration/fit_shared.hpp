// Shared code of all fits: the parameters of the optimiser, and the evaluation of its final point.
#pragma once

#include "analysis/evidence/calibration/fit.hpp"

#include <Eigen/Dense>

namespace gradflight {

/// A parameter in the optimiser's unit: 0 at its lower bound, 1 at its upper bound.
double to_unit(const FitParameter& p, double value);
double from_unit(const FitParameter& p, double u);

/// Throws std::invalid_argument for arguments that fit() rejects.
void check_fit(const std::vector<FitParameter>& parameters, const std::vector<FitTarget>& targets);

/// Fills in parameters and residuals, with uncertainties, of a fit that ends at `unit` with the predictions
/// `predicted`. `jacobian` is that of the residuals: a row for each target, and a column for each parameter.
void fill_in(FitResult& result, const std::vector<FitParameter>& parameters, const std::vector<FitTarget>& targets,
             const FitOptions& options, const std::vector<double>& unit, const std::vector<double>& predicted,
             Eigen::MatrixXd jacobian);

} // namespace gradflight
