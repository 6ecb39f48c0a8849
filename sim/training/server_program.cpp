#include "sim/training/programs.hpp"

#include <algorithm>

namespace gradflight {

ReactiveServerProgram::ReactiveServerProgram(const Job& job, int rank, int stream)
    : job_(job), tasks_(job.tasks.last_round()[static_cast<std::size_t>(stream - 1)]), rank_(rank),
      server_(rank - job.ranks.workers()), clock_(static_cast<std::size_t>(job.ranks.workers()), 0),
      at_slowest_(job.ranks.workers()), arrived_(tasks_.size(), 0), version_(tasks_.size(), 0) {}

Range ReactiveServerProgram::shard(int task) const {
  const std::int64_t n = job_.buckets.plan(bucket_of(task)).elements;
  return Blocks(n, job_.training.exchange.servers).range(server_);
}

std::int64_t ReactiveServerProgram::iteration_of(std::int64_t tag) const {
  return (exchange_of(tag) + 1) * job_.training.every - 1;
}

void ReactiveServerProgram::received(int from, std::int64_t tag) {
  from_ = from;
  tag_ = tag;
  at_ = At::combine;
}

bool ReactiveServerProgram::over() const {
  const std::int64_t expected = job_.exchanges(job_.training.iterations) * static_cast<std::int64_t>(tasks_.size());
  return job_.training.exchange.backup_workers > 0 ? applied_ == expected : pushes_ == expected * job_.ranks.workers();
}

void ReactiveServerProgram::count_push(int worker) {
  ++pushes_;
  if (clock_[static_cast<std::size_t>(worker)]++ != slowest_ || --at_slowest_ > 0) return;
  // Once per round of all workers: find the slowest.
  slowest_ = *std::min_element(clock_.begin(), clock_.end());
  at_slowest_ = static_cast<int>(std::count(clock_.begin(), clock_.end(), slowest_));
}

/// Bounded staleness: answers the push at once, or when its worker's lead over the slowest is within the bound. Then it
/// also answers all others that have become so.
void ReactiveServerProgram::hold(int worker, std::int64_t tag) {
  const auto tasks = static_cast<std::int64_t>(tasks_.size());
  const auto within = [&](const Reply& r) {
    const std::int64_t slowest_done = (slowest_ + tasks - 1 - task_of(r.tag)) / tasks;
    return exchange_of(r.tag) + 1 - slowest_done <= job_.training.exchange.staleness_bound;
  };
  held_.push_back({worker, tag});
  if (slowest_ == released_at_ && !within(held_.back())) return;
  released_at_ = slowest_;
  const auto due = std::stable_partition(held_.begin(), held_.end(), [&](const Reply& r) { return !within(r); });
  replies_.assign(due, held_.end());
  held_.erase(due, held_.end());
}

bool ReactiveServerProgram::next(Op& op) {
  const ExchangeSpec& x = job_.training.exchange;
  const bool backup = x.backup_workers > 0;
  for (;;) {
    switch (at_) {
    case At::listen: {
      if (over()) return false;
      Step step;
      step.from = anyone;
      step.wait_sent = false; // answers may still be under way
      auto& listening = op.emplace<StepOp>();
      listening.transfer = step;
      listening.tag = any_tag;
      listening.codec = job_.codec_resource(rank_);
      return true; // received() moves on
    }
    case At::combine: {
      const int task = task_of(tag_);
      count_push(from_);
      if (!backup) {
        at_ = At::update;
        break;
      }
      auto& arrived = arrived_[static_cast<std::size_t>(task)];
      if (exchange_of(tag_) < version_[static_cast<std::size_t>(task)]) { // too late: drops the gradient
        at_ = At::listen;
        break;
      }
      at_ = ++arrived == job_.ranks.workers() - x.backup_workers ? At::update : At::listen;
      if (arrived == 1) break;
      op = WorkOp{Resource::reducer,  Part::gamma,
                  Activity::reduce,   bucket_of(task),
                  iteration_of(tag_), job_.weights.payload(bucket_of(task), shard(task)) * job_.ranks.gamma(rank_)};
      return true;
    }
    case At::update: {
      const int task = task_of(tag_);
      replies_.clear();
      next_reply_ = 0;
      replies_encoded_ = false;
      if (backup) {
        arrived_[static_cast<std::size_t>(task)] = 0;
        ++version_[static_cast<std::size_t>(task)];
        ++applied_;
        for (int w = 0; w < job_.ranks.workers(); ++w) replies_.push_back({w, tag_});
      } else if (x.consistency == Consistency::bounded_staleness) {
        hold(from_, tag_);
      } else {
        replies_.push_back({from_, tag_});
      }
      at_ = At::reply;
      op = job_.update_op(rank_, bucket_of(task), shard(task).count, iteration_of(tag_));
      return true;
    }
    case At::reply: {
      if (next_reply_ == replies_.size()) {
        at_ = At::listen;
        break;
      }
      const Reply& reply = replies_[next_reply_++];
      Step step;
      step.to = reply.to;
      step.out = shard(task_of(reply.tag));
      step.wait_sent = false;
      step.buffered = true;
      auto& answer = op.emplace<StepOp>();
      job_.lay_step(answer, tasks_[static_cast<std::size_t>(task_of(reply.tag))], rank_, step);
      answer.tag = reply.tag;
      answer.iteration = iteration_of(reply.tag);
      if (replies_encoded_) answer.encode_seconds = 0;
      replies_encoded_ = replies_encoded_ || answer.encode_seconds > 0;
      return true;
    }
    }
  }
}

} // namespace gradflight
