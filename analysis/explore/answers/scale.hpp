// A job on more and more GPUs: samples per second, efficiency, what bounds each point, and where it stops paying.
#pragma once

#include "analysis/explore/answers/steps.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gradflight {

struct ScalePoint {
  std::string value; ///< of the axis, as written
  int ranks = 0;
  double iteration_time = 0; ///< seconds
  std::optional<double> samples_per_second{}, efficiency{};
  std::vector<Bound> bounds{};
};

struct Scaling {
  std::string path; ///< of the axis
  double threshold = 0.5;
  bool strong = false;
  std::vector<ScalePoint> points;

  /// Ranks of the first point, in the order of their number, whose efficiency is below the threshold.
  [[nodiscard]] std::optional<int> stops_at() const;
  /// Where it stops, or why that cannot be said, as a sentence.
  [[nodiscard]] std::string conclusion() const;
};

/// Samples per second over ranks times what one rank of speed 1 would do if it only computed (its batches over its
/// forward and backward passes and update); nothing where nothing is computed.
std::optional<double> efficiency(const Scenario& scenario, double iteration_time);

/// The scenario with another batch on each rank, so that all ranks together have `global` samples a step: forward and
/// backward passes take time in proportion, the update as before. Nothing where no whole batch does that.
std::optional<Scenario> with_global_batch(Scenario scenario, std::int64_t global);

std::string scale_json(const Scaling& scaling);
std::string scale_text(const Scaling& scaling);

} // namespace gradflight
