// The result of a run, from any engine. Seconds and bytes.
#pragma once

#include "platforms/code/changes.hpp"
#include "platforms/code/link_role.hpp"
#include "sim/result/kept_ends.hpp"
#include "sim/result/lifetime_result.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gradflight {

/// Parts of the time on the critical path (part_rows). The parts of a moment's Path sum to that moment.
enum class Part : std::uint8_t {
  compute,
  update,
  alpha,
  beta,
  contention,
  nic_pipeline,
  nic_engine,
  gamma,
  merge,
  codec,
  host,
  queue,
  interference,
  traffic,
  outage
};
inline constexpr int part_count = 15;
using Path = std::array<double, part_count>;
inline double& at(Path& path, Part part) { return path[static_cast<std::size_t>(part)]; }
inline double at(const Path& path, Part part) { return path[static_cast<std::size_t>(part)]; }
/// For a path's beta and contention: seconds in which links of each tier held a message up. A message alone is held up
/// by its narrowest link, a message that shares links by the shared bottleneck; links that tie count alike. If a
/// narrowest link is among those that hold up the message while it shares links, these count for its time alone, too.
/// The rest belongs to no link: a library's protocol adds bytes (PathDetails::protocol), and messages wait for credits
/// or, under a protocol, for their turn.
using HeldBy = std::array<double, link_tiers>;
inline double& at(HeldBy& held, LinkTier tier) { return held[static_cast<std::size_t>(tier)]; }
inline double at(const HeldBy& held, LinkTier tier) { return held[static_cast<std::size_t>(tier)]; }
/// Returns whether, of two critical paths of equal length, the first one leaves clearly less to the links that hold it
/// up most. That path says more: faster links of that kind gain no more than this, because the other path remains.
inline bool more_even(const HeldBy& held, const HeldBy& other) {
  constexpr double clearly = 1e-3;
  return *std::ranges::max_element(held) < *std::ranges::max_element(other) * (1 - clearly);
}

/// Returns whether two times, of which `later` is not the earlier one, differ by rounding alone. Paths that reach one
/// instant in two ways add up the same seconds in another order.
inline bool same_instant(double earlier, double later) { return later - earlier <= 1e-12 * later; }

/// Seconds of a critical path that are included in its parts.
struct PathDetails {
  double straggling = 0; ///< compute and update beyond a rank of median speed; < 0: faster
  double down = 0;       ///< of straggling and compute: on GPUs that are down
  double launching = 0;  ///< of Part::host: launches of a library's calls
  double protocol = 0; ///< of beta and contention: bytes that a protocol adds, and rates that its channels cannot fill
  double serving = 0;  ///< of Part::update: by servers with nodes of their own

  /// Applies `change` to each of its values and the same one of `other`.
  template <class Change> void change_each(const PathDetails& other, Change change) {
    change(straggling, other.straggling);
    change(down, other.down);
    change(launching, other.launching);
    change(protocol, other.protocol);
    change(serving, other.serving);
  }
  PathDetails& operator+=(const PathDetails& other) {
    change_each(other, [](double& own, double more) { own += more; });
    return *this;
  }
  friend PathDetails operator-(PathDetails a, const PathDetails& b) {
    a.change_each(b, [](double& own, double less) { own -= less; });
    return a;
  }
  friend PathDetails operator*(double times, PathDetails d) {
    d.change_each(d, [times](double& own, double) { own *= times; });
    return d;
  }
};

/// Whether a part of the later path is shorter than in the earlier one, which it then does not continue: it came by
/// another rank, and the difference of the two explains nothing.
bool apart(const Path& earlier, const Path& later);

/// A part's name, such as "compute", as in the result's breakdown, and a sentence that explains it.
struct PartRow {
  const char *name, *meaning;
};
const std::array<PartRow, part_count>& part_rows();
const char* part_name(Part part);

/// How much longer a critical path takes because of a change, than with the platform's own value of the link or place.
struct ChangeCost {
  PlatformChange::What what{}; ///< not link_state: outages are listed apart
  std::int32_t target = 0;     ///< the link or place
  std::int32_t entry = 0;      ///< PlatformChange::entry of the change that was in force
  double seconds = 0;          ///< below 0: the change makes the path shorter
};

/// An outage of a link that messages on the critical path have waited for.
struct LinkOutage {
  std::int32_t link = 0;
  double seconds = 0;         ///< seconds waited; in PathEvents below 0 if the path waited less than the one before
  double from = 0, until = 0; ///< when it went down and came up again, on the clock of the run
  std::int64_t times = 0;     ///< 1; after very many outages, the number of them in this interval
  std::int32_t entry = -1;    ///< PlatformChange::entry of the change that began it; -1: a failure
};

/// What a critical path has that another one, such as that of the iteration before, lacks.
struct PathEvents {
  std::vector<ChangeCost> costs{};   ///< of changes
  std::vector<LinkOutage> outages{}; ///< of links that were down: the parts of Part::outage
  std::uint64_t traffic = 0;         ///< entries of RunResult::traffic that shared a link which held up its messages
                                     ///< (a bit for each of the first 64)
};

struct IterationResult {
  double end = 0;            ///< when the last rank finished its update (s)
  Path path{};               ///< critical path up to `end`; sums to `end`
  HeldBy held{};             ///< of this path
  PathDetails details{};     ///< of this path
  PathEvents events{};       ///< of this path, without those of the iteration before
  std::int64_t rerouted = 0; ///< messages up to `end` that took another route (RunResult::rerouted_messages)
};

/// The mean step of workers that do not wait for each other: their number over the iterations per second of all of them
/// together. Seconds; of the last phase, as long as every worker has iterations left.
struct WorkerSteps {
  double settled = 0; ///< once the paces are steady (OwnPace)
  double whole = 0;   ///< from the phase's start
};

struct LinkResult {
  std::string name;
  double bytes = 0, busy = 0; ///< bytes carried; seconds with at least one transfer on it
  double bandwidth = 0;       ///< bytes per second on the platform
  LinkRole role{};
  std::int32_t changed = 0;                  ///< 0: unchanged; else a number, equal for links that changed alike
  std::optional<double> changed_bandwidth{}; ///< if changes or outages altered it: the mean over the run
  /// Returns the bytes per second that it could carry, averaged over the run.
  [[nodiscard]] double mean_bandwidth() const { return changed_bandwidth.value_or(bandwidth); }
};

/// The cost of a link: how much longer messages took than alone, while this link held them up. Links that hold up a
/// message together, in one direction or both, cost the same time; of equal kind and bandwidth only the first counts.
struct LinkDelay {
  std::int32_t link = 0; ///< index in RunResult::links
  double seconds = 0;
  std::uint64_t traffic = 0; ///< entries of RunResult::traffic that shared it meanwhile: a bit for each of the first 64
};

/// Bytes of one iteration's exchanges: dense, and as encoded. Exchanges without servers count everything in `push`.
struct LegBytes {
  std::int64_t iteration = 0;
  double push_payload = 0, push_wire = 0, pull_payload = 0, pull_wire = 0;
};

/// What a selection of real gradients sent; shares of L1 norms, over all workers and exchanges.
struct SelectionResult {
  double selected_mass_share = 0; ///< share of gradient + residual that was selected for sending
  // gTop-k compared with the exact top-k of the sum:
  std::optional<double> shared_index_share{}; ///< share of the result's indices that the exact result also has
  std::optional<double> lost_mass_share{};    ///< share of the selection that is neither in the result nor put back
};

/// Effects on real tensors, in the last phase that has any.
struct DataResult {
  std::vector<LegBytes> steps; ///< iterations with an exchange, in order
  // Errors of all workers' aggregates, compared with the exact sums of all gradients; absent where any of these values
  // is not finite:
  std::optional<double> max_error = 0;         ///< over all elements
  std::optional<double> relative_l2_error = 0; ///< |aggregate - exact| / |exact|; absent if only |exact| is 0
  std::optional<double> bias = 0;              ///< mean of aggregate - exact
  std::optional<SelectionResult> selection{};  ///< top-k exchanges and chosen chunks
};

/// Totals of the flows of an entry of `traffic`.
struct TrafficResult {
  std::string name;
  std::int64_t flows = 0, ended = 0;           ///< flows that began; of these, flows that carried all their bytes
  double bytes = 0;                            ///< carried, up to the end of the run
  double flow_time = 0, longest_flow_time = 0; ///< seconds, of the flows that ended: mean and maximum
};

struct JobRun;

/// How busy a platform was from `at` on (s).
struct QueueMoment {
  double at = 0;
  int gpus_busy = 0, jobs_waiting = 0;
};

/// Totals of a list of jobs.
struct QueueResult {
  std::vector<QueueMoment> moments; ///< in order of time; the last one is the end, when nothing is busy
  double utilisation = 0;           ///< share of GPU seconds in use from the first arrival to the last end
  int shapes = 0;                   ///< different jobs that were simulated alone
  int companies = 0;                ///< different groups of jobs that were simulated together
  int unsteady = 0; ///< jobs with iterations that do not repeat: a mean replaces the parts that were not simulated
};

struct RunResult {
  double time = 0;                           ///< end of the last operation; with `failures`, includes all their costs
  double iteration_time = 0;                 ///< distance of two updates, or a mean of such (docs/model.md)
  std::optional<WorkerSteps> worker_steps{}; ///< asynchronous servers and bounded staleness
  // means over the iterations of the last phase:
  double compute_time = 0;               ///< busiest rank's forward + backward + update
  double communication_time = 0;         ///< time with any message in flight
  double exposed_communication_time = 0; ///< the part of it in which no rank computes
  std::int64_t messages = 0; ///< between different ranks' places and of ranks of one node alike; a message to one's own
                             ///< place is free and not counted
  std::int64_t repeated_messages = 0; ///< of these: not simulated, since they repeat earlier calls
  double payload_bytes = 0;           ///< dense bytes of all messages
  double wire_bytes = 0;           ///< bytes after compression; with a compressing NIC, including headers and framing
  double received_bytes = 0;       ///< must equal wire_bytes
  Path path{};                     ///< critical path of the whole run; sums to `time`, less what restarts lost
  Path iteration_path{};           ///< of the last iteration (docs/model.md); sums to iteration_time
  HeldBy iteration_held{};         ///< of iteration_path
  PathDetails iteration_details{}; ///< of iteration_path
  PathEvents iteration_events{};   ///< of iteration_path
  double iteration_begin = 0, iteration_end = 0; ///< when the iterations that iteration_path is the mean of began and
                                                 ///< ended, like IterationResult::end
  KeptEnds<IterationResult> iterations;          ///< empty for a job of a list that others slowed down
  std::int64_t drained_iterations = 0; ///< of the last phase's: the last ones, that ended while a pipeline drained, or
                                       ///< after a worker that waits for no other had ended
  std::vector<LinkResult> links;       ///< in Platform::links() order, then the engine stages of compressing NICs
  std::vector<LinkDelay> delays;       ///< on `path`, in the order of the links; empty from the reference engine
  std::optional<DataResult> data;      ///< with compression.tensors
  std::int64_t dropped_gradients = 0;  ///< backup workers: gradients that came too late
  std::int64_t lost_messages = 0, rerouted_messages = 0; ///< counts, for recovery "resend" or "reroute"
  std::optional<FailuresResult> failures{};              ///< where things fail
  std::vector<TrafficResult> traffic{};                  ///< of each entry of `traffic`
  std::optional<double> other_race_time{}; ///< under a protocol: `time` if announcements race the other way; absent:
                                           ///< it is the same, or was not asked for
  /// The jobs of a scenario with several, in their order. The result's own `time` is then the end of the last job, its
  /// messages and bytes are those of all jobs. All else is of the job that ends last, from its start.
  std::vector<JobRun> jobs;
  std::size_t last_job = 0;           ///< index in `jobs` of the job that ends last
  std::optional<QueueResult> queue{}; ///< of a list of jobs that waited for GPUs; these are `jobs`

  /// Returns the time in which the job takes up one gradient of each worker on average, once it is steady (s).
  [[nodiscard]] double step_time() const { return worker_steps ? worker_steps->settled : iteration_time; }
};

/// The request of a listed job.
struct QueuedRun {
  double arrival = 0; ///< on the clock of the run
  int gpus = 0;
  std::int64_t iterations = 0;
  bool overtook = false; ///< it began before a job that had arrived earlier
  int shared_with = 0;   ///< jobs that ran at the same time and share a link with it
};

/// The result of one of several jobs. Its times, also of iterations, count from its start.
struct JobRun {
  std::string name;
  double start = 0;                   ///< on the clock of the run
  std::optional<QueuedRun> queued{};  ///< of a list of jobs
  std::optional<double> alone_time{}; ///< its `run.time` if it were alone on the platform, where that was asked for; of
                                      ///< a job of a list always
  RunResult run;                      ///< without links
};

/// An unfinished operation, for error messages.
struct Blocked {
  std::string job; ///< empty: the only job
  int rank = 0;
  std::string stream;      ///< "compute", "comm0", ...
  std::string waiting_for; ///< "message from rank 3 (bucket 7 of iteration 2, step 5)", "gradients of bucket 3", ...
};

} // namespace gradflight
