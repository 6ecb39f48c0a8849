// A pack's parameters fitted to its figures by simulation, and what such fits predict.
#pragma once

#include "analysis/evidence/calibration/fit.hpp"
#include "analysis/evidence/reproduction/pack_runs.hpp"
#include "scenarios/language/packs/pack_fits.hpp"

#include <stdexcept>

namespace gradflight {

/// What was asked for cannot be fitted: too few figures, or none that depend on a parameter.
class NotFittable : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Told when a fit on part of the figures has ended: how far the predicted ones lie off, and what the fit took.
using FitEnded = std::function<void(double median, double p90, int evaluations)>;

/// Figures with the parameters at some values.
struct PackPoint {
  std::vector<std::size_t> figures;
  std::vector<double> values;
};

/// A fit on some figures that predicts others.
struct PartialFit {
  std::vector<std::size_t> parameters, fitted, predicted;
  std::vector<double> values; ///< of all parameters: those that are not fitted keep theirs
  bool must_determine = true; ///< else it predicts all the same
  FitResult result{};
  ErrorSummary errors{}; ///< of the predicted
  [[nodiscard]] bool determined() const;
};

class PackFitter {
public:
  /// Both must outlive the fitter.
  PackFitter(const CheckedPack& checked, Simulations& simulations);

  /// The numbers that stand in the files.
  [[nodiscard]] std::vector<double> written() const;

  /// Simulated figures, in their order, with all parameters at `values`.
  std::vector<double> simulated(const std::vector<std::size_t>& figures, const std::vector<double>& values);
  /// The same at many points, all of them simulated together.
  std::vector<std::vector<double>> simulated(const std::vector<PackPoint>& points);
  /// Their relative errors.
  std::vector<double> errors(const std::vector<std::size_t>& figures, const std::vector<double>& values);

  /// Fits `parameters` to `figures`, the others staying at `values`. Starts in the middle of the bounds, whatever the
  /// files say: what was fitted before has no say. Values in `values` are replaced by the fitted ones.
  FitResult fit(const std::vector<std::size_t>& parameters, const std::vector<std::size_t>& figures,
                std::vector<double>& values, const FitOptions& options);

  /// All of them at once, each as it would be alone: what two of them ask for is simulated once. Each is told of when
  /// it has ended, and all before it have. They start in the middle of the bounds, too.
  void fit_together(std::vector<PartialFit>& fits, const std::function<void(const PartialFit&)>& ended);

  /// The uncertainties of a fit that is at `values`, if each figure scatters by `sigma` (relative).
  std::vector<FittedParameter> uncertainties(const PackFit& fit, const std::vector<double>& values, double sigma);

  /// Of the figures that the pack predicts.
  ErrorSummary own_errors(const std::vector<double>& values);
  /// How far the predicted figures lie off at `values`, as one relative standard deviation: 1.4826 times the median
  /// absolute error, which for a normal distribution is the same (Rousseeuw & Croux 1993); 0: none is predicted.
  double scatter(const std::vector<double>& values);

  /// Whether figure `figure` reads an experiment that changes with parameter `parameter`.
  bool depends(std::size_t figure, std::size_t parameter);

  TransferResult transfer(const PackTransfer& transfer, const FitEnded& ended);
  /// `sets` random sets, each as large as the figures that the pack fits to and such that each parameter can be told
  /// from the set; fewer where there are no more. The same seed draws the same sets.
  CrossValidation cross_validate(int sets, std::int64_t seed, const FitEnded& ended);

private:
  FitResult run(const std::vector<FitParameter>& start, const std::vector<std::size_t>& parameters,
                const std::vector<std::size_t>& figures, double sigma, std::vector<double>& values,
                const FitOptions& options);
  [[nodiscard]] std::vector<FitParameter> fit_parameters(const std::vector<std::size_t>& parameters) const;
  [[nodiscard]] std::vector<FitTarget> fit_targets(const std::vector<std::size_t>& figures, double sigma) const;
  /// Tells a run of an experiment from those with other values of what it depends on.
  [[nodiscard]] std::string key(std::size_t experiment, const std::vector<double>& values) const;
  void find_dependencies();
  /// They can be fitted to, and each parameter has a figure of its own among them that depends on it.
  bool determines(const std::vector<std::size_t>& figures);

  const CheckedPack& checked_;
  const Pack& pack_;
  Simulations& simulations_;
  std::vector<std::vector<bool>> moves_; ///< [parameter][experiment]; empty: not looked at yet
};

} // namespace gradflight
