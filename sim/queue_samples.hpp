// Simulations of jobs of a list: alone, and beside those that they share links with; one for all that are alike.
#pragma once

#include "sim/queue/progress.hpp"
#include "sim/sample_iterations.hpp"

#include <chrono>
#include <map>
#include <span>

namespace gradflight {

/// The scenario of one job: what every job of the list trains, for ever, on these GPUs.
Scenario listed_job(const Scenario& scenario, std::vector<int> gpus);

/// What two jobs on a platform have alike if they take the same time on it: `gpus` with nodes, and racks, numbered in
/// the order in which they come; where the platform is not the same everywhere, `gpus` themselves.
std::vector<int> placement_shape(const PlatformSpec& platform, const std::vector<int>& gpus);

/// A job on these GPUs that has done a part of an iteration, 0 at its start.
struct QueuedPart {
  const std::vector<int>* gpus;
  double under_way;
};

/// Of a scenario with `queue`. What it gives lives as long as it does. Throws SimulationFailure, of all simulations
/// together for limits.wall_time.
class QueueSamples {
public:
  QueueSamples(const Scenario& scenario, const Platform& platform, const SimulateOptions& options)
      : scenario_(scenario), platform_(platform), options_(options), began_(Clock::now()) {}

  /// A job with nobody else there; of few iterations just those.
  const IterationSample& alone(const std::vector<int>& gpus, std::int64_t iterations);
  /// From now on, of a job that has done a part of an iteration.
  JobPace alone_from(const std::vector<int>& gpus, std::int64_t iterations, double under_way);
  /// Jobs that share links, in the order given, from now on. Those that have done a part of an iteration begin it as
  /// long before as that takes alone. All train on until each has shown its pace while all others were there: eight
  /// iterations of the slowest, or 32 where one neither repeats in 8 nor has one mean, to a hundredth, in their third
  /// and last quarters.
  std::vector<JobPace> together(std::span<const QueuedPart> jobs);

  [[nodiscard]] int alone_count() const { return static_cast<int>(alone_.size()); }
  [[nodiscard]] int together_count() const { return together_count_; }

private:
  using Clock = std::chrono::steady_clock;
  /// Refuses what has too many messages, and leaves it the time that is left.
  void limit(Scenario& some, const std::string& of) const;
  RunResult run_together(std::span<const QueuedPart> jobs, std::span<const double> leads,
                         std::span<const std::int64_t> iterations);
  /// What jobs that begin together do, once for all that lie alike.
  using Paces = std::vector<JobPace>;

  const Scenario& scenario_;
  const Platform& platform_;
  SimulateOptions options_;
  Clock::time_point began_;
  std::map<std::vector<int>, IterationSample> alone_;
  std::map<std::vector<int>, Paces> fresh_;
  int together_count_ = 0;
};

} // namespace gradflight
