// Many simulations, some at a time: the one way in which check, regress, reproduce, calibrate and sweep run theirs.
//
// Cases are numbers: the work makes its case when its turn comes, so a hundred thousand of them need not stand in
// memory. What it returns is brought back as bytes (bytes.hpp), bit for bit.
//
// Hybrid scenarios run in the threads of one child process (crew.hpp). A process of its own is for what SimGrid's
// engine moves, for all where limits must hold, and for what was under way when the crew died: alone, the case that
// killed it is told as such, and the others end as they would have. A killed caller takes all of them along.
#pragma once

#include "analysis/run/forked_work.hpp"

#include <cstdint>
#include <functional>
#include <utility>

namespace gradflight {

/// Those that this process may run on.
int usable_cores();

/// Told how many of a batch have ended, as they do and several times a second meanwhile, by the thread that asked for
/// the batch. What it throws ends them all. (0, 0) where it is not known yet how many there are.
using BatchProgress = std::function<void(std::int64_t done, std::int64_t of)>;

struct RunnerOptions {
  int jobs = 1; ///< at a time
  /// Work that finds itself in a shared process should throw NeedsOwnProcess where these must hold for it.
  WorkLimits limits{};
  bool in_order = true; ///< report case by case in their order; else each as it ends
  BatchProgress progress{};
  /// In this process where there is one job at a time and nobody to tell of progress: for a fit's many batches of a few
  /// short simulations, each of which would take a process. Nothing is kept away from this process then.
  bool in_caller = false;
};

template <class T> struct Answer {
  T value{}; ///< where finished
  WorkEnd end;
  [[nodiscard]] bool finished() const { return end.kind == WorkEnd::Kind::finished; }
};

/// Does `count` pieces of work and reports each. What `report` throws ends them all.
void run_work(std::size_t count, const RunnerOptions& options, const Work& work,
              const std::function<void(std::size_t index, WorkEnd end)>& report);

/// Calls `work(index, process)`, from several threads at once, for each index below `count`, and
/// `report(index, Answer)`, from this thread, with what it returned.
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
