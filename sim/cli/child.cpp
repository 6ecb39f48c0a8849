#include "sim/cli/child.hpp"

#include "sim/cli/failure_text.hpp"
#include "sim/cli/result_bytes.hpp"
#include "sim/simulate.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <stdexcept>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace gradflight::cli {
namespace {

// The answer on the pipe: one of these, then the result or the text.
constexpr char finished_tag = 'T', failed_tag = 'F';

void send_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return; // the parent is gone
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

[[noreturn]] void simulate_and_exit(const Scenario& scenario, const Platform& platform, int fd) {
  std::string answer;
  try {
    answer = finished_tag + to_bytes(simulate(scenario, platform));
  } catch (const SimulationFailure& failure) {
    answer = failed_tag + failure_line(failure);
  } catch (const std::exception& error) {
    answer = failed_tag + std::string("a bug, please report: ") + error.what();
  } catch (...) {
    answer = failed_tag + std::string("a bug, please report: an exception of an unknown kind");
  }
  send_all(fd, answer);
  // Not exit(): buffers and SimGrid's globals were inherited and are the parent's to close.
  _exit(0);
}

} // namespace

SimulationChild::SimulationChild(const Scenario& scenario, const Platform& platform) {
  int ends[2];
  std::fflush(nullptr); // what is buffered must not be written twice
  if (pipe(ends) != 0) throw std::runtime_error(fmt::format("no pipe: {}", std::strerror(errno)));
  pid_ = fork();
  if (pid_ < 0) {
    close(ends[0]);
    close(ends[1]);
    throw std::runtime_error(fmt::format("no process: {}", std::strerror(errno)));
  }
  if (pid_ == 0) {
    close(ends[0]);
    simulate_and_exit(scenario, platform, ends[1]);
  }
  close(ends[1]);
  pipe_ = ends[0];
}

SimulationChild::SimulationChild(SimulationChild&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), pipe_(std::exchange(other.pipe_, -1)),
      received_(std::move(other.received_)) {}

SimulationChild& SimulationChild::operator=(SimulationChild&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(pipe_, other.pipe_);
  received_.swap(other.received_);
  return *this;
}

SimulationChild::~SimulationChild() {
  if (pipe_ >= 0) close(pipe_);
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

bool SimulationChild::read_some() {
  char buffer[4096];
  const ssize_t n = read(pipe_, buffer, sizeof buffer);
  if (n < 0) return errno != EINTR;
  received_.append(buffer, static_cast<std::size_t>(n));
  return n == 0;
}

ChildAnswer SimulationChild::finish() {
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  ChildAnswer answer;
  if (WIFSIGNALED(status)) {
    answer.message =
        fmt::format("the simulation was killed by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  } else if (!received_.empty() && received_.front() == finished_tag) {
    answer.result = from_bytes(std::string_view(received_).substr(1));
    answer.finished = true;
  } else if (!received_.empty() && received_.front() == failed_tag) {
    answer.message = received_.substr(1);
  } else {
    answer.message = fmt::format("the simulation's process ended without an answer (status {})", WEXITSTATUS(status));
  }
  return answer;
}

} // namespace gradflight::cli
