// All fits of a pack, one after the other, with what they leave to be written.
#pragma once

#include "analysis/evidence/reproduction/pack_fit.hpp"
#include "analysis/evidence/reproduction/pack_writer.hpp"

#include <functional>
#include <vector>

namespace gradflight {

/// Told of each fit once its uncertainties are known; `errors`: relative, of its figures.
using FitFound = std::function<void(const PackFit& fit, const Calibrated& calibrated, const FitResult& result,
                                    const std::vector<double>& errors)>;

/// Every fit of the pack in order, each with the values that those before it found. Values are rounded as they will be
/// written; of a parameter that the figures do not determine it is the literal's.
Calibrated fit_pack(const Pack& pack, PackFitter& fitter, const FitFound& found);

/// A number that the figures do not determine would be written as the middle of its bounds, over one that may be known:
/// throws NotFittable where there is one.
void require_determined(const Pack& pack, const Calibrated& calibrated);

} // namespace gradflight
