// One piece of work in a separate process, with limits.
#pragma once

#include "analysis/run/child_process.hpp"
#include "analysis/run/work.hpp"

#include <chrono>
#include <optional>

namespace gradflight {

struct WorkLimits {
  std::optional<double> wall_s{};              ///< enforced by the parent: see time_left()
  std::optional<std::uint64_t> memory_bytes{}; ///< private memory of the child (RLIMIT_DATA)
  [[nodiscard]] bool any() const { return wall_s || memory_bytes; }
};

class ForkedWork {
public:
  /// Forks; see ChildProcess.
  ForkedWork(const Work& work, std::size_t index, const WorkLimits& limits = {});

  [[nodiscard]] std::size_t index() const { return index_; }
  [[nodiscard]] int descriptor() const { return answer_.get(); }
  /// Reads available bytes; blocks for the first byte. Returns true if the child has closed its end.
  bool read_some();
  /// Returns the seconds until the time limit, at least 0; empty: no limit.
  [[nodiscard]] std::optional<double> time_left() const;
  /// Waits for the end of the child. Kills it first if it has not closed its end, because its time is over. Call it
  /// once.
  WorkEnd finish();

private:
  using Clock = std::chrono::steady_clock;
  ForkedWork(const Work& work, std::size_t index, const WorkLimits& limits, std::pair<Descriptor, Descriptor> ends);
  std::size_t index_;
  Descriptor answer_;
  Clock::time_point start_;
  std::optional<double> wall_limit_;
  ChildProcess child_;
  std::string received_;
  bool closed_ = false;
};

} // namespace gradflight
