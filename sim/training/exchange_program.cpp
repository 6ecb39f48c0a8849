#include "sim/training/programs.hpp"

namespace gradflight {

namespace {

void host_work(Op& op, const HostWork& work, std::int64_t iteration) {
  op.kind = OpKind::work;
  op.resource = work.resource;
  op.part = Part::host;
  op.activity = Activity::cost;
  op.label = work.label;
  op.iteration = iteration;
  op.seconds = work.seconds;
}

} // namespace

bool ExchangeProgram::next(Op& op) {
  const std::int64_t exchanges = job_.exchanges(job_.training.iterations);
  for (;;) {
    if (exchange_ == exchanges || tasks_.empty()) return false;
    const Task& task = tasks_[task_];
    const BucketPlan& plan = job_.plan(task.bucket, exchange_);
    const bool helper = job_.is_helper(rank_);
    const std::int64_t iteration = (exchange_ + 1) * job_.training.every - 1;
    switch (at_) {
    case At::ready:
      at_ = At::before;
      index_ = 0;
      if (helper || !task.first_leg) break;
      op.kind = OpKind::wait;
      op.stream = 0;
      op.value = exchange_ * static_cast<std::int64_t>(job_.buckets.size()) + task.bucket + 1;
      return true;
    case At::before:
      if (!helper && task.first_leg && index_ < plan.before.size()) {
        host_work(op, plan.before[index_++], iteration);
        return true;
      }
      at_ = At::barrier;
      if (helper || !task.first_leg || !job_.training.exchange.barrier) break;
      op.kind = OpKind::barrier;
      op.bucket = task.bucket;
      op.iteration = iteration;
      return true;
    case At::barrier:
      at_ = At::steps;
      index_ = 0;
      pull_encoded_ = false;
      step_ = 0;
      steps_ = task.schedule->steps(rank_);
      if (!job_.whole_collectives) break;
      at_ = At::drain;
      op.kind = OpKind::collective;
      op.bucket = task.bucket;
      op.iteration = iteration;
      return true;
    case At::steps: {
      if (step_ == steps_) {
        at_ = At::drain;
        break;
      }
      const Step step = task.schedule->step(plan.elements, rank_, step_);
      if (job_.has_message_costs() && step.to != nobody && index_ != static_cast<std::size_t>(-1)) {
        message_work_ =
            job_.message_work(CostHook::message_send, static_cast<double>(step.out.count) * plan.unit_bytes);
        index_ = 0;
        at_ = At::after_send_costs;
        break;
      }
      index_ = 0;
      op.step = step_++;
      op.iteration = iteration;
      if (step.update) {
        op.kind = OpKind::work;
        op.resource = Resource::cpu;
        op.part = Part::update;
        op.activity = Activity::update;
        op.label = task.bucket;
        op.seconds = job_.workload.update * static_cast<double>(step.in.count) / job_.elements_total *
                     job_.slowness[static_cast<std::size_t>(rank_)];
        return true;
      }
      op.tag = exchange_ * static_cast<std::int64_t>(tasks_.size()) + static_cast<std::int64_t>(task_);
      job_.weigh(op, task, rank_, step);
      if (job_.parameter_server && helper && op.encode_seconds > 0) {
        if (pull_encoded_) op.encode_seconds = 0;
        pull_encoded_ = true;
      }
      if (job_.has_message_costs() && step.from != nobody) {
        message_work_ =
            job_.message_work(CostHook::message_receive, static_cast<double>(step.in.count) * plan.unit_bytes);
        at_ = At::after_step;
      }
      return true;
    }
    case At::after_send_costs:
    case At::after_step:
      if (index_ < message_work_.size()) {
        host_work(op, message_work_[index_++], iteration);
        return true;
      }
      // The marker lets the step itself follow its send costs, once.
      index_ = at_ == At::after_send_costs ? static_cast<std::size_t>(-1) : 0;
      at_ = At::steps;
      break;
    case At::drain:
      at_ = At::after;
      index_ = 0;
      if (task.schedule->lag() == 0) break;
      op.kind = OpKind::drain;
      return true;
    case At::after:
      if (!helper && task.last_leg && index_ < plan.after.size()) {
        host_work(op, plan.after[index_++], iteration);
        return true;
      }
      at_ = At::signal;
      break;
    case At::signal:
      op.kind = OpKind::signal;
      op.bucket = task.bucket;
      op.iteration = iteration;
      at_ = At::ready;
      if (++task_ == tasks_.size()) {
        task_ = 0;
        ++exchange_;
      }
      return true;
    }
  }
}

} // namespace gradflight
