#include "sim/training/programs.hpp"

namespace gradflight {

WorkOp ComputeProgram::pass(Activity activity, int layer, double seconds) const {
  return {Resource::gpu, Part::compute, activity, layer, iteration_, pass_seconds(seconds), seconds};
}

double ComputeProgram::pass_seconds(double seconds) const { return seconds * job_.ranks.slowness(rank_) * pace_; }

/// Adds up this iteration's remaining layers in the order of the clock, because the end must have the same bits as that
/// of the last layer. Before a layer that waits for its parameters, the passes end.
double ComputeProgram::computing_until(double end) const {
  const auto& layers = job_.workload.layers;
  const auto count = static_cast<int>(layers.size());
  const bool forward = at_ == At::forward;
  if (forward && job_.pull_at_first_use() && mini_batch_ == 0) return end;
  int mini_batch = mini_batch_;
  for (int l = forward ? layer_ : count; l < count; ++l)
    end += pass_seconds(layers[static_cast<std::size_t>(l)].forward);
  for (int l = (forward ? count : layer_) - 1; l >= 0; --l)
    end += pass_seconds(layers[static_cast<std::size_t>(l)].backward);
  while (++mini_batch < job_.training.accumulation) {
    for (const Layer& layer : layers) end += pass_seconds(layer.forward);
    for (int l = count - 1; l >= 0; --l) end += pass_seconds(layers[static_cast<std::size_t>(l)].backward);
  }
  return end;
}

/// Waits until every bucket of iteration updated_ is back: one wait for each stream with tasks.
bool ComputeProgram::wait_for_results(Op& op) {
  if (!job_.exchanges_in(updated_)) return false;
  while (index_ < job_.streams()) {
    const auto tasks = job_.tasks.last_round()[static_cast<std::size_t>(index_++)].size();
    if (tasks == 0) continue;
    op = WaitOp{index_, job_.exchanges(updated_ + 1) * static_cast<std::int64_t>(tasks)};
    return true;
  }
  return false;
}

/// Pull at first use: waits for the buckets of the previous exchange that layer_ is the first to need.
bool ComputeProgram::wait_for_layer(Op& op) {
  if (!job_.pull_at_first_use() || mini_batch_ > 0 || iteration_ == 0 || !job_.exchanges_in(iteration_ - 1))
    return false;
  const std::vector<int>& needed = job_.buckets.first_used(layer_);
  if (static_cast<std::size_t>(index_) >= needed.size()) return false;
  const auto [stream, tasks] = job_.tasks.finish(needed[static_cast<std::size_t>(index_++)]);
  const std::int64_t before = (job_.exchanges(iteration_) - 1) * std::ssize(job_.tasks.last_round()[stream]);
  op = WaitOp{static_cast<int>(stream) + 1, before + tasks};
  return true;
}

/// Signals the buckets that the backward pass of layer_ has completed (or all, after the whole pass).
bool ComputeProgram::hand_over(Op& op) {
  if (!job_.exchanges_in(iteration_) || mini_batch_ + 1 < job_.training.accumulation) return false;
  if (!job_.wait_free() && layer_ > 0) return false;
  const int ready = job_.wait_free() ? job_.buckets_in(job_.exchanges(iteration_)).ready(layer_) : job_.buckets.size();
  if (index_ >= ready) return false;
  op = SignalOp{index_++, iteration_};
  return true;
}

bool ComputeProgram::next(Op& op) {
  const std::int64_t iterations = job_.training.iterations;
  const int layers = static_cast<int>(job_.workload.layers.size());
  for (;;) {
    switch (at_) {
    case At::start: {
      const bool draining = iteration_ == iterations;
      const bool due = draining ? updated_ < iterations : updated_ <= iteration_ - job_.depth();
      const bool deferred = job_.pull_at_first_use() && !draining && due && job_.exchanges_in(updated_);
      index_ = 0;
      if (due && !deferred)
        at_ = At::waits;
      else if (draining)
        at_ = At::finished;
      else
        at_ = At::costs;
      break;
    }
    case At::waits:
      if (wait_for_results(op)) return true;
      at_ = At::update;
      break;
    case At::update:
      at_ = At::mark;
      // The parameter servers have already updated the model.
      if (job_.parameter_server && job_.exchanges_in(updated_)) break;
      op = WorkOp{Resource::gpu,
                  Part::update,
                  Activity::update,
                  0,
                  updated_,
                  job_.workload.update * job_.ranks.slowness(rank_),
                  job_.workload.update};
      return true;
    case At::mark:
      op = MarkOp{updated_++, iteration_ == iterations && (job_.depth() > 1 || job_.pull_at_first_use())};
      after_update();
      return true;
    case At::costs:
      if (static_cast<std::size_t>(index_) < job_.per_iteration.size()) {
        op = host_op(job_.per_iteration[static_cast<std::size_t>(index_++)], iteration_);
        return true;
      }
      mini_batch_ = layer_ = index_ = 0;
      pace_ = job_.pace(rank_, iteration_);
      at_ = At::forward;
      break;
    case At::forward:
      if (layer_ < layers) {
        if (wait_for_layer(op)) return true;
        op = pass(Activity::forward, layer_, job_.workload.layers[static_cast<std::size_t>(layer_)].forward);
        ++layer_;
        index_ = 0;
        return true;
      }
      layer_ = layers - 1;
      at_ = At::backward;
      // With pull at first use, the last layer's parameters have come, so the previous iteration is complete.
      if (job_.pull_at_first_use() && mini_batch_ == 0 && updated_ < iteration_) at_ = At::mark;
      break;
    case At::backward:
      if (layer_ < 0) {
        if (++mini_batch_ < job_.training.accumulation) {
          layer_ = index_ = 0;
          at_ = At::forward;
        } else {
          ++iteration_;
          at_ = At::start;
        }
        break;
      }
      op = pass(Activity::backward, layer_, job_.workload.layers[static_cast<std::size_t>(layer_)].backward);
      index_ = 0;
      at_ = At::handover;
      return true;
    case At::handover:
      if (hand_over(op)) return true;
      --layer_;
      at_ = At::backward;
      break;
    case At::finished: return false;
    }
  }
}

void ComputeProgram::after_update() {
  const bool within_forward = job_.pull_at_first_use() && iteration_ < job_.training.iterations &&
                              layer_ == static_cast<int>(job_.workload.layers.size()) - 1 &&
                              job_.exchanges_in(updated_ - 1);
  at_ = within_forward ? At::backward : At::start;
}

} // namespace gradflight
