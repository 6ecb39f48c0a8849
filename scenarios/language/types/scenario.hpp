// A decoded scenario: all data of a run, with every default explicit.
#pragma once

#include "platforms/code/spec/change_spec.hpp"
#include "platforms/code/spec/failure_spec.hpp"
#include "platforms/code/spec/spec.hpp"
#include "platforms/code/spec/traffic_spec.hpp"
#include "scenarios/language/types/recovery.hpp"
#include "scenarios/language/types/training.hpp"
#include "workloads/code/workload.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gradflight {

/// An expectation of a golden scenario (`regress`).
struct Expectation {
  std::string quantity;
  double value = 0, tolerance = 0; ///< tolerance: relative
  std::string why;
};

struct Limits {
  static constexpr std::int64_t messages_unless_said = 10'000'000'000;
  /// Limit of messages that are simulated one by one; a scenario with more is rejected.
  std::optional<std::int64_t> messages{};
  std::optional<Seconds> simulated_time{}; ///< the run fails (exit 3) beyond this time
  std::optional<Seconds> wall_time{};      ///< the same for wall-clock time
};

/// How a job's ranks are placed on the free GPUs (jobs.hpp).
enum class JobPlacement { packed, round_robin, by_rack, random };

/// One of several jobs on a platform, as in the file.
struct JobSpec {
  std::string name{};
  Workload workload{};
  std::vector<Phase> phases{};
  std::vector<int> ranks{};   ///< the platform's GPU of each rank; empty: `placement` chooses `count` GPUs
  std::optional<int> count{}; ///< number of ranks
  JobPlacement placement = JobPlacement::packed;
  std::int64_t seed = 0; ///< for `random`
  Seconds start{};       ///< on the simulated clock
};

/// The order in which waiting jobs get GPUs (sim/queue/queue.hpp).
enum class QueuePolicy { fcfs, backfill };
enum class QueueNetwork { shared, alone };

/// A job of a list; it trains the scenario's workload.
struct ListedJob {
  std::string name{};
  Seconds arrival{};                        ///< on the simulated clock
  int gpus = 0;                             ///< >= 1
  std::optional<std::int64_t> iterations{}; ///< >= 1
  std::optional<Seconds> run_time{};        ///< instead of `iterations`: as many iterations as fit in this time; > 0
  std::optional<Seconds> estimate{};        ///< the user's estimate of the run time; > 0. Absent: the actual run time
};

/// Jobs that arrive and wait for free GPUs.
struct JobQueue {
  std::vector<ListedJob> list{}; ///< sorted by arrival; at least one
  QueuePolicy policy = QueuePolicy::fcfs;
  JobPlacement placement = JobPlacement::packed; ///< placement of each job on the GPUs that are free when it starts
  std::int64_t seed = 0;                         ///< for `random`: job i uses seed + i
  QueueNetwork network = QueueNetwork::shared;   ///< whether concurrent jobs slow each other down
};

/// Identifies a scenario of one job among the platform's jobs (sim/jobs.hpp), and gives its share of the platform.
struct JobSeat {
  std::string name{};
  std::vector<int> gpus{};                  ///< the platform's GPU of each rank
  int helpers_before = 0, ranks_before = 0; ///< numbers of extra nodes and workers of the jobs before it
  double start = 0;                         ///< seconds
  bool several = false;                     ///< other jobs exist
  std::string shared{};                     ///< the jobs that share its links: "job b shares rack0.up"; empty: none
};

struct Scenario {
  std::string name; ///< the key `name`, or the file's base name
  std::string description;
  PlatformSpec platform;
  Workload workload;
  std::vector<Phase> phases;       ///< warm-up phases in order, then the main phase (name "main"); at least one
  std::vector<JobSpec> jobs;       ///< instead of `workload` and `phases`, which are empty then
  std::optional<JobQueue> queue{}; ///< jobs that train `workload` with `phases`, one after another or concurrently
  std::optional<JobSeat> seat{};   ///< for one job of several; never written
  Placement placement = Placement::linear;
  EngineSpec engine;
  std::vector<TrafficSpec> traffic;
  std::vector<ChangeSpec> changes; ///< in order of time
  std::optional<FailureSpec> failures{};
  std::optional<RecoverySpec> recovery{}; ///< only with failures; absent: the job waits for repairs
  Limits limits;
  std::vector<Expectation> expect;

  /// Whether the scenario has neither `jobs` nor `queue`.
  [[nodiscard]] bool one_job() const { return jobs.empty() && !queue; }
  /// Returns the number of workers of the one job: one per GPU of the platform or of its seat.
  [[nodiscard]] int workers() const {
    return seat ? static_cast<int>(seat->gpus.size()) : platform.nodes * platform.gpus_per_node;
  }
};

/// Whether messages on failing links are lost and sent again.
inline bool loses_messages(const Scenario& scenario) {
  return scenario.recovery &&
         (scenario.recovery->policy == RecoveryPolicy::resend || scenario.recovery->policy == RecoveryPolicy::reroute);
}

} // namespace gradflight
