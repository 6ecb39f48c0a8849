#include "analysis/evidence/reproduction/pack_calibration.hpp"

#include "scenarios/language/fields/shape.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace gradflight {
namespace {

constexpr int value_digits = 5, uncertainty_digits = 2; ///< digits in the file

/// Takes uncertainties from the residuals. With as many parameters as figures there are no residuals, so it uses the
/// errors of the predicted figures.
void add_uncertainties(const PackFit& fit, const FitResult& result, PackFitter& fitter, double scatter,
                       Calibrated& calibrated, const Pack& pack) {
  auto parameters = result.parameters;
  const bool known = std::ranges::all_of(parameters, [](const auto& p) { return std::isfinite(p.uncertainty); });
  if (!known && scatter > 0) parameters = fitter.uncertainties(fit, calibrated.values, scatter);
  for (std::size_t i = 0; i < fit.parameters.size(); ++i) {
    const auto p = fit.parameters[i];
    if (std::isfinite(parameters[i].uncertainty))
      calibrated.uncertainties[p] = pack.parameters[p].rounded(parameters[i].uncertainty, uncertainty_digits);
  }
}

/// Stores the result of a fit, rounded as it will be written; keeps the literal if the figures do not determine it.
void take(const Pack& pack, const PackFit& fit, const FitResult& result, Calibrated& calibrated) {
  for (std::size_t i = 0; i < fit.parameters.size(); ++i) {
    const auto p = fit.parameters[i];
    const auto& parameter = pack.parameters[p];
    calibrated.determined[p] = result.parameters[i].identified;
    calibrated.values[p] = calibrated.determined[p] ? std::clamp(parameter.rounded(calibrated.values[p], value_digits),
                                                                 parameter.low, parameter.high)
                                                    : parameter.value;
  }
}

} // namespace

Calibrated fit_pack(const Pack& pack, PackFitter& fitter, const FitFound& found) {
  const auto count = pack.parameters.size();
  Calibrated calibrated{fitter.written(), std::vector<std::optional<double>>(count), std::vector<bool>(count)};
  std::vector<FitResult> fitted;
  for (const auto& fit : pack.fits) {
    fitted.push_back(fitter.fit(fit.parameters, fit.figures, calibrated.values, {.tolerance = 1e-6}));
    take(pack, fit, fitted.back(), calibrated);
  }
  const double scatter = fitter.scatter(calibrated.values);
  for (std::size_t i = 0; i < fitted.size(); ++i) {
    add_uncertainties(pack.fits[i], fitted[i], fitter, scatter, calibrated, pack);
    found(pack.fits[i], calibrated, fitted[i], fitter.errors(pack.fits[i].figures, calibrated.values));
  }
  return calibrated;
}

void require_determined(const Pack& pack, const Calibrated& calibrated) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < pack.parameters.size(); ++i)
    if (!calibrated.determined[i]) names.push_back(pack.parameters[i].name);
  if (!names.empty())
    throw NotFittable(fmt::format("nothing was written: the figures do not determine {}", joined(names)));
}

} // namespace gradflight
