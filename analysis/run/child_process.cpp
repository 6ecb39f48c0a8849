#include "analysis/run/child_process.hpp"

#include "sim/simulate.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace gradflight {

ChildProcess::ChildProcess(const std::function<void()>& body) {
  std::fflush(nullptr); // buffered output must not be written twice
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ < 0) throw SimulationFailure(fmt::format("cannot start a process: {}", std::strerror(errno)), {});
  if (pid_ > 0) return;
  prctl(PR_SET_PDEATHSIG, SIGKILL); // without the parent, no process reads the answers
  if (getppid() == parent) body();
  // Not exit(): buffers and SimGrid's globals are inherited, and the parent closes them.
  _exit(0);
}

ChildProcess::~ChildProcess() {
  if (pid_ < 0) return;
  kill();
  waitpid(pid_, nullptr, 0);
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept : pid_(std::exchange(other.pid_, -1)) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  std::swap(pid_, other.pid_);
  return *this;
}

void ChildProcess::kill() const { ::kill(pid_, SIGKILL); }

ProcessEnd ChildProcess::wait() {
  int status = 0;
  rusage usage{};
  while (wait4(pid_, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  const bool by_signal = WIFSIGNALED(status);
  return {by_signal,
          by_signal ? fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)))
                    : fmt::format("status {}", WEXITSTATUS(status)),
          static_cast<std::int64_t>(usage.ru_maxrss) * 1024};
}

Descriptor::Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

void Descriptor::reset() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

std::pair<Descriptor, Descriptor> connection() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw SimulationFailure(fmt::format("cannot connect two processes: {}", std::strerror(errno)), {});
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

bool send_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

bool receive_all(int fd, char* into, std::size_t size) {
  while (size > 0) {
    const ssize_t n = recv(fd, into, size, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    into += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

} // namespace gradflight
