// Runs many simulations, several at a time, for check, regress, reproduce, calibrate and sweep.
//
// Cases are numbers. Work creates a case when it starts, so a hundred thousand cases need not be in memory. Results are
// transferred as bytes (bytes.hpp), bit for bit.
//
// Hybrid scenarios run in the threads of one child process (worker_process.hpp). Three kinds of work get a separate
// process: simulations with SimGrid's engine, all work with limits, and work in progress when the worker process died.
// So the case that killed the worker process is identified, and the others end normally. If the caller is killed, all
// processes end.
#pragma once

#include "analysis/run/forked_work.hpp"

#include <cstdint>
#include <functional>
#include <utility>

namespace gradflight {

/// Returns the number of cores that this process may use.
int usable_cores();

/// Reports how many pieces of a batch have ended: after each end, and several times per second, in the thread that
/// started the batch. If it throws, all work ends. (0, 0) means that the number of pieces is not known yet.
using BatchProgress = std::function<void(std::int64_t done, std::int64_t of)>;

struct RunnerOptions {
  int jobs = 1; ///< number of parallel pieces
  /// Work in a shared process should throw NeedsOwnProcess if it needs these limits.
  WorkLimits limits{};
  bool in_order = true; ///< report cases in their order; else each as it ends
  BatchProgress progress{};
  /// Runs in this process if there is one job at a time and no progress callback. This is for the many small batches of
  /// a fit, because processes would cost too much time. This process is then not protected from crashes.
  bool in_caller = false;
};

template <class T> struct Answer {
  T value{}; ///< valid if finished
  WorkEnd end;
  [[nodiscard]] bool finished() const { return end.kind == WorkEnd::Kind::finished; }
};

/// Does `count` pieces of work and reports each. If `report` throws, all work ends.
void run_work(std::size_t count, const RunnerOptions& options, const Work& work,
              const std::function<void(std::size_t index, WorkEnd end)>& report);

/// Calls `work(index, process)` for each index below `count`, from several threads concurrently. Calls `report(index,
/// Answer)` from this thread with each result.
template <class Find, class Report>
void run_cases(std::size_t count, const RunnerOptions& options, const Find& work, const Report& report) {
  using T = std::invoke_result_t<const Find&, std::size_t, Process>;
  run_work(
      count, options, [&](std::size_t index, Process process) { return to_bytes(work(index, process)); },
      [&](std::size_t index, WorkEnd end) {
        Answer<T> answer;
        if (end.kind == WorkEnd::Kind::finished) answer.value = from_bytes<T>(std::exchange(end.found, {}));
        answer.end = std::move(end);
        report(index, std::move(answer));
      });
}

} // namespace gradflight
