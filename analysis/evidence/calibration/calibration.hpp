// Fits a platform's alpha, beta and gamma to measured cases, by simulation, and predicts the other cases with them.
//
// Fitted: `message_overhead` (alpha: seconds of a message beyond its bytes) and `efficiency` (beta: the share of the
// nominal rate, after framing, that transfers attain), to the chosen cases but `reduce`; `reduce_bandwidth` (1/gamma),
// to those of `reduce`, where there are any. All else of the protocol is given.
#pragma once

#include "analysis/evidence/calibration/experiments.hpp"
#include "analysis/evidence/calibration/fit.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gradflight {

struct CalibrationSettings {
  std::vector<std::string> fit_to = {"p2p", "reduce"}; ///< experiments whose cases are fitted to
  std::vector<std::string> sets{};                     ///< PATH=VALUE for every case's scenario
  double above = 5e-3;                                 ///< seconds: only longer medians are compared
  double tolerance = 0.1;                              ///< relative error that counts as met
  int jobs = 1;
};

struct ComparedCase {
  const MeasuredCase* measured = nullptr;
  double simulated = 0; ///< seconds
  bool met = false;     ///< within the tolerance
  /// Seconds if announcements that race fell out the other way (ProtocolSpec::announcements); absent: no difference.
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
  /// message_overhead (s), and efficiency where a case has a protocol; absent: no case to fit them to
  std::optional<FitResult> transfer;
  std::optional<FitResult> reduction; ///< reduce_bandwidth (B/s); absent likewise
  std::vector<const MeasuredCase*> fitted{};
  std::vector<ComparedGroup> groups{}; ///< in the order in which they first occur
  PlatformSpec platform{};             ///< as calibrated; otherwise that of `platform_case`
  const MeasuredCase* platform_case{}; ///< of the highest rate, then the most nodes, that has what was fitted
};

/// Throws InputErrors where a case is no valid scenario, or where there is nothing to fit to.
/// The result points into `measurements`.
Calibration calibrate(const Measurements& measurements, const CalibrationSettings& settings);

} // namespace gradflight
