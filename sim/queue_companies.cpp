#include "sim/queue_companies.hpp"

#include "scenarios/language/types/scenario.hpp"
#include <algorithm>
#include <limits>
#include <numeric>

namespace gradflight {
namespace {

constexpr std::size_t no_user = std::numeric_limits<std::size_t>::max();

} // namespace

QueueCompanies::QueueCompanies(const Scenario& scenario, const Platform& platform, QueueSamples& samples,
                               std::size_t jobs)
    : scenario_(scenario), platform_(platform), samples_(samples), jobs_(jobs),
      user_(platform.links().size() + static_cast<std::size_t>(scenario.platform.nodes)) {}

void QueueCompanies::repace(double now, const std::vector<std::size_t>& running,
                            const std::vector<std::int64_t>& iterations, std::vector<QueueGrant>& grants) {
  for (const std::vector<std::size_t>& company : companies(running, grants)) {
    if (jobs_[company.front()].members == company) continue; // the same jobs as before
    for (const std::size_t j : company) {
      jobs_[j].members = company;
      if (!jobs_[j].progress) jobs_[j].progress.emplace(grants[j].start, iterations[j]);
    }
    set_pace(now, company, iterations, grants);
    for (const std::size_t j : company) grants[j].end = jobs_[j].progress->end();
  }
}

void QueueCompanies::set_pace(double now, const std::vector<std::size_t>& company,
                              const std::vector<std::int64_t>& iterations, const std::vector<QueueGrant>& grants) {
  const std::int64_t cycle = scenario_.phases.back().training.every;
  const auto under_way = [&](std::size_t j) { return jobs_[j].progress->under_way(now, cycle); };
  if (company.size() == 1) {
    const std::size_t j = company.front();
    return jobs_[j].progress->go_on(now, samples_.pace_alone(grants[j].gpus, iterations[j], under_way(j)));
  }
  std::vector<QueuedPart> parts;
  for (const std::size_t j : company) parts.push_back({&grants[j].gpus, under_way(j)});
  std::vector<JobPace> paces = samples_.together(parts);
  for (std::size_t i = 0; i < company.size(); ++i) {
    Job& job = jobs_[company[i]];
    job.met_others = true;
    job.unsteady = job.unsteady || !paces[i].times.steady();
    job.progress->go_on(now, std::move(paces[i]));
  }
}

const LinkSet& QueueCompanies::parts(const std::vector<int>& gpus) {
  const auto found = parts_.find(gpus);
  if (found != parts_.end()) return found->second;
  return parts_.emplace(gpus, shared_parts(with_iterations(listed_job(scenario_, gpus), 1), platform_)).first->second;
}

std::vector<std::vector<std::size_t>> QueueCompanies::companies(const std::vector<std::size_t>& running,
                                                                const std::vector<QueueGrant>& grants) {
  std::ranges::fill(user_, no_user);
  std::vector<std::size_t> first(running.size()); // index of the first job of its group
  std::iota(first.begin(), first.end(), 0);
  const auto root = [&first](std::size_t i) {
    while (first[i] != i) i = first[i] = first[first[i]];
    return i;
  };
  for (std::size_t i = 0; i < running.size(); ++i)
    for (const std::int32_t part : parts(grants[running[i]].gpus)) {
      std::size_t& user = user_[static_cast<std::size_t>(part)];
      if (user == no_user) user = i;
      const std::size_t a = root(user), b = root(i);
      first[std::max(a, b)] = std::min(a, b);
    }
  std::vector<std::vector<std::size_t>> all;
  std::map<std::size_t, std::size_t> number; // group number, by its first job
  for (std::size_t i = 0; i < running.size(); ++i) {
    const std::size_t n = number.try_emplace(root(i), all.size()).first->second;
    if (n == all.size()) all.emplace_back();
    all[n].push_back(running[i]);
  }
  return all;
}

} // namespace gradflight
