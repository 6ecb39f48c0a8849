// What the communication streams of a rank do in an exchange, round by round, and where each bucket's result comes.
//
// Bucket b is on stream b mod streams. An exchange has one round, but a sharded one has a round for each mini-batch.
#pragma once

#include "models/schedules/parts/collective.hpp"
#include "sim/training/bucket_layout.hpp"
#include "sim/training/sharded_tasks.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace gradflight {

/// Whether layers wait for the buckets that they need first, with a push and a pull apart.
inline bool pulls_at_first_use(const ExchangeSpec& exchange) {
  return has_servers(exchange) && exchange.pull_at == PullAt::first_use;
}

class ExchangeTasks {
public:
  /// `calls`: exchanges are calls, so tasks have no schedules. `layers`, `workers`: their numbers.
  ExchangeTasks(const TrainingSpec& training, const BucketLayout& buckets, std::size_t layers, int workers, bool calls);

  /// The tasks of each communication stream.
  using Streams = std::vector<std::vector<Task>>;
  [[nodiscard]] std::int64_t rounds() const { return rounds_; }
  /// Returns what the streams do in a round. All rounds but the last one are alike.
  [[nodiscard]] const Streams& round(std::int64_t number) const {
    return number + 1 < rounds_ ? sharded_->each.tasks : last_round_;
  }
  [[nodiscard]] const Streams& last_round() const { return last_round_; }
  /// Returns how many signals of its computation a task of a worker waits for, counted from the first exchange on.
  [[nodiscard]] std::int64_t awaited(const Task& task, std::int64_t exchange, std::int64_t number) const {
    return exchange * signals_ + (sharded_ ? number * sharded_->signals_in_round : 0) + task.awaits;
  }
  /// Returns the first schedule of the exchange: its only one, or the one of the push or scatter. None for calls.
  [[nodiscard]] const Schedule& schedule() const { return *schedules_.front(); }
  /// The waits of a sharded exchange; null for others.
  [[nodiscard]] const ShardedTasks* sharded() const { return sharded_ ? &*sharded_ : nullptr; }

  /// A bucket's result is there after the first `tasks` tasks of a stream.
  struct Finish {
    std::size_t stream = 0;
    std::int64_t tasks = 0;
  };
  /// Not for sharded exchanges.
  [[nodiscard]] const Finish& finish(int bucket) const { return finish_[static_cast<std::size_t>(bucket)]; }

private:
  void add(int bucket, const Schedule* schedule, bool first_leg, bool last_leg);

  std::int64_t rounds_ = 1, signals_; ///< signals of a worker's computation in one exchange
  std::vector<std::unique_ptr<Schedule>> schedules_;
  Streams last_round_;
  std::vector<Finish> finish_;
  std::optional<ShardedTasks> sharded_;
};

} // namespace gradflight
