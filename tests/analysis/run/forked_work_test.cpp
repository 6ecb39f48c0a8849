#include "analysis/run/forked_work.hpp"

#include "analysis/run/address_sanitizer.hpp"
#include "sim/simulate.hpp"

#include <catch2/catch.hpp>
#include <csignal>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace gradflight;
using Catch::Contains;
using Kind = WorkEnd::Kind;

namespace {

WorkEnd end_of(const Work& work, const WorkLimits& limits = {}) {
  ForkedWork child(work, 3, limits);
  while (!child.read_some()) {
  }
  return child.finish();
}

Work forever() {
  return [](std::size_t, Process) -> std::string {
    for (;;) pause();
  };
}

} // namespace

TEST_CASE("the answer arrives whole", "[system]") {
  const std::string long_text(1'000'000, 'x');
  const auto end = end_of([&](std::size_t index, Process process) {
    return long_text + std::to_string(index) + (process == Process::own ? " alone" : "");
  });
  CHECK(end.kind == Kind::finished);
  CHECK(end.found == long_text + "3 alone");
  CHECK(end.max_rss_bytes > 0);
}

TEST_CASE("an empty answer is an answer", "[system]") {
  CHECK(end_of([](std::size_t, Process) { return std::string(); }).kind == Kind::finished);
}

TEST_CASE("an exception is told", "[system]") {
  const auto end = end_of([](std::size_t, Process) -> std::string { throw std::runtime_error("why"); });
  CHECK(end.kind == Kind::threw);
  CHECK(end.text == "why");
  CHECK(end_of([](std::size_t, Process) -> std::string { throw 3; }).kind == Kind::threw);
}

TEST_CASE("a simulation that cannot finish is told with who is blocked", "[system]") {
  const auto end = end_of([](std::size_t, Process) -> std::string {
    throw SimulationFailure("stuck",
                            {{{}, 1, "comm0", "message from rank 0"}, {{}, 2, "comm0", "message from rank 1"}});
  });
  CHECK(end.kind == Kind::failed);
  CHECK(end.text == "stuck");
  CHECK(end.blocked_count == 2);
  REQUIRE(end.blocked.size() == 2);
  CHECK(end.blocked[1].waiting_for == "message from rank 1");
  CHECK(end.message() == "stuck; rank 1 comm0 waits for message from rank 0; and 1 more");
}

TEST_CASE("a death by signal is told", "[system]") {
  const auto end = end_of([](std::size_t, Process) -> std::string {
    raise(SIGKILL);
    return {};
  });
  CHECK(end.kind == Kind::killed);
  CHECK_THAT(end.text, Contains("signal 9"));
}

TEST_CASE("an end without a result is reported", "[system]") {
  const auto end = end_of([](std::size_t, Process) -> std::string { _exit(5); });
  CHECK(end.kind == Kind::vanished);
  CHECK(end.text == "status 5");
}

TEST_CASE("a child that would go on is ended", "[system]") {
  ForkedWork child(forever(), 0, {.wall_s = 0.0, .memory_bytes = {}});
  CHECK(child.time_left() == 0.0);
  CHECK(child.finish().kind == Kind::out_of_time);
  { const ForkedWork forgotten(forever(), 0); }
  CHECK(waitpid(-1, nullptr, WNOHANG) == -1); // no child is left
}

#ifndef GF_ADDRESS_SANITIZER // its shadow memory would exceed the limit
TEST_CASE("memory is limited", "[system]") {
  const auto hungry = [](std::size_t bytes) {
    return [bytes](std::size_t, Process) {
      const std::string memory(bytes, 'x');
      return memory.substr(bytes / 2, 1);
    };
  };
  const WorkLimits limits{.wall_s = {}, .memory_bytes = 200'000'000};
  CHECK(end_of(hungry(400'000'000), limits).kind == Kind::no_memory);
  CHECK(end_of(hungry(50'000'000), limits).found == "x");
}
#endif

TEST_CASE("a system that lacks processes or descriptors is a failure, not a bug", "[system]") {
  const pid_t limited = fork();
  REQUIRE(limited >= 0);
  if (limited == 0) { // the limits hold for this process only
    constexpr uid_t nobody = 65534;
    if (geteuid() == 0 && setuid(nobody) != 0) _exit(2); // root has no such limit
    const rlimit none{};
    setrlimit(RLIMIT_NPROC, &none);
    int missing = 1;
    try {
      const ChildProcess child([] {});
    } catch (const SimulationFailure&) {
      --missing;
    }
#ifndef GF_ADDRESS_SANITIZER // its checks of memory need descriptors
    setrlimit(RLIMIT_NOFILE, &none);
    ++missing;
    try {
      const auto ends = connection();
    } catch (const SimulationFailure&) {
      --missing;
    }
#endif
    _exit(missing);
  }
  int status = 0;
  REQUIRE(waitpid(limited, &status, 0) == limited);
  CHECK(WEXITSTATUS(status) == 0);
}
