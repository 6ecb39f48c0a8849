// Fits a pack's parameters to its figures by simulation, and evaluates the predictions of these fits.
#pragma once

#include "analysis/evidence/calibration/fit.hpp"
#include "analysis/evidence/reproduction/pack_runs.hpp"
#include "scenarios/language/packs/pack_fits.hpp"

#include <stdexcept>

namespace gradflight {

/// The requested fit is impossible: too few figures, or a parameter without dependent figures.
class NotFittable : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Called when a fit to a part of the figures has ended, with the errors of the predicted figures and the number of
/// evaluations.
using FitEnded = std::function<void(double median, double p90, int evaluations)>;

/// Figures with values of the parameters.
struct PackPoint {
  std::vector<std::size_t> figures;
  std::vector<double> values;
};

/// A fit to some figures that predicts others.
struct PartialFit {
  std::vector<std::size_t> parameters, fitted, predicted;
  std::vector<double> values; ///< of all parameters: those outside the fit keep their values
  bool must_determine = true; ///< false: it predicts even if parameters are not determined
  FitResult result{};
  ErrorStatistics errors{}; ///< of the predicted figures
  [[nodiscard]] bool determined() const;
};

class PackFitter {
public:
  /// Both must outlive the fitter.
  PackFitter(const CheckedPack& checked, Simulations& simulations);

  /// Returns the numbers in the files.
  [[nodiscard]] std::vector<double> written() const;

  /// Returns simulated figures, in order, with all parameters at `values`.
  std::vector<double> simulated(const std::vector<std::size_t>& figures, const std::vector<double>& values);
  /// The same for many points; simulates all of them together.
  std::vector<std::vector<double>> simulated(const std::vector<PackPoint>& points);
  /// Returns their relative errors.
  std::vector<double> errors(const std::vector<std::size_t>& figures, const std::vector<double>& values);

  /// Fits `parameters` to `figures`; the others stay at `values`. Starts in the middle of the bounds, so that earlier
  /// fits in the files have no effect. Replaces `values` by the fitted ones.
  FitResult fit(const std::vector<std::size_t>& parameters, const std::vector<std::size_t>& figures,
                std::vector<double>& values, const FitOptions& options);

  /// Executes all fits together, each with the same result as alone. Points that several fits request are simulated
  /// once. Calls `ended` for each fit when it and all fits before it have ended. They also start in the middle of the
  /// bounds.
  void fit_together(std::vector<PartialFit>& fits, const std::function<void(const PartialFit&)>& ended);

  /// Returns the uncertainties of a fit at `values`, if each figure has the relative scatter `sigma`.
  std::vector<FittedParameter> uncertainties(const PackFit& fit, const std::vector<double>& values, double sigma);

  /// Returns the errors of the figures that the pack predicts.
  ErrorStatistics own_errors(const std::vector<double>& values);
  /// Returns the errors of the predicted figures at `values` as one relative standard deviation. It is 1.4826 times the
  /// median absolute error, which is equal for a normal distribution (Rousseeuw & Croux 1993); 0 without predicted
  /// figures.
  double scatter(const std::vector<double>& values);

  /// Whether figure `figure` uses an experiment that changes with parameter `parameter`.
  bool depends(std::size_t figure, std::size_t parameter);

  TransferResult transfer(const PackTransfer& transfer, const FitEnded& ended);
  /// Uses `sets` random sets. Each has as many figures as the pack's fits, and determines each parameter. Uses fewer
  /// sets if no more exist. The same seed gives the same sets.
  CrossValidation cross_validate(int sets, std::int64_t seed, const FitEnded& ended);

private:
  FitResult run(const std::vector<FitParameter>& start, const std::vector<std::size_t>& parameters,
                const std::vector<std::size_t>& figures, double sigma, std::vector<double>& values,
                const FitOptions& options);
  [[nodiscard]] std::vector<FitParameter> fit_parameters(const std::vector<std::size_t>& parameters) const;
  [[nodiscard]] std::vector<FitTarget> fit_targets(const std::vector<std::size_t>& figures, double sigma) const;
  /// Identifies a run of an experiment by the values of the parameters that it depends on.
  [[nodiscard]] std::string key(std::size_t experiment, const std::vector<double>& values) const;
  void find_dependencies();
  /// Whether a fit can use these figures, and each parameter has its own figure that depends on it.
  bool determines(const std::vector<std::size_t>& figures);

  const CheckedPack& checked_;
  const Pack& pack_;
  Simulations& simulations_;
  std::vector<std::vector<bool>> moves_; ///< [parameter][experiment]; empty: not computed yet
};

} // namespace gradflight
