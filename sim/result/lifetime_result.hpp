// What failures did to a job.
#pragma once

#include "platforms/code/spec/failure_spec.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gradflight {

/// What time was lost to.
enum class Loss : std::uint8_t {
  detection,  ///< a failure was not yet noticed
  restart,    ///< the job started again, and read its checkpoint
  redone,     ///< work since the last checkpoint, done once more
  checkpoint, ///< the job stood still for checkpoints (and filled its pipelines again)
  repair,     ///< it waited for something to be repaired
  fewer       ///< it worked with fewer nodes, which takes longer
};
inline constexpr int losses = 6;
/// "detection", "restart", ...
const char* loss_name(Loss loss);

/// Seconds. elapsed = useful + all that is lost.
struct Lifetime {
  double elapsed = 0;
  double useful = 0; ///< what the job takes without failures and checkpoints
  std::array<double, losses> lost{};
  std::array<std::int64_t, component_kinds> failures{}; ///< that began before the end, of each kind
  std::int64_t checkpoints = 0;                         ///< written whole
  int fewest_nodes = 0; ///< that the job worked with; 0: it never works with fewer than all

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

/// How often to write checkpoints.
struct CheckpointInterval {
  std::int64_t iterations = 0;
  double goodput = 0; ///< mean of the lifetimes
};

/// Something that was down, or is down still.
struct OutageRow {
  double at = 0, until = 0; ///< seconds; until: infinity where it is never repaired
  std::string name{};       ///< Component::name
};

struct FailuresResult {
  static constexpr std::size_t outages_kept = 1000;
  std::vector<OutageRow> outages{};      ///< of the first lifetime, the first so many
  Lifetime first;                        ///< with the seed itself
  std::vector<double> goodputs;          ///< of all repeats, in order
  double period = 0;                     ///< seconds of an iteration in its course
  double mtbf = 0;                       ///< of the whole job: from one failure of anything to the next, on average
  std::int64_t simulated_iterations = 0; ///< the others are taken to repeat; 0: all were simulated
  bool steady = true;                    ///< those did repeat, to 1e-9
  // With checkpoints
  std::optional<double> write{}, read{};    ///< seconds that one takes
  std::int64_t every = 0;                   ///< iterations
  std::optional<CheckpointInterval> best{}; ///< of those tried; absent: nothing failed
  std::vector<CheckpointInterval> tried{};  ///< by length, the job's own among them; empty likewise
};

} // namespace gradflight
