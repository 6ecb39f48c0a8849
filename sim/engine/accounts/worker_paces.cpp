#include "sim/engine/accounts/worker_paces.hpp"

#include <algorithm>

namespace gradflight {

WorkerPaces::WorkerPaces(const PlanShape& shape, double start)
    : pace_(*shape.own_pace), iterations_(shape.iterations), start_(start),
      settled_(pace_.settled > 0 ? std::numeric_limits<double>::infinity() : start),
      workers_(static_cast<std::size_t>(shape.workers)) {}

void WorkerPaces::mark(std::int32_t worker, std::int64_t iteration, bool draining, double time) {
  Worker& own = workers_[static_cast<std::size_t>(worker)];
  const Mark mark{iteration + 1, time};
  own.last = mark;
  // Marks of one instant come in any order, and rounding moves some of them.
  if (!same_instant(all_busy_, time)) return;
  if (!draining && mark.count % pace_.cycle == 0) {
    if (own.busy.count == 0) own.first = mark;
    own.busy = mark;
    if (same_instant(settled_, time)) own.settled = mark;
    if (mark.count >= pace_.settled) settled_ = std::min(settled_, time);
  }
  // The fastest worker has no further iteration to begin.
  if (draining || mark.count == iterations_) all_busy_ = std::min(all_busy_, time);
}

std::optional<WorkerSteps> WorkerPaces::steps() const {
  const Mark start{0, start_};
  const auto rate = [](const Mark& from, const Mark& to) {
    return static_cast<double>(to.count - from.count) / (to.time - from.time);
  };
  double settled = 0, whole = 0; // iterations per second of all workers
  for (const Worker& worker : workers_) {
    if (!(worker.last.time > start_)) return std::nullopt;
    const Mark& from =
        worker.settled.count > 0 && worker.busy.count > worker.settled.count ? worker.settled : worker.first;
    // The first iteration may include the fill of a pipeline; in all iterations of a worker, its drain makes up for it.
    const bool enough = worker.busy.count > from.count && worker.busy.time > from.time;
    settled += enough ? rate(from, worker.busy) : rate(start, worker.last);
    whole += worker.busy.count > 0 && worker.busy.time > start_ ? rate(start, worker.busy) : rate(start, worker.last);
  }
  const auto workers = static_cast<double>(workers_.size());
  // If one has ended nearly at once, its pace hides those of the others: then all iterations count.
  constexpr double nearly_at_once = 0.01;
  double end = start_, count = 0;
  for (const Worker& worker : workers_) {
    end = std::max(end, worker.last.time);
    count += static_cast<double>(worker.last.count);
  }
  if (all_busy_ - start_ < nearly_at_once * (end - start_)) settled = whole = count / (end - start_);
  return WorkerSteps{workers / settled, workers / whole};
}

} // namespace gradflight
