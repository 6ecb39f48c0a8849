// One phase of a scenario on a platform: ranks on places, buckets, the tasks of an exchange and the weight of each
// message. The programs of all streams read it.
//
// An exchange follows schedules, or consists of calls (`calls`). Independently of that, it may be sharded
// (tasks.sharded()). All parts are immutable during the simulation. Beforehand, an engine says which names programs
// use, and a data plane which buckets it chooses.
#pragma once

#include "sim/plan/hop_weight.hpp"
#include "sim/plan/plan.hpp"
#include "sim/training/bucket_layout.hpp"
#include "sim/training/exchange_tasks.hpp"
#include "sim/training/job_calls.hpp"
#include "sim/training/message_weights.hpp"
#include "sim/training/rank_layout.hpp"

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
  const BucketLayout buckets;          ///< of each exchange, unless buckets are chosen (buckets_in)
  const std::optional<JobCalls> calls; ///< if exchanges are calls; tasks then have no schedules
  const RankLayout ranks;
  const std::vector<int> rank_of_member; ///< in calls; empty without
  const MessageWeights weights;
  const ExchangeTasks tasks;
  const std::vector<HostWork> per_iteration; ///< of each worker
  const bool parameter_server;               ///< helpers are servers

  [[nodiscard]] int streams() const { return training.streams; }
  /// Number of streams of a plan, including computation.
  [[nodiscard]] int plan_streams() const { return calls ? calls->plan_streams(streams()) : streams() + 1; }
  /// The lane of its calls that a stream carries out; nothing: none.
  [[nodiscard]] std::optional<int> lane_of(int stream) const;
  /// "compute", "comm0"; for calls also "launch0", "lane0.1".
  [[nodiscard]] std::string stream_name(int stream) const;
  /// Returns K: an iteration uses the gradients of the K-th last iteration.
  [[nodiscard]] int depth() const { return training.overlap.kind == OverlapKind::pipelined ? training.overlap.k : 1; }
  /// Whether buckets are handed over as they become ready.
  [[nodiscard]] bool wait_free() const { return training.overlap.kind != OverlapKind::none; }
  /// Whether layers wait for the buckets that they need first (parameter servers).
  [[nodiscard]] bool pull_at_first_use() const { return pull_at_first_use_; }
  /// With calls: returns a rank's index among the members, by node and GPU, or by rank if calls go by ranks. Switches
  /// are last.
  [[nodiscard]] int member_of(int rank) const;
  /// Returns the share of the model's elements that a rank updates.
  [[nodiscard]] double shard(int rank) const;
  /// Returns the number of exchanges in the first `iterations` iterations.
  [[nodiscard]] std::int64_t exchanges(std::int64_t iterations) const { return iterations / training.every; }
  [[nodiscard]] bool exchanges_in(std::int64_t iteration) const {
    return training.every == 1 || (iteration + 1) % training.every == 0; // asked for each operation: divisions are slow
  }
  /// Returns the buckets of an exchange: those that a data plane chooses, or else always the same.
  [[nodiscard]] const BucketLayout& buckets_in(std::int64_t exchange) const {
    return chosen_ == nullptr ? buckets : chosen_->buckets(exchange);
  }
  /// From now on each exchange has the buckets that `chosen` returns; null: all have the same.
  void choose_buckets(const ChosenBuckets* chosen) { chosen_ = chosen; }
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
    weights.weigh(op, encoded * hop.bytes_on(bandwidth), way, bandwidth, weight);
    weigh_hop(hop, op, encoded, bandwidth, weight);
  }
  /// Returns the seconds of host work for a message with a range of a bucket at a hook, per entry of training.costs
  /// that has it.
  [[nodiscard]] std::vector<HostWork> message_work(CostHook hook, int bucket, Range range) const;
  [[nodiscard]] bool has_message_costs() const { return message_costs_; }
  /// Returns the factor on the time of a rank's forward and backward passes in an iteration.
  [[nodiscard]] double pace(int rank, std::int64_t iteration) const {
    return jitter_ ? jitter_factor(*jitter_, phase_, ranks_before_ + rank, iteration) : 1;
  }

  // See Plan.
  [[nodiscard]] std::optional<Rings> rings() const;
  [[nodiscard]] RingVector ring_vector(int bucket) const;
  void name_whole_collectives() { whole_collectives_ = true; }
  [[nodiscard]] bool names_whole_collectives() const { return whole_collectives_; }
  [[nodiscard]] bool repeats_calls() const;
  void name_calls() { call_kinds_ = kinds_of_calls(); }
  [[nodiscard]] bool names_calls() const { return !call_kinds_.empty(); }
  void calls_ahead(std::int64_t call, std::vector<CallAhead>& ahead) const;
  /// Returns for each bucket the number of the first bucket with calls that send the same messages.
  [[nodiscard]] std::vector<int> kinds_of_calls() const;
  /// Returns the program of a stream: 0 computes (workers only, else null), 1.. communicate.
  [[nodiscard]] std::unique_ptr<Program> program(int rank, int stream) const;

private:
  const double model_elements_, merge_seconds_per_byte_;
  const bool message_costs_, pull_at_first_use_;
  const std::optional<Jitter> jitter_;
  const int phase_, ranks_before_; ///< workers of other jobs: each draws its own jitter
  const ChosenBuckets* chosen_ = nullptr;
  bool whole_collectives_ = false; ///< the engine computes collectives at once: programs name them, not their steps
  std::vector<int> call_kinds_;    ///< of each bucket, if programs name where calls begin and end; else empty
};

} // namespace gradflight
