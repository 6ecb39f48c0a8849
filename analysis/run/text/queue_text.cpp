#include "analysis/run/text/queue_text.hpp"

#include "analysis/run/result/outcome.hpp"
#include "analysis/run/text/describe.hpp"
#include "base/human.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace gradflight {

void put_queue(ReportText& text, const RunResult& result) {
  constexpr std::size_t most = 10;
  const std::vector<JobRun>& jobs = result.jobs;
  std::vector<std::size_t> shown(jobs.size());
  std::iota(shown.begin(), shown.end(), 0);
  if (jobs.size() > most) { // those with the longest waiting times, in the order of the list
    std::ranges::stable_sort(shown, std::ranges::greater(),
                             [&](std::size_t j) { return waiting(jobs[j]).value_or(0); });
    shown.resize(most);
    std::ranges::sort(shown);
  }
  text.blank();
  text.heading("Jobs", jobs.size() > most ? fmt::format("the {} that waited longest of {}", most, jobs.size()) : "");
  for (const std::size_t j : shown) {
    const JobRun& job = jobs[j];
    const double alone = job.alone_time.value_or(job.run.time);
    const std::string alone_text =
        job.run.time > alone * (1 + 1e-9) ? fmt::format(" ({} alone)", human_seconds(alone)) : std::string();
    text.line(job.name, fmt::format("{}, {}: waited {}, ran {}{} from {}{}", counted(job.queued->gpus, "GPU"),
                                    counted(job.queued->iterations, "iteration"),
                                    human_seconds(waiting(job).value_or(0)), human_seconds(job.run.time), alone_text,
                                    human_seconds(job.start), job.queued->overtook ? ", overtook others" : ""));
  }
  const QueueResult& queue = *result.queue;
  text.blank();
  text.heading("Queue");
  text.line("makespan", human_seconds(result.time));
  text.line("mean waiting", human_seconds(mean_waiting(jobs)));
  text.line("utilisation", human_percent(queue.utilisation) + " of the GPUs, from the first arrival to the last end");
  if (const auto index = fairness(jobs))
    text.line("fairness", fmt::format("{:.4g} (Jain's index of (waiting + running) / running)", *index));
  text.line("simulated", counted(queue.shapes, "job") + " alone, one for each size and shape");
  if (queue.companies > 0)
    text.line("", fmt::format("{} of jobs on common links, together", counted(queue.companies, "group")));
  if (queue.unsteady > 0)
    text.line("", fmt::format("{} with iterations that do not repeat: a mean replaces those not simulated",
                              counted(queue.unsteady, "job")));
  const auto sharing = std::ranges::count_if(jobs, [](const JobRun& job) { return job.queued->shared_with > 0; });
  if (sharing > 0)
    text.line("shared links",
              fmt::format("{} with links that other jobs used meanwhile: {}", counted(sharing, "job"),
                          queue.companies > 0 ? fmt::format("all jobs together run {} longer than alone",
                                                            human_percent(network_slowdown(jobs) - 1))
                                              : "simulated as if alone, so times may be too short"));
}

} // namespace gradflight
