#include "analysis/run/runner.hpp"

#include "analysis/run/worker_process.hpp"
#include "sim/simgrid/simgrid_module.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <optional>
#include <poll.h>
#include <sched.h>
#include <vector>

namespace gradflight {
namespace {

constexpr double progress_every = 0.1; // seconds

class Batch {
public:
  using Report = std::function<void(std::size_t, WorkEnd)>;
  Batch(std::size_t count, const RunnerOptions& options, const Work& work, const Report& report)
      : count_(count), jobs_(static_cast<std::size_t>(std::max(1, options.jobs))), options_(options), work_(work),
        report_(report) {}

  void run() {
    if (options_.in_caller && jobs_ == 1 && !options_.progress) work_here();
    while (reported_ < count_) {
      start_some();
      wait();
      if (options_.progress)
        options_.progress(static_cast<std::int64_t>(reported_ + early_.size()), static_cast<std::int64_t>(count_));
    }
  }

private:
  /// Does all work except pieces that need their own process.
  void work_here() {
    for (; next_ < count_; ++next_) {
      WorkEnd end = done(work_, next_, Process::shared);
      if (end.kind == WorkEnd::Kind::needs_process)
        needs_process(next_);
      else
        ended(next_, std::move(end));
    }
  }

  void needs_process(std::size_t index) {
    preload_simgrid(); // the usual reason
    alone_.push_back(index);
  }

  [[nodiscard]] std::size_t pending_in_worker() const { return worker_ ? worker_->pending().size() : 0; }

  void start_some() {
    // While a piece must run alone, the worker process gets no work, so that a place becomes free.
    while (!alone_.empty() && pending_in_worker() + forked_.size() < jobs_) {
      forked_.emplace_back(work_, alone_.front(), options_.limits);
      alone_.pop_front();
    }
    if (!alone_.empty()) return;
    // The worker process gets more pieces than it has threads, so that each thread finds its next piece without
    // waiting.
    const auto most = forked_.empty() ? 2 * jobs_ : jobs_ - forked_.size();
    while (next_ < count_ && pending_in_worker() < most) {
      if (!worker_) worker_.emplace(work_, static_cast<int>(std::min(jobs_, count_ - next_)));
      if (!worker_->submit(next_)) break;
      ++next_;
    }
  }

  void wait() {
    std::vector<pollfd> waits;
    double patience = options_.progress ? progress_every : -1; // seconds; below 0: no limit
    for (const auto& child : forked_) {
      waits.push_back({child.descriptor(), POLLIN, 0});
      if (const auto left = child.time_left()) patience = patience < 0 ? *left : std::min(patience, *left);
    }
    if (worker_) waits.push_back({worker_->descriptor(), POLLIN, 0});
    poll(waits.data(), waits.size(), patience < 0 ? -1 : static_cast<int>(std::min(std::ceil(patience * 1e3), 1e6)));
    const bool worker_answered = worker_ && waits.back().revents != 0;
    for (std::size_t i = forked_.size(); i-- > 0;) {
      const bool closed = waits[i].revents != 0 && forked_[i].read_some();
      if (!closed && forked_[i].time_left() != 0.0) continue;
      const auto index = forked_[i].index();
      auto end = forked_[i].finish();
      forked_.erase(forked_.begin() + static_cast<std::ptrdiff_t>(i));
      ended(index, std::move(end));
    }
    if (worker_answered) listen();
  }

  void listen() {
    const bool alive = worker_->read_some([&](std::size_t index, WorkEnd end) {
      if (end.kind == WorkEnd::Kind::needs_process)
        needs_process(index);
      else
        ended(index, std::move(end));
    });
    if (alive) return;
    alone_.insert(alone_.end(), worker_->pending().begin(), worker_->pending().end());
    worker_.reset();
  }

  void ended(std::size_t index, WorkEnd end) {
    if (!options_.in_order) {
      ++reported_;
      return report_(index, std::move(end));
    }
    early_.emplace(index, std::move(end));
    for (auto first = early_.begin(); first != early_.end() && first->first == reported_; first = early_.begin()) {
      auto node = early_.extract(first);
      report_(reported_++, std::move(node.mapped()));
    }
  }

  std::size_t count_, jobs_;
  const RunnerOptions& options_;
  const Work& work_;
  const Report& report_;
  std::optional<WorkerProcess> worker_;
  std::deque<ForkedWork> forked_;
  std::deque<std::size_t> alone_;        ///< pieces that each need a separate process
  std::map<std::size_t, WorkEnd> early_; ///< finished before some earlier ones
  std::size_t next_ = 0;                 ///< the first piece that has not started
  std::size_t reported_ = 0;
};

} // namespace

int usable_cores() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? std::max(1, CPU_COUNT(&set)) : 1;
}

void run_work(std::size_t count, const RunnerOptions& options, const Work& work,
              const std::function<void(std::size_t index, WorkEnd end)>& report) {
  Batch(count, options, work, report).run();
}

} // namespace gradflight
