// The tasks of a communication stream in their order: exchange after exchange, round after round.
#pragma once

#include "sim/training/job.hpp"

#include <cstdint>
#include <vector>

namespace gradflight {

class TaskWalk {
public:
  /// `stream`: of the job's communication streams, from 0.
  TaskWalk(const Job& job, int stream)
      : job_(job), stream_(static_cast<std::size_t>(stream)), exchanges_(job.exchanges(job.training.iterations)),
        tasks_(&job.tasks.round(0)[stream_]) {
    skip_empty();
  }
  [[nodiscard]] bool over() const { return exchange_ >= exchanges_; }
  [[nodiscard]] const Task& task() const { return (*tasks_)[task_]; }
  [[nodiscard]] const BucketPlan& plan() const { return job_.buckets_in(exchange_).plan(task().bucket); }
  /// Returns the number of tasks done since the start.
  [[nodiscard]] std::int64_t done() const { return done_; }
  [[nodiscard]] std::int64_t iteration() const { return (exchange_ + 1) * job_.training.every - 1; }
  /// Returns the number of the computation's signals to wait for, counted from the start.
  [[nodiscard]] std::int64_t awaits() const { return job_.tasks.awaited(task(), exchange_, round_); }
  void advance() {
    ++done_;
    ++task_;
    skip_empty();
  }

private:
  void skip_empty() {
    while (!over() && task_ == tasks_->size()) {
      task_ = 0;
      if (++round_ == job_.tasks.rounds()) {
        round_ = 0;
        ++exchange_;
      } else if (job_.tasks.round(round_)[stream_].empty()) {
        round_ = job_.tasks.rounds() - 1; // all rounds but the last one are alike
      }
      tasks_ = &job_.tasks.round(round_)[stream_];
    }
  }

  const Job& job_;
  std::size_t stream_, task_ = 0;
  std::int64_t exchanges_, exchange_ = 0, round_ = 0, done_ = 0;
  const std::vector<Task>* tasks_; ///< of the present round
};

} // namespace gradflight
