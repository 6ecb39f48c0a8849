#include "sim/training/programs.hpp"

namespace gradflight {

ShardedComputeProgram::ShardedComputeProgram(const Job& job, int rank)
    : job_(job), tasks_(*job.tasks.sharded()), rank_(rank), layers_(static_cast<int>(job.workload.layers.size())),
      slowness_(job.ranks.slowness(rank)), update_seconds_(job.workload.update * job.shard(rank)) {
  const ExchangeSpec& x = job.training.exchange;
  at_first_use_ = x.sharded.stage < 3 && x.pull_at == PullAt::first_use;
  at_once_ = x.sharded.stage < 3 && !at_first_use_;
}

bool ShardedComputeProgram::next(Op& op) {
  while (next_ == ops_.size()) {
    if (at_ == At::over) return false;
    ops_.clear();
    next_ = 0;
    lay_out();
  }
  op = ops_[next_++];
  return true;
}

void ShardedComputeProgram::lay_out() {
  switch (at_) {
  case At::iteration: begin_iteration(); break;
  case At::pass: lay_pass(); break;
  case At::round_end: end_round(); break;
  case At::over: break;
  }
}

void ShardedComputeProgram::wait_for(const std::vector<ShardedTasks::Wait>& waits, std::int64_t of, int round) {
  const std::int64_t rounds = job_.tasks.rounds();
  for (const ShardedTasks::Wait& wait : waits) {
    const auto stream = static_cast<std::size_t>(wait.stream);
    const std::int64_t each = std::ssize(tasks_.each.tasks[stream]), last = std::ssize(tasks_.last.tasks[stream]);
    const std::int64_t before = of * ((rounds - 1) * each + last) + round * each;
    ops_.emplace_back(WaitOp{wait.stream + 1, before + wait.count});
  }
}

void ShardedComputeProgram::begin_iteration() {
  if (iteration_ == job_.training.iterations) {
    at_ = At::over;
    if (!at_first_use_) return;
    wait_for(tasks_.last.gathered, iteration_ - 1, job_.training.accumulation - 1);
    ops_.emplace_back(MarkOp{iteration_ - 1, true});
    return;
  }
  for (const HostWork& work : job_.per_iteration) ops_.emplace_back(host_op(work, iteration_));
  pace_ = job_.pace(rank_, iteration_);
  mini_batch_ = pass_ = 0;
  at_ = At::pass;
  signal();
}

void ShardedComputeProgram::lay_pass() {
  const bool forward = pass_ < layers_;
  const int index = forward ? pass_ : 2 * layers_ - 1 - pass_;
  const Layer& layer = job_.workload.layers[static_cast<std::size_t>(index)];
  const bool last_round = mini_batch_ + 1 == job_.training.accumulation;
  wait_for((last_round ? tasks_.last : tasks_.each).before[static_cast<std::size_t>(pass_)], iteration_, mini_batch_);
  const bool of_last_update = at_first_use_ && forward && mini_batch_ == 0 && iteration_ > 0;
  if (of_last_update)
    wait_for(tasks_.last.first_uses[static_cast<std::size_t>(index)], iteration_ - 1, job_.training.accumulation - 1);
  const double seconds = forward ? layer.forward : layer.backward;
  ops_.emplace_back(WorkOp{Resource::gpu, Part::compute, forward ? Activity::forward : Activity::backward, index,
                           iteration_, seconds * slowness_ * pace_, seconds});
  signal();
  // The last layer's parameters have come, so the previous iteration is complete.
  if (of_last_update && pass_ + 1 == layers_) ops_.emplace_back(MarkOp{iteration_ - 1, false});
  if (++pass_ == 2 * layers_) at_ = At::round_end;
}

void ShardedComputeProgram::end_round() {
  if (mini_batch_ + 1 < job_.training.accumulation) {
    if (!job_.wait_free()) wait_for(tasks_.each.scattered, iteration_, mini_batch_);
    ++mini_batch_;
    pass_ = 0;
    at_ = At::pass;
    signal();
    return;
  }
  wait_for(tasks_.last.scattered, iteration_, mini_batch_);
  ops_.emplace_back(WorkOp{Resource::gpu, Part::update, Activity::update, 0, iteration_, update_seconds_ * slowness_,
                           update_seconds_});
  if (at_once_ || at_first_use_) signal(); // the shard is updated
  if (at_once_) wait_for(tasks_.last.gathered, iteration_, mini_batch_);
  if (!at_first_use_) ops_.emplace_back(MarkOp{iteration_, false});
  ++iteration_;
  at_ = At::iteration;
}

} // namespace gradflight
