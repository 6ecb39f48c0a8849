// Simulations of listed jobs: alone, and with those that they share links with. Equal cases are simulated once.
#pragma once

#include "sim/queue/progress.hpp"
#include "sim/sample_iterations.hpp"

#include <chrono>
#include <map>
#include <span>

namespace gradflight {

/// Returns the scenario of one job: what every job of the list trains, without end, on these GPUs.
Scenario listed_job(const Scenario& scenario, std::vector<int> gpus);

/// Returns a key that is equal for two jobs that take the same time on a platform: `gpus` with nodes and racks numbered
/// in the order of their appearance. If the platform is not the same everywhere, the key is `gpus` itself.
std::vector<int> placement_shape(const PlatformSpec& platform, const std::vector<int>& gpus);

/// A job on these GPUs that has done this much of a cycle of iterations (JobProgress); 0 at its start.
struct QueuedPart {
  const std::vector<int>* gpus;
  double under_way;
};

/// For a scenario with `queue`. Returned references live as long as this. Throws SimulationFailure; limits.wall_time
/// applies to all simulations together.
class QueueSamples {
public:
  QueueSamples(const Scenario& scenario, const Platform& platform, const SimulateOptions& options)
      : scenario_(scenario), platform_(platform), options_(options), began_(Clock::now()) {}

  /// Returns a job that runs alone there; for few iterations, exactly those.
  const IterationSample& alone(const std::vector<int>& gpus, std::int64_t iterations);
  /// Returns its pace from now on, for a job that has done part of a cycle.
  JobPace pace_alone(const std::vector<int>& gpus, std::int64_t iterations, double under_way);
  /// Returns the pace from now on of jobs that share links, in the given order. A job that has done part of a cycle
  /// begins it earlier by the time that this part takes alone. All train until each has shown its pace with all others
  /// present: first_sample() iterations of the slowest, eight or more. It is at least 32 if one job neither repeats
  /// within 8 nor has one mean, to a hundredth, in their third and last quarters.
  std::vector<JobPace> together(std::span<const QueuedPart> jobs);

  [[nodiscard]] int alone_count() const { return static_cast<int>(alone_.size()); }
  [[nodiscard]] int together_count() const { return together_count_; }

private:
  using Clock = std::chrono::steady_clock;
  /// Refuses a scenario with too many messages, and passes on the remaining time.
  void limit(Scenario& some, const std::string& of) const;
  RunResult run_together(std::span<const QueuedPart> jobs, std::span<const double> leads,
                         std::span<const std::int64_t> iterations);
  /// The paces of jobs that begin together, computed once for all equal placements.
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
