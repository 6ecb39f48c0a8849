#include "analysis/runs/forked_work.hpp"

#include "analysis/runs/address_sanitizer.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <new>
#include <stdexcept>
#include <string_view>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace gradflight {
namespace {

// The answer on the pipe: one of these, then the text.
constexpr char answered_tag = 'A', threw_tag = 'E', no_memory_tag = 'M';

void send_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return; // the parent is gone
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

[[noreturn]] void work_and_exit(const std::function<std::string()>& work, [[maybe_unused]] const ForkLimits& limits,
                                int fd) {
#ifndef GF_ADDRESS_SANITIZER // its shadow memory would count, and no limit leave room for it
  if (limits.memory_bytes) {
    const rlimit limit{*limits.memory_bytes, *limits.memory_bytes};
    setrlimit(RLIMIT_DATA, &limit);
  }
#endif
  try {
    const std::string answer = work();
    send_all(fd, std::string(1, answered_tag));
    send_all(fd, answer);
  } catch (const std::bad_alloc&) {
    send_all(fd, std::string_view(&no_memory_tag, 1));
  } catch (const std::exception& error) {
    send_all(fd, std::string_view(&threw_tag, 1));
    send_all(fd, error.what());
  } catch (...) {
    send_all(fd, std::string_view(&threw_tag, 1));
    send_all(fd, "an exception of an unknown kind");
  }
  // Not exit(): buffers and SimGrid's globals were inherited and are the parent's to close.
  _exit(0);
}

} // namespace

ForkedWork::ForkedWork(const std::function<std::string()>& work, const ForkLimits& limits)
    : start_(Clock::now()), wall_limit_(limits.wall_s) {
  int ends[2];
  std::fflush(nullptr); // what is buffered must not be written twice
  if (pipe(ends) != 0) throw std::runtime_error(fmt::format("no pipe: {}", std::strerror(errno)));
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ < 0) {
    close(ends[0]);
    close(ends[1]);
    throw std::runtime_error(fmt::format("no process: {}", std::strerror(errno)));
  }
  if (pid_ == 0) {
    close(ends[0]);
    // A killed parent takes its children along: nobody would read their answers.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0);
    work_and_exit(work, limits, ends[1]);
  }
  close(ends[1]);
  pipe_ = ends[0];
}

ForkedWork::ForkedWork(ForkedWork&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), pipe_(std::exchange(other.pipe_, -1)), received_(std::move(other.received_)),
      start_(other.start_), wall_limit_(other.wall_limit_) {}

ForkedWork& ForkedWork::operator=(ForkedWork&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(pipe_, other.pipe_);
  received_.swap(other.received_);
  std::swap(start_, other.start_);
  std::swap(wall_limit_, other.wall_limit_);
  return *this;
}

ForkedWork::~ForkedWork() {
  if (pipe_ >= 0) close(pipe_);
  if (pid_ < 0) return;
  stop();
  waitpid(pid_, nullptr, 0);
}

bool ForkedWork::read_some() {
  char buffer[4096];
  const ssize_t n = read(pipe_, buffer, sizeof buffer);
  if (n < 0) return errno != EINTR;
  received_.append(buffer, static_cast<std::size_t>(n));
  return n == 0;
}

std::optional<double> ForkedWork::time_left() const {
  if (!wall_limit_) return std::nullopt;
  return std::max(0.0, *wall_limit_ - std::chrono::duration<double>(Clock::now() - start_).count());
}

void ForkedWork::stop() const { kill(pid_, SIGKILL); }

ForkedAnswer ForkedWork::finish() {
  int status = 0;
  rusage usage{};
  while (wait4(pid_, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  ForkedAnswer answer;
  answer.wall_s = std::chrono::duration<double>(Clock::now() - start_).count();
  answer.max_rss_bytes = static_cast<std::int64_t>(usage.ru_maxrss) * 1024;
  if (WIFSIGNALED(status)) {
    answer.kind = ForkedAnswer::Kind::stopped;
    answer.text = fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  } else if (received_.empty()) {
    answer.text = fmt::format("status {}", WEXITSTATUS(status));
  } else {
    answer.kind = received_.front() == answered_tag ? ForkedAnswer::Kind::answered
                  : received_.front() == threw_tag  ? ForkedAnswer::Kind::threw
                                                    : ForkedAnswer::Kind::no_memory;
    answer.text = received_.substr(1);
  }
  return answer;
}

} // namespace gradflight
