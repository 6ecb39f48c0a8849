// A queue of jobs for the GPUs of a platform: who starts when, and where. Knows no network; pure but for what it asks.
//
//   fcfs      in the order of arrival: nobody starts before one who arrived earlier
//   backfill  EASY (Lifka, JSSPP 1995): the first in the queue is promised the time at which, by the estimates, enough
//             GPUs will be free; others may start before it if by their own estimate they end by then, or if they take
//             only GPUs that the first will leave over
//
// An estimate is what the queue believes, not what ends a job. A job that goes on beyond its estimate is believed to
// end at any moment.
#pragma once

#include <functional>
#include <optional>
#include <vector>

namespace gradflight {

enum class QueuePolicy;

/// Seconds on one clock.
struct QueueRequest {
  double arrival = 0;
  int gpus = 1;                     ///< 1 to as many as there are
  std::optional<double> estimate{}; ///< absent: what it takes with nobody else
};

struct QueueGrant {
  double start = 0, end = 0;
  std::vector<int> gpus{};          ///< in the order of ranks
  bool overtook = false;            ///< it started before one that had arrived earlier
  std::optional<double> promised{}; ///< backfill: when, by the estimates, it was to start at the latest, as it became
                                    ///< the first in the queue and could not start at once
};

/// What a queue asks. `free`: GPUs in order of their numbers, at least as many as job `job` wants.
struct QueueQuestions {
  std::function<std::vector<int>(std::size_t job, const std::vector<int>& free)> place; ///< which ones it takes
  std::function<double(std::size_t job, const std::vector<int>& gpus)> run_time; ///< seconds on them, with nobody else
  /// Those that run are others than before: sets the ends of their grants, as it looks now, none before `now`. Absent:
  /// nobody is held up by others.
  std::function<void(double now, const std::vector<std::size_t>& running, std::vector<QueueGrant>& grants)> repace{};
};

/// One grant for each request; they are in the order of arrival. What ends at an instant ends before anything arrives
/// or starts then.
std::vector<QueueGrant> run_queue(const std::vector<QueueRequest>& requests, int gpus, QueuePolicy policy,
                                  const QueueQuestions& ask);

} // namespace gradflight
