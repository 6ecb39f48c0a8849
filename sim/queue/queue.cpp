#include "sim/queue/queue.hpp"

#include "scenarios/language/types/scenario.hpp"
#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>

namespace gradflight {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

class Queue {
public:
  Queue(const std::vector<QueueRequest>& requests, int gpus, QueuePolicy policy, const QueueQuestions& ask)
      : requests_(requests), policy_(policy), ask_(ask), free_(static_cast<std::size_t>(gpus)),
        grants_(requests.size()) {
    std::iota(free_.begin(), free_.end(), 0);
  }

  std::vector<QueueGrant> done() {
    while (arrived_ < requests_.size() || !running_.empty()) {
      const double arrival = arrived_ < requests_.size() ? requests_[arrived_].arrival : never;
      const auto first = std::ranges::min_element(running_, {}, [this](const Running& r) { return end_of(r); });
      now_ = std::min({arrival, first == running_.end() ? never : end_of(*first), next_believed_end()});
      others_run_ = false;
      end_finished_jobs();
      while (arrived_ < requests_.size() && requests_[arrived_].arrival <= now_) waiting_.push_back(arrived_++);
      start_in_order();
      if (policy_ == QueuePolicy::backfill && !waiting_.empty()) backfill();
      if (others_run_ && ask_.repace) repace();
    }
    return std::move(grants_);
  }

private:
  struct Running {
    std::size_t job;
    double believed; ///< its end by its estimate
  };
  [[nodiscard]] double end_of(const Running& r) const { return grants_[r.job].end; }

  /// Returns the next estimated end. A job that exceeds its estimate is expected to free its GPUs at any moment, so
  /// from then on others may fit beside the first in the queue.
  [[nodiscard]] double next_believed_end() const {
    double next = never;
    if (policy_ == QueuePolicy::backfill && !waiting_.empty())
      for (const Running& r : running_)
        if (r.believed > now_) next = std::min(next, r.believed);
    return next;
  }

  [[nodiscard]] int wanted(std::size_t job) const { return requests_[job].gpus; }
  [[nodiscard]] int free_count() const { return static_cast<int>(free_.size()); }

  void end_finished_jobs() {
    std::erase_if(running_, [&](const Running& r) {
      if (end_of(r) > now_) return false;
      others_run_ = true;
      const auto& back = grants_[r.job].gpus;
      free_.insert(free_.end(), back.begin(), back.end());
      return true;
    });
    std::ranges::sort(free_);
  }

  /// Returns what a job would get if it started now.
  [[nodiscard]] QueueGrant offer(std::size_t job) const {
    QueueGrant grant = grants_[job];
    grant.gpus = ask_.place(job, free_);
    grant.start = now_;
    grant.end = now_ + ask_.run_time(job, grant.gpus);
    return grant;
  }
  [[nodiscard]] double believed_end(std::size_t job, const QueueGrant& grant) const {
    const auto& estimate = requests_[job].estimate;
    return estimate ? grant.start + *estimate : grant.end;
  }

  void start(std::size_t job, QueueGrant grant) {
    std::vector<int> taken = grant.gpus, left;
    std::ranges::sort(taken);
    std::ranges::set_difference(free_, taken, std::back_inserter(left));
    free_ = std::move(left);
    running_.push_back({job, believed_end(job, grant)});
    grants_[job] = std::move(grant);
    others_run_ = true;
  }

  void repace() {
    std::vector<std::size_t> jobs;
    for (const Running& r : running_) jobs.push_back(r.job);
    std::ranges::sort(jobs);
    ask_.repace(now_, jobs, grants_);
  }

  void start_in_order() {
    std::size_t started = 0;
    while (started < waiting_.size() && wanted(waiting_[started]) <= free_count()) {
      const std::size_t job = waiting_[started++];
      start(job, offer(job));
    }
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(started));
  }

  /// When the first in the queue can start by the estimates, and how many GPUs it then leaves free.
  struct Promise {
    double at;
    int left_over;
  };
  [[nodiscard]] Promise promise(std::size_t first) const {
    std::vector<std::pair<double, int>> ends;
    for (const Running& r : running_) ends.emplace_back(std::max(now_, r.believed), wanted(r.job));
    std::ranges::sort(ends);
    Promise p{now_, free_count() - wanted(first)};
    for (const auto& [end, gpus] : ends) {
      // Jobs that end at one instant all free their GPUs then.
      if (p.left_over >= 0 && end > p.at) break;
      p.at = end;
      p.left_over += gpus;
    }
    return p;
  }

  void backfill() {
    const std::size_t first = waiting_.front();
    Promise promised = promise(first);
    if (!grants_[first].promised) grants_[first].promised = promised.at;
    std::vector<std::size_t> still = {first};
    for (std::size_t i = 1; i < waiting_.size(); ++i) {
      const std::size_t job = waiting_[i];
      still.push_back(job);
      if (free_count() == 0) continue;
      if (wanted(job) > free_count()) continue;
      QueueGrant grant = offer(job);
      const bool gone_by_then = believed_end(job, grant) <= promised.at;
      if (!gone_by_then && wanted(job) > promised.left_over) continue;
      if (!gone_by_then) promised.left_over -= wanted(job);
      grant.overtook = requests_[first].arrival < requests_[job].arrival; // waiting_ is in the order of arrivals
      start(job, std::move(grant));
      still.pop_back();
    }
    waiting_ = std::move(still);
  }

  const std::vector<QueueRequest>& requests_;
  QueuePolicy policy_;
  const QueueQuestions& ask_;
  std::vector<int> free_; ///< sorted
  std::vector<Running> running_;
  std::vector<std::size_t> waiting_; ///< by arrival
  std::size_t arrived_ = 0;
  double now_ = 0;
  bool others_run_ = false; ///< other jobs run than before this instant
  std::vector<QueueGrant> grants_;
};

} // namespace

std::vector<QueueGrant> run_queue(const std::vector<QueueRequest>& requests, int gpus, QueuePolicy policy,
                                  const QueueQuestions& ask) {
  return Queue(requests, gpus, policy, ask).done();
}

} // namespace gradflight
