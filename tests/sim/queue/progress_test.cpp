// A job with a speed that changes during its run, by hand; and a queue in which this changes all ends.
#include "scenarios/language/types/scenario.hpp"
#include "sim/queue/progress.hpp"

#include "sim/queue/queue.hpp"

#include <catch2/catch.hpp>
#include <vector>

using namespace gradflight;

namespace {

/// Returns iterations of `period` seconds each, the first after `first`, and the time after the last.
JobPace every(double period, double first, double after = 0, Part part = Part::compute) {
  std::vector<double> ends;
  for (int i = 0; i < 4; ++i) ends.push_back(first + i * period);
  JobPace pace{IterationTimes(std::move(ends), after)};
  at(pace.share, part) = 1;
  return pace;
}

} // namespace

TEST_CASE("iterations done by a time are counted with the part of the one under way") {
  const IterationTimes times({1, 3, 5, 7}, 0.5);
  CHECK(times.done(0) == 0);
  CHECK(times.done(0.5) == 0.5);
  CHECK(times.done(1) == 1);
  CHECK(times.done(2) == 1.5);
  CHECK(times.done(7) == 4);
  CHECK(times.done(12) == 6.5);
  CHECK(times.whole(2) == 3.5);
}

TEST_CASE("times of exchanges in each third iteration repeat after three") {
  // The first takes 3 s, as a pipeline fills; later ones 1, 1 and 4 s.
  std::vector<double> ends = {3, 4, 8};
  while (ends.size() < 12)
    for (const double time : {1, 1, 4}) ends.push_back(ends.back() + time);
  const IterationTimes times(ends, 0.5, 3);
  CHECK(times.steady());
  CHECK(times.cycle() == 3);
  CHECK(times.period() == 2);
  CHECK(times.end(12) == 26);
  CHECK(times.end(13) == 27);
  CHECK(times.end(14) == 28);
  CHECK(times.end(15) == 32);
  CHECK(times.end(302) == 26 + 96 * 6 + 2);
  CHECK(times.whole(13) == 27.5);
  CHECK(times.done(26) == 12);
  CHECK(times.done(27.5) == 13.5);
  CHECK(times.done(30) == 14.5);
  CHECK(times.done(26 + 96 * 6 + 2) == 302);
  CHECK(times.into_cycle(2.25) == 3);
  CHECK(times.into_cycle(3.5) == 6.5);
  CHECK(times.part_of_job(13) == 26 + 2 + 0.5);
  CHECK_FALSE(IterationTimes(ends, 0.5).steady());
  CHECK_FALSE(IterationTimes(ends, 0.5, 2).steady());
}

TEST_CASE("a job that is held up for a while ends later by what it was held up") {
  JobProgress job(10, 6);
  job.go_on(10, every(2, 2, 1));
  CHECK(job.end() == 23);
  CHECK(job.under_way(13) == 0.5);
  // At 13, half of the second iteration is complete. The rest then takes 2 s, and each further iteration 4 s.
  job.go_on(13, every(4, 2, 1, Part::contention));
  CHECK(job.end() == 32);
  CHECK(job.under_way(14) == 0.75);
  CHECK(job.under_way(17) == 0.5);
  job.go_on(17, every(2, 1, 1));
  CHECK(job.end() == 25);
  CHECK(at(job.path(), Part::compute) == 11);
  CHECK(at(job.path(), Part::contention) == 4);
}

TEST_CASE("what follows the last iteration does not begin again when the pace changes") {
  JobProgress job(0, 2);
  job.go_on(0, every(2, 2, 3));
  CHECK(job.end() == 7);
  CHECK(job.under_way(5) == 0);
  job.go_on(5, every(10, 10, 10));
  CHECK(job.end() == 7);
}

TEST_CASE("ends that move as others come and go decide who starts when") {
  // Two jobs of 2 GPUs take twice as long together; the third waits for the first that ends.
  const std::vector<QueueRequest> requests = {{0, 2, {}}, {0, 2, {}}, {0, 2, {}}};
  const std::vector<std::int64_t> iterations = {4, 6, 5};
  std::vector<JobProgress> jobs;
  for (const std::int64_t count : iterations) jobs.emplace_back(0, count);
  QueueQuestions ask;
  ask.place = [](std::size_t, const std::vector<int>& free) {
    return std::vector<int>(free.begin(), free.begin() + 2);
  };
  ask.run_time = [&](std::size_t j, const std::vector<int>&) { return static_cast<double>(iterations[j]); };
  ask.repace = [&](double now, const std::vector<std::size_t>& running, std::vector<QueueGrant>& grants) {
    for (const std::size_t j : running) {
      const double period = running.size() > 1 ? 2 : 1;
      jobs[j].go_on(now, every(period, (1 - jobs[j].under_way(now)) * period));
      grants[j].end = jobs[j].end();
    }
  };
  const auto grants = run_queue(requests, 4, QueuePolicy::fcfs, ask);
  CHECK(grants[0].end == 8);
  CHECK(grants[1].end == 12); // 4 iterations by 8, and 2 more together with the third
  CHECK(grants[2].start == 8);
  CHECK(grants[2].end == 15); // 2 iterations by 12, then 3 alone
}
