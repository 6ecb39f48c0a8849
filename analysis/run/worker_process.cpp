#include "analysis/run/worker_process.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <sys/resource.h>
#include <sys/socket.h>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace gradflight {
namespace {

/// Header of each answer.
struct Head {
  std::size_t index, size;
};

std::int64_t peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::int64_t>(usage.ru_maxrss) * 1024;
}

} // namespace

void serve(int connection, const Work& work, int threads) {
  std::mutex reading, writing;
  const auto loop = [&] {
    for (;;) {
      std::size_t index = 0;
      {
        const std::lock_guard lock(reading);
        if (!receive_all(connection, reinterpret_cast<char*>(&index), sizeof index)) return;
      }
      WorkEnd end = done(work, index, Process::shared);
      end.max_rss_bytes = peak_memory();
      const auto bytes = to_bytes(end);
      const Head head{index, bytes.size()};
      const std::lock_guard lock(writing);
      if (!send_all(connection, {reinterpret_cast<const char*>(&head), sizeof head}) || !send_all(connection, bytes))
        return;
    }
  };
  std::vector<std::jthread> others;
  try {
    for (int i = 1; i < threads; ++i) others.emplace_back(loop);
  } catch (const std::system_error&) { // no more threads are available: the existing ones do all work
  }
  loop();
}

WorkerProcess::WorkerProcess(const Work& work, int threads) : WorkerProcess(work, threads, gradflight::connection()) {}

WorkerProcess::WorkerProcess(const Work& work, int threads, std::pair<Descriptor, Descriptor> ends)
    : connection_(std::move(ends.first)), child_([&] {
        connection_.reset();
        serve(ends.second.get(), work, threads);
      }) {}

bool WorkerProcess::submit(std::size_t index) {
  // Does not wait, because the worker process may itself wait until its answers are read.
  const ssize_t n = send(connection_.get(), &index, sizeof index, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  pending_.insert(index); // reading detects a dead worker process
  return true;
}

bool WorkerProcess::read_some(const std::function<void(std::size_t index, WorkEnd end)>& report) {
  std::array<char, 65536> buffer{};
  const ssize_t n = recv(connection_.get(), buffer.data(), buffer.size(), 0);
  if (n == 0 || (n < 0 && errno != EINTR)) return false;
  if (n > 0) received_.append(buffer.data(), static_cast<std::size_t>(n));
  std::size_t read = 0;
  for (Head head{}; received_.size() - read >= sizeof head; read += sizeof head + head.size) {
    std::memcpy(&head, received_.data() + read, sizeof head);
    if (received_.size() - read - sizeof head < head.size) break;
    auto end = end_of(std::string_view(received_).substr(read + sizeof head, head.size));
    pending_.erase(head.index);
    report(head.index, std::move(end));
  }
  received_.erase(0, read);
  return true;
}

} // namespace gradflight
