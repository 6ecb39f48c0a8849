// Work in the threads of one child process.
//
// Threads share what is loaded and cost no process each; the child keeps a crash, or a limit that a shell has set, away
// from the process that asked. That process has no thread but its own, so it may fork at any time: a new crew where one
// died, and whatever needs a process of its own meanwhile.
#pragma once

#include "analysis/run/child_process.hpp"
#include "analysis/run/work.hpp"

#include <functional>
#include <set>

namespace gradflight {

class Crew {
public:
  /// Forks; see ChildProcess. `work` is called by `threads` threads at once, each with one index at a time.
  Crew(const Work& work, int threads);

  [[nodiscard]] int descriptor() const { return connection_.get(); }
  /// The crew does it when a thread is free. False: there is no room for more until an answer has been read.
  bool give(std::size_t index);
  /// Given, and not answered yet.
  [[nodiscard]] const std::set<std::size_t>& pending() const { return pending_; }
  /// Reads what there is, blocking for the first byte, and tells of each piece that came to an end. False: the crew is
  /// dead; nothing of what is pending will come.
  bool read_some(const std::function<void(std::size_t index, WorkEnd end)>& tell);

private:
  Crew(const Work& work, int threads, std::pair<Descriptor, Descriptor> ends);
  Descriptor connection_;
  std::set<std::size_t> pending_;
  std::string received_;
  ChildProcess child_;
};

/// The crew's side of the connection: until the other side is gone, reads indices and answers each, `threads` at a
/// time, this thread among them.
void serve(int connection, const Work& work, int threads);

} // namespace gradflight
