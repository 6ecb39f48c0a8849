// One phase of a scenario on a platform: ranks on places, buckets, schedules and the weight of each message.
//
// Immutable during the simulation, except for the choice of chunks; the programs of all streams read it.
#pragma once

#include "sim/plan/hop_weight.hpp"
#include "sim/plan/plan.hpp"
#include "sim/training/chunk_steps.hpp"
#include "sim/training/job_calls.hpp"
#include "sim/training/message_weights.hpp"
#include "sim/training/rank_layout.hpp"
#include "sim/training/sharded_tasks.hpp"

#include <memory>
#include <vector>

namespace gradflight {

class Platform;
struct Scenario;

class Job {
public:
  /// `phase`: one of the scenario's.
  Job(const Scenario& scenario, const Phase& phase, const Platform& platform);

  const TrainingSpec& training;
  const Workload& workload;
  std::vector<Bucket> buckets;
  std::vector<BucketPlan> plans; ///< in the order of buckets
  std::optional<JobCalls> calls; ///< if exchanges are calls; tasks then have no schedules
  RankLayout ranks;
  MessageWeights weights;
  double merge_seconds_per_byte = 0;
  std::unique_ptr<ChunkSteps> chunks; ///< the chunks that each exchange sends, if chunks are chosen; else null
  std::vector<HostWork> per_iteration;
  std::vector<std::vector<Task>> stream_tasks; ///< tasks of one exchange, per communication stream
  std::int64_t signals = 0;                    ///< of a worker's computation in one exchange
  std::optional<ShardedTasks> sharded;         ///< then stream_tasks belong to an exchange's last round
  std::vector<std::vector<int>> layer_buckets; ///< buckets that become ready after the backward pass of each layer
  /// Position of a bucket's last leg in its stream: signals of `stream` needed within one exchange.
  struct Finish {
    int stream;
    std::int64_t count;
  };
  std::vector<Finish> finish;              ///< per bucket
  std::vector<std::vector<int>> first_use; ///< per layer: buckets with a result that it needs first (pull at first use)
  int depth = 1;                           ///< K: an iteration uses the gradients of the K-th last iteration
  bool wait_free = false;                  ///< buckets are handed over as they become ready
  bool pull_at_first_use = false;
  bool parameter_server = false, reactive = false; ///< reactive: the server's next move depends on what arrives
  double elements_total = 0;
  std::int64_t exchanges_before = 0; ///< in the phases before this one
  bool whole_collectives = false;    ///< the engine computes collectives at once: programs name them, not their steps
  std::vector<int> call_kinds;       ///< of each bucket, if programs name where calls begin and end; else empty

  [[nodiscard]] int streams() const { return training.streams; }
  /// Number of streams of a plan, including computation.
  [[nodiscard]] int plan_streams() const { return calls ? calls->plan_streams(streams()) : streams() + 1; }
  /// "compute", "comm0"; for calls also "launch0", "lane0.1".
  [[nodiscard]] std::string stream_name(int stream) const;
  /// Number of rounds of an exchange; each round has its own tasks.
  [[nodiscard]] std::int64_t rounds() const { return sharded ? training.accumulation : 1; }
  [[nodiscard]] const std::vector<Task>& tasks(std::size_t stream, std::int64_t round) const {
    return round + 1 < rounds() ? sharded->each.tasks[stream] : stream_tasks[stream];
  }
  /// Returns the share of the model's elements that a rank updates.
  [[nodiscard]] double shard(int rank) const;
  /// Returns the number of exchanges in the first `iterations` iterations.
  [[nodiscard]] std::int64_t exchanges(std::int64_t iterations) const { return iterations / training.every; }
  [[nodiscard]] bool exchanges_in(std::int64_t iteration) const {
    return training.every == 1 || (iteration + 1) % training.every == 0; // asked for each operation: divisions are slow
  }
  /// For a bucket in an exchange: chosen chunks may change from one exchange to the next.
  [[nodiscard]] const BucketPlan& plan(int bucket, std::int64_t exchange) const {
    return (chunks ? chunks->step(exchange).plans : plans)[static_cast<std::size_t>(bucket)];
  }
  /// Returns how many buckets the backward pass of a layer completes.
  [[nodiscard]] std::size_t ready_buckets(int layer, std::int64_t exchange) const {
    const auto l = static_cast<std::size_t>(layer);
    return chunks ? static_cast<std::size_t>(chunks->step(exchange).ready[l]) : layer_buckets[l].size();
  }
  /// Returns where a rank encodes and decodes: servers and aggregators have no GPU.
  [[nodiscard]] Resource codec_resource(int rank) const {
    return training.compression.placement == CodecPlacement::gpu && !ranks.is_helper(rank) ? Resource::gpu
                                                                                           : Resource::cpu;
  }

  /// Turns a schedule's step into an operation of `rank`: peers, codec, seconds to combine. Does not set its tag,
  /// number and iteration.
  void lay_step(StepOp& op, const Task& task, int rank, const Step& step) const;
  /// Returns the optimiser's update of `elements` of the model on a server.
  [[nodiscard]] WorkOp update_op(int rank, int bucket, std::int64_t elements, std::int64_t iteration) const;
  /// Computes the weight of the message that `rank` sends, with `encoded` bytes in it, over a route of `bandwidth`.
  void weigh(const StepOp& op, int rank, double encoded, double bandwidth, Weight& weight) const {
    const RankLayout::Way way = ranks.way(rank, op.transfer.to);
    if (!calls) {
      weights.weigh(op, encoded, way, bandwidth, weight);
      return;
    }
    const HopCosts& hops = calls->call_of(op.bucket, op.name > 0).hops;
    const HopCost& hop = way == RankLayout::Way::between_nodes ? hops.between : hops.inside;
    weights.weigh(op, encoded * hop.wire_bytes, way, bandwidth, weight);
    weigh_hop(hop, op, encoded, weight);
  }
  /// Returns the seconds of host work for a message with a range of a bucket at a hook, per entry of training.costs
  /// that has it.
  [[nodiscard]] std::vector<HostWork> message_work(CostHook hook, int bucket, Range range) const;
  [[nodiscard]] bool has_message_costs() const { return message_costs_; }
  [[nodiscard]] bool names_calls() const { return !call_kinds.empty(); }
  /// Returns the factor on the time of a rank's forward and backward passes in an iteration.
  [[nodiscard]] double pace(int rank, std::int64_t iteration) const {
    return jitter_ ? jitter_factor(*jitter_, phase_, ranks_before_ + rank, iteration) : 1;
  }
  /// See Plan::rings.
  [[nodiscard]] std::optional<Rings> rings() const;
  [[nodiscard]] RingVector ring_vector(int bucket) const;
  [[nodiscard]] bool repeats_calls() const;
  void name_calls();
  void calls_ahead(std::int64_t call, std::vector<CallAhead>& ahead) const;
  /// Returns the program of a stream: 0 computes (workers only, else null), 1.. communicate.
  [[nodiscard]] std::unique_ptr<Program> program(int rank, int stream) const;

private:
  std::vector<std::unique_ptr<Schedule>> schedules_;
  bool message_costs_ = false;
  std::optional<Jitter> jitter_;
  int phase_ = 0, ranks_before_ = 0; ///< workers of other jobs: each draws its own jitter

  void order_buckets();
  void order_tasks();
};

} // namespace gradflight
