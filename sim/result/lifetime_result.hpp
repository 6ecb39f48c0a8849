// Effect of failures on a job.
#pragma once

#include "platforms/code/spec/failure_spec.hpp"

#include <array>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

namespace gradflight {

/// Causes of lost time.
enum class Loss : std::uint8_t {
  detection,  ///< a failure was not yet noticed
  restart,    ///< the job restarted and read its checkpoint
  redone,     ///< work since the last checkpoint, repeated
  checkpoint, ///< the job stood still for checkpoints (and filled its pipelines again)
  repair,     ///< it waited for a repair
  fewer       ///< it worked with fewer nodes, which takes longer
};
inline constexpr int losses = 6;
/// "detection", "restart", ...
const char* loss_name(Loss loss);

/// In seconds: elapsed = useful + all losses.
struct Lifetime {
  double elapsed = 0;
  double useful = 0; ///< the job's time without failures and checkpoints
  std::array<double, losses> lost{};
  std::array<std::int64_t, component_kinds> failures{}; ///< failures of each kind that began before the end
  std::int64_t checkpoints = 0;                         ///< completely written
  int fewest_nodes = 0; ///< smallest number of nodes that the job worked with; 0: it always had all

  [[nodiscard]] double& at(Loss loss) { return lost[static_cast<std::size_t>(loss)]; }
  [[nodiscard]] double at(Loss loss) const { return lost[static_cast<std::size_t>(loss)]; }
  [[nodiscard]] double goodput() const { return elapsed > 0 ? useful / elapsed : 1; }
  /// Share of the time in which the job computed, or wrote checkpoints.
  [[nodiscard]] double availability() const {
    return elapsed > 0 ? 1 - (at(Loss::detection) + at(Loss::restart) + at(Loss::repair)) / elapsed : 1;
  }
  [[nodiscard]] std::int64_t failure_count() const {
    std::int64_t all = 0;
    for (const std::int64_t count : failures) all += count;
    return all;
  }
};

/// An interval between checkpoints.
struct CheckpointInterval {
  std::int64_t iterations = 0;
  double goodput = 0; ///< mean over the lifetimes
};

/// Something that was or still is down.
struct OutageRow {
  double at = 0, until = 0; ///< seconds; until: infinity if it is never repaired
  std::string name{};       ///< Component::name
};

struct FailuresResult {
  static constexpr std::size_t outages_kept = 1000;
  std::vector<OutageRow> outages{};      ///< of the first lifetime; only the first ones
  Lifetime first;                        ///< with the seed itself
  std::vector<double> goodputs;          ///< of all repeats, in order
  double period = 0;                     ///< seconds per iteration after the first ones
  double mtbf = 0;                       ///< of the whole job: mean time between failures of any component
  std::int64_t simulated_iterations = 0; ///< the others are assumed to repeat; 0: all were simulated
  bool steady = true;                    ///< the simulated ones did repeat, to 1e-9
  // with checkpoints:
  std::optional<double> write{}, read{};    ///< seconds per checkpoint
  std::int64_t every = 0;                   ///< iterations
  std::optional<CheckpointInterval> best{}; ///< of those tried; absent: nothing failed
  std::vector<CheckpointInterval> tried{};  ///< by length, including the job's own; empty if nothing failed

  /// Mean of all repeats, of which there is at least one.
  [[nodiscard]] double mean_goodput() const {
    return std::accumulate(goodputs.begin(), goodputs.end(), 0.0) / static_cast<double>(goodputs.size());
  }
};

} // namespace gradflight
