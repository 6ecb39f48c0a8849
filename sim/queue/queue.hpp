// A queue of jobs for the GPUs of a platform: which job starts when, and where. Knows no network; pure except for
// QueueQuestions.
//
//   fcfs      in the order of arrival: no job starts before one that arrived earlier
//   backfill  EASY (Lifka, JSSPP 1995): the first in the queue is promised the time at which, by the estimates, enough
//             GPUs will be free. Others may start before it if by their own estimate they end by then, or if they take
//             only GPUs that the first will leave free
//
// An estimate is what the queue expects; it does not end a job. A job that exceeds its estimate is expected to end at
// any moment.
#pragma once

#include <functional>
#include <optional>
#include <vector>

namespace gradflight {

enum class QueuePolicy;

/// Seconds on one clock.
struct QueueRequest {
  double arrival = 0;
  int gpus = 1;                     ///< 1 to the number of GPUs
  std::optional<double> estimate{}; ///< absent: its run time without other jobs
};

struct QueueGrant {
  double start = 0, end = 0;
  std::vector<int> gpus{};          ///< in the order of ranks
  bool overtook = false;            ///< it started before a job that had arrived earlier
  std::optional<double> promised{}; ///< backfill: its latest start by the estimates, when it became first in the queue
                                    ///< and could not start at once
};

/// What a queue asks. `free`: sorted numbers of GPUs, at least as many as job `job` wants.
struct QueueQuestions {
  std::function<std::vector<int>(std::size_t job, const std::vector<int>& free)> place; ///< the GPUs it takes
  std::function<double(std::size_t job, const std::vector<int>& gpus)> run_time; ///< seconds on them without other jobs
  /// Called when the running jobs change: sets the expected ends of their grants, none before `now`. Absent: jobs do
  /// not slow each other down.
  std::function<void(double now, const std::vector<std::size_t>& running, std::vector<QueueGrant>& grants)> repace{};
};

/// Returns one grant per request; requests are in the order of arrival. Jobs that end at an instant end before others
/// arrive or start then.
std::vector<QueueGrant> run_queue(const std::vector<QueueRequest>& requests, int gpus, QueuePolicy policy,
                                  const QueueQuestions& ask);

} // namespace gradflight
