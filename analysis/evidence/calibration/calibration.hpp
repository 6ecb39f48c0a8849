// Fits a platform's alpha, beta and gamma to measured cases by simulation, and predicts the other cases with them.
//
// It fits `message_overhead` and `efficiency` to all chosen cases except `reduce`. `message_overhead` (alpha) is the
// time of a message beyond its bytes. `efficiency` (beta) is the share of the nominal rate, after framing, that
// transfers attain. It fits `reduce_bandwidth` (1/gamma) to the cases of `reduce`, if any. All other parameters of the
// protocol are given.
#pragma once

#include "analysis/evidence/calibration/experiments.hpp"
#include "analysis/evidence/calibration/fit.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gradflight {

struct CalibrationSettings {
  std::vector<std::string> fit_to = {"p2p", "reduce"}; ///< experiments with cases for the fit
  std::vector<std::string> sets{};                     ///< PATH=VALUE for every case's scenario
  double above = 5e-3;                                 ///< seconds: only longer medians are compared
  double tolerance = 0.1;                              ///< relative error that is acceptable
  int jobs = 1;
};

struct ComparedCase {
  const MeasuredCase* measured = nullptr;
  double simulated = 0; ///< seconds
  bool met = false;     ///< within the tolerance
  /// Seconds with the other order of racing announcements (ProtocolSpec::announcements); absent: no difference.
  std::optional<double> other_race{};
  [[nodiscard]] double relative_error() const { return simulated / measured->median() - 1; }
};

/// Compared cases of one `algorithm`: "eager", "rendezvous".
struct ComparedGroup {
  std::string algorithm;
  std::vector<ComparedCase> cases{};
  [[nodiscard]] std::size_t met() const;
};

struct Calibration {
  /// message_overhead (s), and efficiency if a case has a protocol; absent: no case for the fit
  std::optional<FitResult> transfer;
  std::optional<FitResult> reduction; ///< reduce_bandwidth (B/s); absent: no case for the fit
  std::vector<const MeasuredCase*> fitted{};
  std::vector<ComparedGroup> groups{}; ///< in the order of their first occurrence
  PlatformSpec platform{};             ///< the calibrated platform; other values are those of `platform_case`
  /// The case with the highest rate, then the most nodes, that has the fitted parameters.
  const MeasuredCase* platform_case{};
};

/// Throws InputErrors if a case is not a valid scenario, or if there are no cases for the fit. The result points into
/// `measurements`.
Calibration calibrate(const Measurements& measurements, const CalibrationSettings& settings);

} // namespace gradflight
