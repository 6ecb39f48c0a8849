// Work in the threads of one child process.
//
// Threads share loaded data and do not need a process each. The child protects the calling process from crashes, and
// from limits set by a shell. The calling process has no other threads, so it may fork at any time: a new crew after a
// crash, or processes for other work.
#pragma once

#include "analysis/run/child_process.hpp"
#include "analysis/run/work.hpp"

#include <functional>
#include <set>

namespace gradflight {

class Crew {
public:
  /// Forks; see ChildProcess. `threads` threads call `work` concurrently, each with one index at a time.
  Crew(const Work& work, int threads);

  [[nodiscard]] int descriptor() const { return connection_.get(); }
  /// The crew does the work when a thread is free. Returns false if its queue is full until an answer is read.
  bool give(std::size_t index);
  /// Indices that were given and are not answered yet.
  [[nodiscard]] const std::set<std::size_t>& pending() const { return pending_; }
  /// Reads available bytes; blocks for the first byte. Calls `tell` for each completed index. Returns false if the crew
  /// is dead and the pending work is lost.
  bool read_some(const std::function<void(std::size_t index, WorkEnd end)>& tell);

private:
  Crew(const Work& work, int threads, std::pair<Descriptor, Descriptor> ends);
  Descriptor connection_;
  std::set<std::size_t> pending_;
  std::string received_;
  ChildProcess child_;
};

/// The crew's side of the connection. Reads indices and answers each until the other side closes, with `threads`
/// threads including this one.
void serve(int connection, const Work& work, int threads);

} // namespace gradflight
