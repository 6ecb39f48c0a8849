#include "analysis/run/runner.hpp"

#include "analysis/run/prepare.hpp"
#include "source_dir.hpp"
#include "tests/support/effort.hpp"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <csignal>
#include <memory>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace gradflight;
using Kind = WorkEnd::Kind;

namespace {

bool no_child_left() { return waitpid(-1, nullptr, WNOHANG) == -1; }

/// Returns the answers of `count` cases, in the order of the reports.
template <class Find> auto all_of(std::size_t count, const RunnerOptions& options, const Find& work) {
  using T = std::invoke_result_t<const Find&, std::size_t, Process>;
  std::vector<std::pair<std::size_t, Answer<T>>> told;
  run_cases(count, options, work, [&](std::size_t i, Answer<T> answer) { told.emplace_back(i, std::move(answer)); });
  return told;
}

/// Hundreds of ranks reveal nothing more with a sanitizer, but take most of its time.
constexpr int most_ranks = test::is_sanitized ? 64 : 1 << 20;

std::vector<Prepared> shipped() {
  std::vector<Prepared> all;
  const auto files = scenario_files({std::string(GF_SOURCE_DIR) + "/scenarios/golden"});
  for (std::size_t i = 0; i < files.size(); i += test::is_sanitized ? 5 : 1) {
    Prepared prepared = prepare(files[i]);
    if (prepared.scenario().workers() <= most_ranks) all.push_back(std::move(prepared));
  }
  return all;
}

} // namespace

TEST_CASE("a batch may run in the process that asks for it, but for what needs its own", "[system]") {
  const auto work = [](std::size_t i, Process process) {
    if (i == 2 && process == Process::shared) throw NeedsOwnProcess();
    if (i == 3) throw std::logic_error("a bug");
    return static_cast<std::int64_t>(getpid());
  };
  const auto told = all_of(5, {.in_caller = true}, work);
  REQUIRE(told.size() == 5);
  for (std::size_t i = 0; i < 5; ++i) {
    CHECK(told[i].first == i);
    if (i != 3) CHECK((told[i].second.value == getpid()) == (i != 2));
  }
  CHECK(told[3].second.end.kind == Kind::threw);
  for (const RunnerOptions& elsewhere : {RunnerOptions{.jobs = 2, .in_caller = true}, RunnerOptions{.jobs = 1}})
    CHECK(all_of(1, elsewhere, work).front().second.value != getpid());
}

TEST_CASE("threads, processes and SimGrid's clock find the same bits as this process", "[system]") {
  const auto cases = shipped();
  REQUIRE(cases.size() > (test::is_sanitized ? 10 : 30));
  std::vector<std::string> here;
  std::vector<std::size_t> hybrid;
  for (std::size_t i = 0; i < cases.size(); ++i)
    if (cases[i].scenario().engine.kind == EngineKind::hybrid) {
      hybrid.push_back(i);
      here.push_back(to_bytes(simulate(cases[i])));
    }
  const auto found = [&](const RunnerOptions& options, const auto& work) {
    std::vector<std::string> bytes;
    for (auto& [index, answer] : all_of(hybrid.size(), options, work)) bytes.push_back(to_bytes(answer.value));
    return bytes;
  };
  CHECK(found({.jobs = 4}, [&](std::size_t i, Process process) {
          if (process == Process::own) throw std::logic_error("a hybrid scenario needs no process");
          return simulate(cases[hybrid[i]], {.process = process});
        }) == here);
  CHECK(found({.jobs = 2}, [&](std::size_t i, Process process) {
          if (process == Process::shared) throw NeedsOwnProcess();
          return simulate(cases[hybrid[i]], {.process = process});
        }) == here);
  CHECK(found({.jobs = 2}, [&](std::size_t i, Process process) {
          return simulate(cases[hybrid[i]], {.process = process, .simgrid_clock = true});
        }) == here);
  CHECK(no_child_left());
}

TEST_CASE("what SimGrid moves runs in a process each, however many there are", "[system]") {
  auto cases = shipped();
  Scenario small = cases.front().scenario();
  small.engine.kind = EngineKind::simgrid;
  const Prepared prepared(small);
  CHECK_THROWS_AS(simulate(prepared), NeedsOwnProcess);
  const auto told = all_of(5, {.jobs = 2}, [&](std::size_t, Process process) {
    return std::pair(simulate(prepared, {.process = process}).time, static_cast<std::int64_t>(getpid()));
  });
  for (const auto& [index, answer] : told) {
    REQUIRE(answer.finished());
    CHECK(answer.value.first == told.front().second.value.first);
    CHECK((index == 0 || answer.value.second != told.front().second.value.second));
  }
}

TEST_CASE("what one piece throws is told, and takes no other along", "[system]") {
  const auto told = all_of(8, {.jobs = 3}, [](std::size_t i, Process) -> std::int64_t {
    if (i == 1) throw std::runtime_error("why");
    if (i == 3) throw 3;
    if (i == 4) throw std::bad_alloc();
    if (i == 6) throw SimulationFailure("stuck", {{{}, 1, "comm0", "a message"}});
    return static_cast<std::int64_t>(i) * 10;
  });
  REQUIRE(told.size() == 8);
  const Kind kinds[] = {Kind::finished,  Kind::threw,    Kind::finished, Kind::threw,
                        Kind::no_memory, Kind::finished, Kind::failed,   Kind::finished};
  for (std::size_t i = 0; i < 8; ++i) {
    CHECK(told[i].first == i);
    CHECK(told[i].second.end.kind == kinds[i]);
    if (told[i].second.finished()) CHECK(told[i].second.value == static_cast<std::int64_t>(i) * 10);
  }
  CHECK(told[1].second.end.message() == "a bug, please report: why");
  CHECK(told[6].second.end.message() == "stuck; rank 1 comm0 waits for a message");
}

TEST_CASE("a crash is told of the case that crashes, and the others are done", "[system]") {
  const auto told = all_of(200, {.jobs = 3}, [](std::size_t i, Process) -> std::int64_t {
    if (i == 2) raise(SIGKILL);
    if (i == 150) _exit(5);
    return static_cast<std::int64_t>(i);
  });
  REQUIRE(told.size() == 200);
  for (std::size_t i = 0; i < told.size(); ++i) {
    const auto& [index, answer] = told[i];
    CHECK(index == i);
    CHECK(answer.end.kind == (i == 2 ? Kind::killed : i == 150 ? Kind::vanished : Kind::finished));
    if (answer.finished()) CHECK(answer.value == static_cast<std::int64_t>(i));
  }
  CHECK(told[2].second.end.message().starts_with("the simulation was killed by signal 9"));
  CHECK(told[150].second.end.message() == "the simulation's process ended without a result (status 5)");
  CHECK(no_child_left());
}

TEST_CASE("reports come in order, or as the cases end", "[system]") {
  // The first case ends when a given number of others have ended.
  const auto first_after = [](int others) {
    return [others, ended = std::make_shared<std::atomic<int>>(0)](std::size_t i, Process) {
      if (i > 0) ++*ended;
      while (i == 0 && *ended < others) std::this_thread::yield();
      return static_cast<std::int64_t>(i);
    };
  };
  const auto in_order = all_of(20, {.jobs = 4}, first_after(3));
  for (std::size_t i = 0; i < 20; ++i) CHECK(in_order[i].first == i);
  const auto as_they_end = all_of(20, {.jobs = 4, .in_order = false}, first_after(19));
  REQUIRE(as_they_end.size() == 20);
  std::size_t before_first = 0; // reports of at most three other jobs may still be pending when it ends
  while (as_they_end[before_first].first != 0) ++before_first;
  CHECK(before_first >= 16);
}

TEST_CASE("a case that takes too long is ended", "[system]") {
  const auto told = all_of(4, {.jobs = 2, .limits = {.wall_s = 5}}, [](std::size_t i, Process process) {
    if (process == Process::shared) throw NeedsOwnProcess();
    while (i == 1) pause();
    return static_cast<std::int64_t>(i);
  });
  for (std::size_t i = 0; i < 4; ++i) CHECK(told[i].second.end.kind == (i == 1 ? Kind::out_of_time : Kind::finished));
  CHECK(no_child_left());
}

TEST_CASE("many cases, each made when its turn comes, and more jobs than cores", "[system]") {
  std::size_t next = 0;
  run_cases(
      20'000, {.jobs = 300}, [](std::size_t i, Process) { return std::string(i % 100, 'x'); },
      [&](std::size_t i, const Answer<std::string>& answer) {
        if (i != next || answer.value.size() != i % 100) FAIL("case " << i << " after " << next << " others");
        ++next;
      });
  CHECK(next == 20'000);
}

TEST_CASE("progress is told until all have ended", "[system]") {
  std::vector<std::int64_t> told;
  const auto tell = [&](std::int64_t done, std::int64_t of) {
    CHECK(of == 5);
    told.push_back(done);
  };
  all_of(5, {.jobs = 2, .progress = tell}, [](std::size_t i, Process) { return static_cast<std::int64_t>(i); });
  CHECK(std::ranges::is_sorted(told));
  CHECK(told.back() == 5);
}

TEST_CASE("what progress throws ends cases that would never end", "[system]") {
  const auto stop = [](std::int64_t, std::int64_t) { throw std::runtime_error("interrupted"); };
  CHECK_THROWS_WITH(run_cases(
                        3, {.jobs = 2, .progress = stop},
                        [](std::size_t, Process) -> std::int64_t {
                          while (true) pause();
                        },
                        [](std::size_t, const Answer<std::int64_t>&) {}),
                    "interrupted");
  CHECK(no_child_left());
}

TEST_CASE("what a report throws ends all that still runs", "[system]") {
  const auto throwing = [](std::size_t, const Answer<std::int64_t>&) { throw std::runtime_error("full disk"); };
  CHECK_THROWS_WITH(run_cases(
                        100, {.jobs = 3, .in_order = false},
                        [](std::size_t i, Process) -> std::int64_t {
                          if (i > 0) pause();
                          return 0;
                        },
                        throwing),
                    "full disk");
  CHECK(no_child_left());
}
