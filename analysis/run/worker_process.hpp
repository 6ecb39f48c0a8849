// Work in the threads of one child process.
//
// Threads share loaded data and do not need a process each. The child protects the calling process from crashes, and
// from limits set by a shell. The calling process has no other threads, so it may fork at any time: a new worker
// process after a crash, or processes for other work.
#pragma once

#include "analysis/run/child_process.hpp"
#include "analysis/run/work.hpp"

#include <functional>
#include <set>

namespace gradflight {

class WorkerProcess {
public:
  /// Forks; see ChildProcess. `threads` threads call `work` concurrently, each with one index at a time.
  WorkerProcess(const Work& work, int threads);

  [[nodiscard]] int descriptor() const { return connection_.get(); }
  /// Queues the work `index`. Returns false if the queue is full; read an answer before the next try.
  bool submit(std::size_t index);
  /// Indices that were given and are not answered yet.
  [[nodiscard]] const std::set<std::size_t>& pending() const { return pending_; }
  /// Reads available bytes; blocks for the first byte. Calls `report` for each completed index. Returns false if the
  /// worker process is dead and the pending work is lost.
  bool read_some(const std::function<void(std::size_t index, WorkEnd end)>& report);

private:
  WorkerProcess(const Work& work, int threads, std::pair<Descriptor, Descriptor> ends);
  Descriptor connection_;
  std::set<std::size_t> pending_;
  std::string received_;
  ChildProcess child_;
};

/// What the worker process does at its end of `connection`. Reads indices and answers each of them, in `threads`
/// threads including this one. Returns when the other end closes.
void serve(int connection, const Work& work, int threads);

} // namespace gradflight
