#include "sim/engine/accounts/accounts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace gradflight {
namespace {

/// Returns the seconds from the job's start.
double length(const Path& path) { return std::accumulate(path.begin(), path.end(), 0.0); }

} // namespace

void Accounts::begin_phase(const PlanShape& shape, double now) {
  quorum_ = shape.quorum;
  elapse(now);
  communication_ = exposed_ = 0;
  compute_.assign(std::max(compute_.size(), shape.place.size()), 0.0);
  marks_.clear();
  base_ = 0;
  phase_updates_ = steady_updates_ = busy_updates_ = 0;
  phase_start_ = last_update_;
  phase_start_.time = epoch_ + now;
  own_marks_.assign(shape.local_steps ? shape.place.size() : 0, phase_start_);
  paces_.reset();
  if (shape.own_pace) paces_.emplace(shape, phase_start_.time);
}

bool Accounts::mark(std::int32_t rank, std::int64_t iteration, bool draining, double now, const TracedPath& path,
                    const PathTies& ties) {
  const double time = epoch_ + now;
  if (paces_) paces_->mark(rank, iteration, draining, time);
  Update* const own = own_marks_.empty() ? nullptr : &own_marks_[static_cast<std::size_t>(rank)];
  if (iteration < base_) { // a backup worker, late
    if (own != nullptr) *own = {time, path};
    return false;
  }
  const auto at = static_cast<std::size_t>(iteration - base_);
  if (marks_.size() <= at) marks_.resize(at + 1);
  Marks& marks = marks_[at];
  if (!same_instant(marks.last.time, time) || !ties.prefer(marks.last.path, path)) {
    marks.last = {time, path};
    if (own != nullptr) marks.before = *own;
  }
  if (own != nullptr) *own = {time, path};
  marks.last.time = time;
  if (++marks.count != quorum_) return false;
  const Update update = marks.last, own_before = marks.before;
  while (!marks_.empty() && marks_.front().count >= quorum_) {
    marks_.pop_front();
    ++base_;
  }
  ++done_;
  listed_.push_back({time, static_cast<const Path&>(update.path), update.path.held, update.path.details, {}, rerouted});
  before_last_update_ = last_update_.path.last_delay;
  last_update_ = update;
  ++phase_updates_;
  if (paces_ && !draining && paces_->all_busy(time)) ++busy_updates_;
  if (!draining) {
    steady_before_ = steady_last_;
    steady_last_ = last_update_;
    own_before_ = own_before;
    ++steady_updates_;
  }
  return true;
}

void Accounts::add_kept_delays(std::vector<DelayId*>& paths) {
  paths.push_back(&before_last_update_);
  for (Marks& marks : marks_)
    for (Update* update : {&marks.last, &marks.before}) paths.push_back(&update->path.last_delay);
  for (Update* update : {&phase_start_, &last_update_, &steady_before_, &steady_last_, &own_before_})
    paths.push_back(&update->path.last_delay);
  for (Update& update : own_marks_) paths.push_back(&update.path.last_delay);
}

PathEvents Accounts::events_of(const Delays& delays, const OutageLog& outages, DelayId from, DelayId last, double now) {
  Delays::Events events = delays.events(from, last);
  return {std::move(events.costs), outages.awaited(events.outages, now), events.traffic};
}

/// The slowest of workers that do not wait for each other has the network for itself when the others have ended. If its
/// steps take another time then, replaces the last one by their mean over the second half of the time in which all
/// workers have work, in whole cycles. The paths at both ends continue those of the step before.
void Accounts::take_mean_of_busy(RunResult& result) const {
  const auto cycle = static_cast<std::size_t>(paces_->cycle());
  const std::size_t first = listed_.size() - static_cast<std::size_t>(phase_updates_);
  std::size_t end = first + static_cast<std::size_t>(busy_updates_);
  const auto continues = [&](std::size_t i) {
    return i > first && listed_.keeps(i) && listed_.keeps(i - 1) && !apart(listed_[i - 1].path, listed_[i].path);
  };
  while (end > first && !continues(end - 1)) --end;
  std::size_t begin = end - (end - first) / 2 / cycle * cycle;
  while (begin > first + cycle && !continues(begin - 1)) begin -= cycle;
  const std::size_t steps = end - begin;
  if (steps < 1 || begin <= first || !listed_.keeps(begin - 1) || apart(listed_[begin - 1].path, listed_[end - 1].path))
    return;
  const IterationResult &from = listed_[begin - 1], &to = listed_[end - 1];
  constexpr double alike = 0.01; // relative
  const double each = 1 / static_cast<double>(steps), mean = each * (to.end - from.end);
  if (std::abs(mean - result.iteration_time) <= alike * mean) return;
  result.drained_iterations = phase_updates_ - busy_updates_;
  result.iteration_begin = from.end;
  result.iteration_end = to.end;
  result.iteration_time = mean;
  for (std::size_t part = 0; part < part_count; ++part)
    result.iteration_path[part] = each * (to.path[part] - from.path[part]);
  for (std::size_t t = 0; t < result.iteration_held.size(); ++t)
    result.iteration_held[t] = each * (to.held[t] - from.held[t]);
  result.iteration_details = each * (to.details - from.details);
  result.iteration_events = {};
  for (std::size_t i = begin; i < end; ++i) {
    if (!listed_.keeps(i)) continue;
    const PathEvents& own = listed_[i].events;
    for (ChangeCost cost : own.costs) {
      cost.seconds *= each;
      result.iteration_events.costs.push_back(cost);
    }
    for (LinkOutage outage : own.outages) {
      outage.seconds *= each;
      result.iteration_events.outages.push_back(outage);
    }
    result.iteration_events.traffic |= own.traffic;
  }
}

void Accounts::fill(RunResult& result, double end, bool has_events, const Delays& delays, const OutageLog& outages) {
  elapse(end - epoch_);
  // A pipeline that drains soon has no two updates before: then all of the phase's updates count, with its fill.
  const bool steady = steady_updates_ >= 2;
  const Update& to = steady ? steady_last_ : last_update_;
  const Update& from = steady ? steady_before_ : phase_start_;
  const double each = steady || phase_updates_ == 0 ? 1 : 1 / static_cast<double>(phase_updates_);
  result.iteration_time = each * (to.time - from.time);
  // Two updates may end paths that share little. If a part of the later path is shorter, the difference explains
  // nothing. In a local step the path is that of one rank, from its own mark before. Else (a pipeline that fills) the
  // parts are those of the whole later path. Both are in proportion.
  const Update none{};
  const Update* base = &from;
  if (apart(from.path, to.path))
    base = steady && !own_marks_.empty() && !apart(own_before_.path, to.path) ? &own_before_ : &none;
  const double scale = base == &from ? each : result.iteration_time / (length(to.path) - length(base->path));
  for (std::size_t part = 0; part < part_count; ++part)
    result.iteration_path[part] = scale * (to.path[part] - base->path[part]);
  for (std::size_t t = 0; t < result.iteration_held.size(); ++t)
    result.iteration_held[t] = scale * (to.path.held[t] - base->path.held[t]);
  result.iteration_details = scale * (to.path.details - base->path.details);
  result.iteration_begin = from.time;
  result.iteration_end = to.time;
  if (has_events) {
    result.iteration_events = events_of(delays, outages, base->path.last_delay, to.path.last_delay, end);
    for (ChangeCost& cost : result.iteration_events.costs) cost.seconds *= scale;
    for (LinkOutage& outage : result.iteration_events.outages) outage.seconds *= scale;
  }
  result.drained_iterations = phase_updates_ - steady_updates_;
  if (paces_) {
    result.worker_steps = paces_->steps();
    take_mean_of_busy(result);
  }
  const double n = phase_updates_ > 0 ? static_cast<double>(phase_updates_) : 1;
  result.compute_time = compute_.empty() ? 0 : *std::max_element(compute_.begin(), compute_.end()) / n;
  result.communication_time = communication_ / n;
  result.exposed_communication_time = exposed_ / n;
  result.messages = messages;
  result.payload_bytes = payload_bytes;
  result.wire_bytes = wire_bytes;
  result.received_bytes = received_bytes;
  result.lost_messages = lost;
  result.rerouted_messages = rerouted;
  result.iterations = listed_;
  for (IterationResult& iteration : result.iterations.kept())
    for (LinkOutage& outage : iteration.events.outages) outages.update(outage, end);
}

} // namespace gradflight
