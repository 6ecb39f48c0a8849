#include "sim/training/programs.hpp"

namespace gradflight {

bool ExchangeProgram::next(Op& op) {
  if (walk_.over()) return false;
  const Task& task = walk_.task();
  const BucketPlan& plan = walk_.plan();
  const bool helper = job_.ranks.is_helper(rank_);
  const std::int64_t iteration = walk_.iteration();
  for (;;) {
    switch (at_) {
    case At::ready:
      at_ = At::before;
      index_ = 0;
      if (helper || task.awaits == 0) break;
      op = WaitOp{0, walk_.awaits()};
      return true;
    case At::before:
      if (!helper && task.first_leg && index_ < plan.before.size()) {
        op = host_op(plan.before[index_++], iteration);
        return true;
      }
      at_ = At::enter;
      if (helper || !task.first_leg || !job_.training.exchange.barrier) break;
      op = BarrierOp{task.bucket, iteration};
      return true;
    case At::enter:
      at_ = At::next_step;
      pull_encoded_ = false;
      step_ = 0;
      steps_ = task.schedule->steps(rank_);
      ring_ = job_.names_whole_collectives() ? task.schedule->ring_steps(rank_) : RingSteps{};
      break;
    case At::next_step: {
      if (step_ == ring_.first) {
        step_ += ring_.count;
        ring_ = {};
        op = CollectiveOp{task.bucket, iteration};
        return true;
      }
      if (step_ == steps_) {
        at_ = At::drain;
        break;
      }
      const Step step = task.schedule->step(plan.elements, rank_, step_);
      if (!job_.has_message_costs() || step.to == no_rank) {
        take_step(op, step, iteration);
        return true;
      }
      message_work_ = job_.message_work(CostHook::message_send, task.bucket, step.out);
      index_ = 0;
      at_ = At::send_costs;
      break;
    }
    case At::send_costs:
      if (index_ < message_work_.size()) {
        op = host_op(message_work_[index_++], iteration);
        return true;
      }
      take_step(op, task.schedule->step(plan.elements, rank_, step_), iteration);
      return true;
    case At::receive_costs:
      if (index_ < message_work_.size()) {
        op = host_op(message_work_[index_++], iteration);
        return true;
      }
      at_ = At::next_step;
      break;
    case At::drain:
      at_ = At::after;
      index_ = 0;
      if (task.schedule->lag() == 0) break;
      op = DrainOp{};
      return true;
    case At::after:
      if (!helper && task.last_leg && index_ < plan.after.size()) {
        op = host_op(plan.after[index_++], iteration);
        return true;
      }
      at_ = At::signal;
      break;
    case At::signal:
      op = SignalOp{task.bucket, iteration};
      at_ = At::ready;
      walk_.advance();
      return true;
    }
  }
}

/// Takes step step_ of the current exchange; the host costs of its message follow.
void ExchangeProgram::take_step(Op& op, const Step& step, std::int64_t iteration) {
  const Task& task = walk_.task();
  at_ = At::next_step;
  const int index = step_++;
  if (step.update) {
    op = job_.update_op(rank_, task.bucket, step.in.count, iteration);
    return;
  }
  // Most often it is one already. It need not be cleared, which g++ does slowly: lay_step sets all other members.
  static constexpr StepOp blank;
  auto* there = std::get_if<StepOp>(&op);
  StepOp& stepped = there != nullptr ? *there : op.emplace<StepOp>(blank);
  job_.lay_step(stepped, task, rank_, step);
  stepped.step = index;
  stepped.iteration = iteration;
  stepped.tag = walk_.done();
  if (job_.parameter_server && job_.ranks.is_helper(rank_) && stepped.encode_seconds > 0) {
    if (pull_encoded_) stepped.encode_seconds = 0;
    pull_encoded_ = true;
  }
  if (!job_.has_message_costs() || step.from == no_rank) return;
  message_work_ = job_.message_work(CostHook::message_receive, task.bucket, step.in);
  index_ = 0;
  at_ = At::receive_costs;
}

} // namespace gradflight
