// A decoded scenario: everything a run needs, every default explicit, nothing left to look up.
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

/// What a golden scenario promises (`regress`).
struct Expectation {
  std::string quantity;
  double value = 0, tolerance = 0; ///< tolerance: relative
  std::string why;
};

struct Limits {
  static constexpr std::int64_t messages_unless_said = 10'000'000'000;
  std::optional<std::int64_t> messages{};  ///< to simulate one by one; a scenario with more is refused
  std::optional<Seconds> simulated_time{}; ///< the run fails (exit 3) beyond it
  std::optional<Seconds> wall_time{};      ///< likewise, of the computer's clock
};

/// Where a job's ranks live among the GPUs that are free (jobs.hpp).
enum class JobPlacement { packed, round_robin, by_rack, random };

/// One of several jobs on a platform, as it is written.
struct JobSpec {
  std::string name{};
  Workload workload{};
  std::vector<Phase> phases{};
  std::vector<int> ranks{};   ///< the platform's GPU of each rank; empty: `count` of them by `placement`
  std::optional<int> count{}; ///< ranks
  JobPlacement placement = JobPlacement::packed;
  std::int64_t seed = 0; ///< of `random`
  Seconds start{};       ///< on the simulated clock
};

/// Who of those that wait for GPUs gets them (sim/queue/queue.hpp).
enum class QueuePolicy { fcfs, backfill };
enum class QueueNetwork { shared, alone };

/// A job of a list: it trains what the scenario trains.
struct ListedJob {
  std::string name{};
  Seconds arrival{};                        ///< on the simulated clock
  int gpus = 0;                             ///< >= 1
  std::optional<std::int64_t> iterations{}; ///< >= 1
  std::optional<Seconds> run_time{};        ///< in place of `iterations`: as many as so much time holds; > 0
  std::optional<Seconds> estimate{};        ///< how long its user thinks that it runs; > 0. Absent: as long as it does
};

/// Jobs that arrive and wait until there are GPUs for them.
struct JobQueue {
  std::vector<ListedJob> list{}; ///< by arrival, at least one
  QueuePolicy policy = QueuePolicy::fcfs;
  JobPlacement placement = JobPlacement::packed; ///< of each job among the GPUs that are free when it starts
  std::int64_t seed = 0;                         ///< of `random`: job i draws for seed + i
  QueueNetwork network = QueueNetwork::shared;   ///< jobs that run at the same time slow each other down, or do not
};

/// Which of a platform's jobs a scenario of one job is (sim/jobs.hpp), and what it has of the platform.
struct JobSeat {
  std::string name{};
  std::vector<int> gpus{};                  ///< the platform's GPU of each rank
  int helpers_before = 0, ranks_before = 0; ///< of the jobs before it: extra nodes, and workers
  double start = 0;                         ///< seconds
  bool several = false;                     ///< there are other jobs
  std::string shared{};                     ///< who shares which of its links: "job b shares rack0.up"; empty: nobody
};

struct Scenario {
  std::string name; ///< `name`, or the file's base name
  std::string description;
  PlatformSpec platform;
  Workload workload;
  std::vector<Phase> phases;       ///< warm-up phases in order, then the main phase (name "main") last; at least one
  std::vector<JobSpec> jobs;       ///< in place of `workload` and `phases`, which are empty then
  std::optional<JobQueue> queue{}; ///< jobs that train `workload` by `phases`, one after another or side by side
  std::optional<JobSeat> seat{};   ///< of one job taken out of several; never written
  Placement placement = Placement::linear;
  EngineSpec engine;
  std::vector<TrafficSpec> traffic;
  std::vector<ChangeSpec> changes; ///< in order of time
  std::optional<FailureSpec> failures{};
  std::optional<RecoverySpec> recovery{}; ///< only with failures; absent: what is down is waited for
  Limits limits;
  std::vector<Expectation> expect;

  /// Neither `jobs` nor `queue`.
  [[nodiscard]] bool one_job() const { return jobs.empty() && !queue; }
  /// Workers of the one job: one for each GPU of the platform, or of its seat.
  [[nodiscard]] int workers() const {
    return seat ? static_cast<int>(seat->gpus.size()) : platform.nodes * platform.gpus_per_node;
  }
};

/// Messages on links that go down are lost, and sent again.
inline bool loses_messages(const Scenario& scenario) {
  return scenario.recovery &&
         (scenario.recovery->policy == RecoveryPolicy::resend || scenario.recovery->policy == RecoveryPolicy::reroute);
}

} // namespace gradflight
