// Compares the queue with one that goes through time second by second, and checks the guarantees of each policy.
#include "sim/queue/queue.hpp"

#include "tests/support/random_scenario.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <rapidcheck.h>
#include <set>

using namespace gradflight;
using namespace gradflight::test;

namespace {

/// Whole seconds, so that steps of one second are exact.
struct QueueCase {
  std::vector<QueueRequest> requests;
  std::vector<int> runs;
  int gpus = 1;
};

enum class Estimates { exact, bounds, any };

QueueCase random_queue(Estimates how) {
  Dice dice(*rc::gen::arbitrary<std::uint32_t>());
  QueueCase c;
  c.gpus = dice.in(1, 12);
  int at = dice.in(0, 5);
  for (int j = dice.in(1, 25); j > 0; --j) {
    at += dice.chance(40) ? 0 : dice.in(0, 12);
    const int run = dice.in(1, 30);
    QueueRequest& request = c.requests.emplace_back();
    request.arrival = at;
    request.gpus = dice.in(1, c.gpus);
    c.runs.push_back(run);
    if (how == Estimates::bounds) request.estimate = run + dice.in(0, 30);
    if (how == Estimates::any && dice.chance(80)) request.estimate = dice.in(1, 45);
  }
  return c;
}

std::vector<int> lowest_free(const QueueCase& c, std::size_t job, const std::vector<int>& free) {
  return {free.begin(), free.begin() + c.requests[job].gpus};
}

std::vector<QueueGrant> granted(const QueueCase& c, QueuePolicy policy) {
  return run_queue(c.requests, c.gpus, policy,
                   {[&](std::size_t j, const std::vector<int>& free) { return lowest_free(c, j, free); },
                    [&](std::size_t j, const std::vector<int>&) { return static_cast<double>(c.runs[j]); }});
}

/// Returns when each job starts, by a check in every second. For the first job in the queue, it examines the future
/// seconds.
std::vector<int> second_by_second(const QueueCase& c, QueuePolicy policy) {
  constexpr int not_yet = -1;
  const std::size_t n = c.requests.size();
  std::vector<int> starts(n, not_yet);
  const auto wanted = [&](std::size_t j) { return c.requests[j].gpus; };
  const auto estimate = [&](std::size_t j) {
    return c.requests[j].estimate ? static_cast<int>(*c.requests[j].estimate) : c.runs[j];
  };
  for (int now = 0; std::ranges::count(starts, not_yet) > 0; ++now) {
    const auto running = [&](std::size_t j) { return starts[j] != not_yet && starts[j] + c.runs[j] > now; };
    const auto free_at = [&](int later) { // according to the current estimates
      int free = c.gpus;
      for (std::size_t j = 0; j < n; ++j)
        if (running(j) && (later == now || starts[j] + estimate(j) > later)) free -= wanted(j);
      return free;
    };
    std::vector<std::size_t> queue;
    for (std::size_t j = 0; j < n; ++j)
      if (starts[j] == not_yet && c.requests[j].arrival <= now) queue.push_back(j);
    std::size_t first = 0;
    while (first < queue.size() && wanted(queue[first]) <= free_at(now)) starts[queue[first++]] = now;
    if (policy == QueuePolicy::fcfs || first >= queue.size()) continue;
    // Jobs that should already be over may end immediately.
    const auto believed_free = [&](int later) {
      int free = c.gpus;
      for (std::size_t j = 0; j < n; ++j)
        if (running(j) && starts[j] + estimate(j) > later) free -= wanted(j);
      return free;
    };
    int promised = now;
    while (believed_free(promised) < wanted(queue[first])) ++promised;
    int over = believed_free(promised) - wanted(queue[first]);
    for (std::size_t i = first + 1; i < queue.size(); ++i) {
      const std::size_t j = queue[i];
      if (wanted(j) > free_at(now)) continue;
      const bool gone = now + estimate(j) <= promised;
      if (!gone && wanted(j) > over) continue;
      if (!gone) over -= wanted(j);
      starts[j] = now;
    }
  }
  return starts;
}

/// Checks that no GPU belongs to two jobs, and that all jobs have the requested number.
bool no_gpu_twice(const QueueCase& c, const std::vector<QueueGrant>& grants) {
  for (std::size_t a = 0; a < grants.size(); ++a) {
    const std::set<int> own(grants[a].gpus.begin(), grants[a].gpus.end());
    if (std::ssize(own) != c.requests[a].gpus || *own.begin() < 0 || *own.rbegin() >= c.gpus) return false;
    if (grants[a].start < c.requests[a].arrival) return false;
    for (std::size_t b = 0; b < a; ++b) {
      const bool together = grants[a].start < grants[b].end && grants[b].start < grants[a].end;
      if (together && std::ranges::any_of(grants[b].gpus, [&](int gpu) { return own.contains(gpu); })) return false;
    }
  }
  return true;
}

QueueCase by_hand(int gpus, std::vector<std::array<int, 4>> arrival_gpus_run_estimate) {
  QueueCase c;
  c.gpus = gpus;
  for (const auto& [at, wanted, run, estimate] : arrival_gpus_run_estimate) {
    c.requests.push_back({static_cast<double>(at), wanted, static_cast<double>(estimate)});
    c.runs.push_back(run);
  }
  return c;
}

std::vector<double> starts_of(const std::vector<QueueGrant>& grants) {
  std::vector<double> starts;
  for (const QueueGrant& grant : grants) starts.push_back(grant.start);
  return starts;
}

} // namespace

TEST_CASE("a small job fills the hole before a large one, if it is gone by then or leaves it enough") {
  // 4 GPUs. a has 3 of them until 10, and b wants 3. c fits beside a and ends by 10; d would not. e gets the GPU that b
  // leaves.
  const QueueCase c = by_hand(4, {{0, 3, 10, 10}, {1, 4, 5, 5}, {2, 1, 8, 8}, {3, 1, 2, 9}});
  CHECK(starts_of(granted(c, QueuePolicy::fcfs)) == std::vector<double>{0, 10, 15, 15});
  const auto filled = granted(c, QueuePolicy::backfill);
  CHECK(starts_of(filled) == std::vector<double>{0, 10, 2, 15});
  CHECK(filled[2].overtook);
  CHECK_FALSE(filled[3].overtook);
  CHECK(filled[1].promised == 10);
  const QueueCase left_over = by_hand(4, {{0, 3, 10, 10}, {1, 3, 5, 5}, {2, 1, 100, 100}});
  CHECK(starts_of(granted(left_over, QueuePolicy::backfill)) == std::vector<double>{0, 10, 2});
}

TEST_CASE("an estimate ends nothing: who stays longer than said delays the first in the queue") {
  const QueueCase c = by_hand(4, {{0, 3, 20, 10}, {1, 4, 5, 5}, {2, 1, 30, 6}});
  const auto grants = granted(c, QueuePolicy::backfill);
  CHECK(grants[1].promised == 10);
  CHECK(starts_of(grants) == std::vector<double>{0, 32, 2});
}

TEST_CASE("a job starts when another one that it has to wait for should be over, even if nobody comes or ends then") {
  // 4 GPUs. a has 2 until 20 and should be over at 5; b has 1 until 20 and should be over at 10; c wants 3. From 5 on,
  // c may expect the GPUs of a at any time, so d, which takes longer, may not have the free one. From 10 on, those of b
  // may also be free at any time, which leaves one for d.
  const QueueCase c = by_hand(4, {{0, 2, 20, 5}, {0, 1, 20, 10}, {1, 3, 5, 5}, {2, 1, 30, 30}});
  CHECK(starts_of(granted(c, QueuePolicy::backfill)) == std::vector<double>{0, 0, 20, 10});
}

TEST_CASE("the queue is the one that asks every second") {
  for (const QueuePolicy policy : {QueuePolicy::fcfs, QueuePolicy::backfill})
    REQUIRE(rc::check("queue = second by second", [policy] {
      const QueueCase c = random_queue(Estimates::any);
      const auto grants = granted(c, policy);
      const std::vector<int> expected = second_by_second(c, policy);
      for (std::size_t j = 0; j < grants.size(); ++j) {
        RC_ASSERT(grants[j].start == static_cast<double>(expected[j]));
        RC_ASSERT(grants[j].end == static_cast<double>(expected[j] + c.runs[j]));
      }
      RC_ASSERT(no_gpu_twice(c, grants));
    }));
}

TEST_CASE(
    "first come, first served: nobody starts before one who came earlier, and a GPU is never idle for the first") {
  REQUIRE(rc::check("fcfs in order", [] {
    const QueueCase c = random_queue(Estimates::any);
    const auto grants = granted(c, QueuePolicy::fcfs);
    for (std::size_t j = 1; j < grants.size(); ++j) RC_ASSERT(grants[j - 1].start <= grants[j].start);
    for (std::size_t j = 0; j < grants.size(); ++j) {
      RC_ASSERT(!grants[j].overtook);
      // It starts at its arrival, together with the previous job, or when another job ends.
      const bool has_cause =
          grants[j].start == c.requests[j].arrival || (j > 0 && grants[j].start == grants[j - 1].start) ||
          std::ranges::any_of(grants, [&](const QueueGrant& other) { return other.end == grants[j].start; });
      RC_ASSERT(has_cause);
    }
  }));
}

TEST_CASE("backfilling keeps its promise to the first in the queue where no job stays longer than estimated") {
  REQUIRE(rc::check("promises are kept", [] {
    const QueueCase c = random_queue(Estimates::bounds);
    for (const QueueGrant& grant : granted(c, QueuePolicy::backfill))
      if (grant.promised) RC_ASSERT(grant.start <= *grant.promised);
  }));
}

TEST_CASE("jobs that need no time, and thousands of them, pass") {
  QueueCase c;
  c.gpus = 8;
  for (int j = 0; j < 5000; ++j) {
    c.requests.push_back({static_cast<double>(j / 3), 1 + j % 8, {}});
    c.runs.push_back(j % 7);
  }
  CHECK(no_gpu_twice(by_hand(1, {{0, 1, 0, 1}}), granted(by_hand(1, {{0, 1, 0, 1}}), QueuePolicy::backfill)));
  const auto grants = granted(c, QueuePolicy::backfill);
  double busy = 0, end = 0;
  for (std::size_t j = 0; j < grants.size(); ++j) {
    busy += c.requests[j].gpus * (grants[j].end - grants[j].start);
    end = std::max(end, grants[j].end);
  }
  CHECK(busy <= 8 * end);
}
