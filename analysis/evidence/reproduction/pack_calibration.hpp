// Executes all fits of a pack one after the other, and collects the values to write.
#pragma once

#include "analysis/evidence/reproduction/pack_fit.hpp"
#include "analysis/evidence/reproduction/pack_writer.hpp"

#include <functional>
#include <vector>

namespace gradflight {

/// Called for each fit when its uncertainties are known; `errors` are the relative errors of its figures.
using FitFound = std::function<void(const PackFit& fit, const Calibrated& calibrated, const FitResult& result,
                                    const std::vector<double>& errors)>;

/// Executes every fit of the pack in order, each with the values of the fits before it. Values are rounded as they will
/// be written. A parameter that the figures do not determine keeps the literal's value.
Calibrated fit_pack(const Pack& pack, PackFitter& fitter, const FitFound& found);

/// Throws NotFittable if a number is not determined by the figures. It would be written as the middle of its bounds,
/// and might replace a known value.
void require_determined(const Pack& pack, const Calibrated& calibrated);

} // namespace gradflight
