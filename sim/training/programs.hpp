// The programs of a job's streams; Job::program creates them.
#pragma once

#include "sim/training/task_walk.hpp"

namespace gradflight {

/// A worker's computation: update with the gradients of the K-th last iteration, forward, backward, signal the buckets.
class ComputeProgram final : public Program {
public:
  ComputeProgram(const Job& job, int rank) : job_(job), rank_(rank) {}
  bool next(Op& op) override;
  [[nodiscard]] double computing_until(double end) const override;

private:
  enum class At { start, costs, waits, update, mark, forward, backward, handover, finished };
  bool wait_for_results(Op& op);
  bool wait_for_layer(Op& op);
  bool hand_over(Op& op);
  void after_update();
  [[nodiscard]] WorkOp pass(Activity activity, int layer, double seconds) const;
  [[nodiscard]] double pass_seconds(double seconds) const;

  const Job& job_;
  int rank_;
  At at_ = At::start;
  std::int64_t iteration_ = 0; ///< the present one; == iterations: draining
  std::int64_t updated_ = 0;   ///< iterations whose gradients have been applied
  int mini_batch_ = 0, layer_ = 0, index_ = 0;
  double pace_ = 1; ///< of this iteration's passes: see Job::pace
};

/// A worker's computation if parameters are gathered for their passes, or after the update of the rank's shard
/// (sharded_tasks.hpp). Passes wait for gathers, the update for scatters.
class ShardedComputeProgram final : public Program {
public:
  ShardedComputeProgram(const Job& job, int rank);
  bool next(Op& op) override;

private:
  enum class At { iteration, pass, round_end, over };
  void lay_out();
  void begin_iteration();
  void lay_pass();
  void end_round();
  void signal() { ops_.emplace_back(SignalOp{0, iteration_}); }
  /// Waits for tasks in a round of iteration `of`; their counts begin with that round.
  void wait_for(const std::vector<ShardedTasks::Wait>& waits, std::int64_t of, int round);

  const Job& job_;
  const ShardedTasks& tasks_;
  int rank_, layers_;
  bool at_once_, at_first_use_;      ///< updated parameters are gathered before the iteration ends; as layers need them
  double slowness_, update_seconds_; ///< of the rank; at speed 1
  At at_ = At::iteration;
  std::vector<Op> ops_; ///< operations of the present part; those from next_ on still follow
  std::size_t next_ = 0;
  std::int64_t iteration_ = 0;
  int mini_batch_ = 0, pass_ = 0;
  double pace_ = 1;
};

/// One communication stream of a rank: its tasks of each exchange, in order.
class ExchangeProgram final : public Program {
public:
  ExchangeProgram(const Job& job, int rank, int stream) : job_(job), walk_(job, stream - 1), rank_(rank) {}
  bool next(Op& op) override;

private:
  enum class At { ready, before, enter, next_step, send_costs, receive_costs, drain, after, signal };
  void take_step(Op& op, const Step& step, std::int64_t iteration);

  const Job& job_;
  TaskWalk walk_;
  int rank_;
  At at_ = At::ready;
  std::size_t index_ = 0;
  int step_ = 0, steps_ = 0;
  RingSteps ring_;                     ///< remaining steps that are named as a whole
  bool pull_encoded_ = false;          ///< a server encodes data for several receivers only once
  std::vector<HostWork> message_work_; ///< of the present step; stays empty without message costs
};

/// A parameter server that reacts to each push: asynchronous, bounded staleness, or with backup workers.
class ReactiveServerProgram final : public Program {
public:
  ReactiveServerProgram(const Job& job, int rank, int stream);
  bool next(Op& op) override;
  void received(int from, std::int64_t tag) override;

private:
  enum class At { listen, combine, update, reply };
  [[nodiscard]] bool over() const;
  void count_push(int worker);
  void hold(int worker, std::int64_t tag);

  const Job& job_;
  const std::vector<Task>& tasks_;
  int rank_, server_;
  At at_ = At::listen;
  int from_ = no_rank;
  std::int64_t tag_ = 0;
  std::vector<std::int64_t> clock_; ///< per worker: pushes received
  std::int64_t pushes_ = 0;         ///< total
  std::int64_t slowest_ = 0;        ///< smallest clock, and how many workers have it
  int at_slowest_;
  std::int64_t released_at_ = 0;      ///< slowest_ when the held replies were last checked
  std::vector<std::int64_t> arrived_; ///< backup workers: gradients present, per task
  std::vector<std::int64_t> version_; ///< backup workers: exchanges applied, per task
  std::int64_t applied_ = 0;          ///< sum of version_
  struct Reply {
    int to;
    std::int64_t tag;
  };
  std::vector<Reply> held_, replies_;
  std::size_t next_reply_ = 0;
  bool replies_encoded_ = false; ///< all replies to one update carry the same bytes

  [[nodiscard]] int task_of(std::int64_t tag) const {
    return static_cast<int>(tag % static_cast<std::int64_t>(tasks_.size()));
  }
  [[nodiscard]] std::int64_t exchange_of(std::int64_t tag) const {
    return tag / static_cast<std::int64_t>(tasks_.size());
  }
  [[nodiscard]] std::int64_t iteration_of(std::int64_t tag) const;
  [[nodiscard]] int bucket_of(int task) const { return tasks_[static_cast<std::size_t>(task)].bucket; }
  [[nodiscard]] Range shard(int task) const;
};

} // namespace gradflight
