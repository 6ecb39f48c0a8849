// Properties of fits that only tests need.
#pragma once

#include "analysis/evidence/calibration/fit.hpp"

#include <cmath>

namespace gradflight::test {

/// Returns the root mean square of the relative errors.
inline double rms_relative_error(const FitResult& result) {
  double sum = 0;
  for (const FitResidual& residual : result.residuals) sum += std::pow(residual.relative_error(), 2);
  return std::sqrt(sum / static_cast<double>(result.residuals.size()));
}

} // namespace gradflight::test
