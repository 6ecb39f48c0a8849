// Jobs of a list that slow each other down.
#pragma once

#include "sim/jobs.hpp"
#include "sim/queue/progress.hpp"
#include "sim/queue/queue.hpp"
#include "sim/queue_samples.hpp"

#include <map>
#include <optional>
#include <vector>

namespace gradflight {

/// Jobs with links in common, directly or through other jobs, form a company. A company is simulated again whenever a
/// job joins or leaves it.
class QueueCompanies {
public:
  /// All arguments must outlive this.
  QueueCompanies(const Scenario& scenario, const Platform& platform, QueueSamples& samples, std::size_t jobs);

  /// QueueQuestions::repace, for jobs with these numbers of iterations.
  void repace(double now, const std::vector<std::size_t>& running, const std::vector<std::int64_t>& iterations,
              std::vector<QueueGrant>& grants);

  struct Job {
    std::vector<std::size_t> members{}; ///< of its company, sorted
    std::optional<JobProgress> progress{};
    bool met_others = false, unsteady = false;
  };
  [[nodiscard]] const Job& job(std::size_t index) const { return jobs_[index]; }

private:
  const LinkSet& parts(const std::vector<int>& gpus);
  std::vector<std::vector<std::size_t>> companies(const std::vector<std::size_t>& running,
                                                  const std::vector<QueueGrant>& grants);
  void set_pace(double now, const std::vector<std::size_t>& company, const std::vector<std::int64_t>& iterations,
                const std::vector<QueueGrant>& grants);

  const Scenario& scenario_;
  const Platform& platform_;
  QueueSamples& samples_;
  std::vector<Job> jobs_;
  std::map<std::vector<int>, LinkSet> parts_; ///< shared_parts() of a job on these GPUs
  std::vector<std::size_t> user_;             ///< a job that uses each part, while companies are computed
};

} // namespace gradflight
