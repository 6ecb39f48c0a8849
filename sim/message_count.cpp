#include "sim/message_count.hpp"

#include "models/schedules/make_schedule.hpp"
#include "scenarios/language/types/scenario.hpp"
#include "sim/engine/ring/ring_shortcut.hpp"
#include "sim/jobs.hpp"
#include "sim/simulate.hpp"
#include "sim/training/job.hpp"

#include <fmt/format.h>
#include <limits>
#include <map>

namespace gradflight {

namespace {

/// An upper bound: every step sends at most one message.
double messages_of(const LibraryCall& call) {
  const GroupSchedule& schedule = *call.schedule;
  double steps = 0;
  for (int lane = 0; lane < schedule.lanes(); ++lane)
    for (int member = 0; member < schedule.members(); ++member)
      steps += static_cast<double>(schedule.steps(lane, member));
  return steps;
}

/// An upper bound: every step sends at most one message. In a sharded exchange a mini-batch has at most one scatter and
/// two gathers.
double most_messages(const Scenario& scenario) {
  double most = 0;
  for (const Scenario& job : job_scenarios(scenario)) most += most_messages(job);
  for (const Phase& phase : scenario.phases) {
    const TrainingSpec& training = phase.training;
    if (caller_of(training.exchange) != nullptr) return std::numeric_limits<double>::infinity(); // only its calls tell
    const auto schedule = make_schedule(training.exchange, scenario.workers());
    double steps = 0;
    for (int i = 0; i < schedule->participants(); ++i) steps += schedule->steps(i);
    const auto buckets = static_cast<double>(exchange_buckets(scenario.workload, training).size());
    const std::int64_t exchanges = training.iterations / training.every;
    const double times = is_sharded(training.exchange) ? 2.0 * training.accumulation : 1;
    most += steps * buckets * times * static_cast<double>(exchanges);
  }
  return most;
}

double messages_of(const Schedule& schedule) {
  double messages = 0;
  for (int i = 0; i < schedule.participants(); ++i) messages += static_cast<double>(schedule.messages(i));
  return messages;
}

double messages_of(const Job& job, const ExchangeTasks::Streams& streams) {
  if (job.calls) {
    double all = 0;
    std::map<const LibraryCall*, double> counted;
    for (const auto& tasks : streams)
      for (const Task& task : tasks) {
        const LibraryCall* call = &job.calls->call_of(task.bucket, task.parameters);
        const auto [messages, first] = counted.try_emplace(call, 0);
        if (first) messages->second = messages_of(*call);
        all += messages->second;
      }
    return all;
  }
  std::map<const Schedule*, double> known; // one or two
  double all = 0;
  for (const auto& tasks : streams)
    for (const Task& task : tasks) {
      const auto [messages, first] = known.try_emplace(task.schedule, 0);
      if (first) messages->second = messages_of(*task.schedule);
      all += messages->second;
    }
  return all;
}

/// Counts messages of rings in its exchanges, if an engine computes these at once.
double messages_at_once(const Scenario& scenario, const Job& job, const Platform& platform) {
  if (!may_take_shortcuts(scenario)) return 0;
  const auto rings = job.rings();
  if (!rings ||
      !ring_edges(*rings, job.ranks.places(), platform, 1 / scenario.platform.rate_while_computing.value_or(1)))
    return 0;
  const auto p = static_cast<double>(rings->members.size());
  return 2 * (p - 1) * p * static_cast<double>(job.buckets.size());
}

/// Counts messages of the first call of each kind.
double unlike_messages(const Job& job) {
  const std::vector<int> kinds = job.kinds_of_calls();
  double messages = 0;
  for (int b = 0; b < job.buckets.size(); ++b)
    if (kinds[static_cast<std::size_t>(b)] == b) messages += messages_of(job.calls->call_of(b, false));
  return messages;
}

void add(MessageCount& count, const MessageCount& more) {
  count.all += more.all;
  count.one_by_one += more.one_by_one;
  count.unlike += more.unlike;
}

} // namespace

MessageCount message_count(const Scenario& scenario, const Platform& platform, bool shortcuts) {
  MessageCount count;
  if (scenario.queue) return count; // counted when each of its jobs is simulated
  if (!scenario.jobs.empty()) {
    const std::vector<Scenario> jobs = job_scenarios(scenario);
    const bool apart = shortcuts && may_take_shortcuts(scenario);
    for (const auto& group : apart ? jobs_together(jobs, platform) : std::vector<std::vector<std::size_t>>())
      if (group.size() == 1)
        add(count, message_count(jobs[group.front()], platform, true));
      else
        for (const std::size_t j : group) add(count, message_count(jobs[j], platform, false));
    if (!apart)
      for (const Scenario& job : jobs) add(count, message_count(job, platform, false));
    return count;
  }
  for (const Phase& phase : scenario.phases) {
    const Job job(scenario, phase, platform);
    const double once = messages_of(job, job.tasks.last_round()) +
                        static_cast<double>(job.tasks.rounds() - 1) * messages_of(job, job.tasks.round(0));
    const auto exchanges = static_cast<double>(job.exchanges(phase.training.iterations));
    count.all += exchanges * once;
    const double simulated = once - (shortcuts ? messages_at_once(scenario, job, platform) : 0);
    count.one_by_one += exchanges * simulated;
    const bool repeats = shortcuts && may_take_shortcuts(scenario) && job.repeats_calls();
    count.unlike += (exchanges - 1) * simulated + (repeats ? unlike_messages(job) : simulated);
  }
  return count;
}

std::optional<std::string> too_many_messages(const Scenario& scenario, const Platform& platform, bool shortcuts) {
  const auto limit = static_cast<double>(scenario.limits.messages.value_or(Limits::messages_unless_said));
  if (most_messages(scenario) <= limit) return std::nullopt;
  const double messages = message_count(scenario, platform, shortcuts).one_by_one;
  if (messages <= limit) return std::nullopt;
  const char* way_out = !scenario.engine.shortcuts ? "allow shortcuts (engine.shortcuts)"
                        : !shortcuts               ? "record no timeline, because it prevents shortcuts"
                                                   : "no shortcut applies here";
  return fmt::format("{:.0f} messages would be simulated one by one, more than {:.0f}: {}, take fewer ranks, buckets "
                     "or iterations, or raise this limit",
                     messages, limit, way_out);
}

} // namespace gradflight
