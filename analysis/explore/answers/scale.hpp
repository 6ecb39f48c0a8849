// A job on an increasing number of GPUs: samples per second, efficiency, each point's bound, and where scaling ends.
#pragma once

#include "analysis/explore/steps/steps.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gradflight {

struct ScalePoint {
  std::string value; ///< of the axis, as written
  int ranks = 0;
  double iteration_time = 0;                                ///< seconds; TrainedStep::mean_time
  std::optional<double> samples_per_second{}, efficiency{}; ///< with the cost of failures
  std::vector<Bound> bounds{};
  std::optional<double> goodput{}; ///< if something can fail
  std::vector<std::string> warnings{};
};
ScalePoint scale_point(std::string value, const Scenario& scenario, const TrainedStep& step);

struct Scaling {
  std::string path; ///< of the axis
  double threshold = 0.5;
  bool strong = false;
  std::vector<ScalePoint> points;

  /// Whether an efficiency is below the threshold, by more than rounding.
  [[nodiscard]] bool is_below(double efficiency) const;
  /// Returns "0.497", with as many digits as it takes to be on the same side of the threshold; "-" without efficiency.
  [[nodiscard]] std::string efficiency_text(const ScalePoint& point) const;
  /// Number of ranks of the first point, by rank count, with an efficiency below the threshold.
  [[nodiscard]] std::optional<int> stops_at() const;
  [[nodiscard]] std::vector<StepWarning> warnings() const;
  /// A sentence that says where scaling ends, or why this is unknown.
  [[nodiscard]] std::string conclusion() const;
};

/// Returns the samples per second with steps of `seconds`, divided by ranks times the samples per second of one rank of
/// the nodes' median speed that only computes (its batches over its forward and backward passes and update). Returns
/// nothing without compute.
std::optional<double> efficiency(const Scenario& scenario, double seconds);

/// Returns the scenario with another batch per rank, so that all ranks together have `global` samples per step. The
/// times of passes scale with the batch, the update does not. Returns nothing if no whole batch fits.
std::optional<Scenario> with_global_batch(Scenario scenario, std::int64_t global);
/// Gives all points of a strong scaling the samples per step of the first one. `names` are those of the points, such as
/// "platform.nodes=3". Throws UsageError with all points to which no whole batch fits.
void keep_global_batch(std::vector<Prepared>& points, const std::vector<std::string>& names);

/// Returns a sentence with the goodput of each point; empty if nothing can fail.
std::string failures_text(const Scaling& scaling);
std::string scale_json(const Scaling& scaling);
std::string scale_text(const Scaling& scaling);

} // namespace gradflight
