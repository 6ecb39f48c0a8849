// Work in a process of its own: SimGrid's engine is global, so a process can run one simulation; and
// what fails, hangs or eats memory takes nothing else with it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <sys/types.h>

namespace gradflight {

struct ForkLimits {
  std::optional<double> wall_s;              ///< for the parent to enforce: see time_left()
  std::optional<std::uint64_t> memory_bytes; ///< private memory of the child (RLIMIT_DATA)
};

struct ForkedAnswer {
  enum class Kind {
    answered,  ///< `text` is what the work returned
    threw,     ///< `text` is what the exception said
    no_memory, ///< the limit, or the machine's
    stopped,   ///< by stop(), or by a signal: `text` names it
    vanished   ///< it ended without an answer: `text` has the status
  };
  Kind kind = Kind::vanished;
  std::string text;
  double wall_s = 0;
  std::int64_t max_rss_bytes = 0;
};

class ForkedWork {
public:
  /// Forks. No SimGrid object may exist in this process. Throws std::runtime_error where there is no process to be had.
  explicit ForkedWork(const std::function<std::string()>& work, const ForkLimits& limits = {});
  ~ForkedWork(); ///< kills what still runs
  ForkedWork(ForkedWork&& other) noexcept;
  ForkedWork& operator=(ForkedWork&& other) noexcept;

  [[nodiscard]] int descriptor() const { return pipe_; }
  /// Reads what there is, blocking for the first byte. True when the child has closed its end.
  bool read_some();
  /// Seconds until the wall-clock limit, not below 0; empty: no limit.
  [[nodiscard]] std::optional<double> time_left() const;
  void stop() const;
  /// Reaps the child; call once, after read_some returned true or stop().
  ForkedAnswer finish();

private:
  using Clock = std::chrono::steady_clock;
  pid_t pid_ = -1;
  int pipe_ = -1;
  std::string received_;
  Clock::time_point start_;
  std::optional<double> wall_limit_;
};

} // namespace gradflight
