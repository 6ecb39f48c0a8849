// A line on standard error with the progress of a long run; only on a terminal, and only after a second.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

namespace gradflight::cli {

class Progress {
public:
  /// `all` returns the number of messages of the whole run; called once, when the line first appears.
  explicit Progress(std::function<double()> all);
  ~Progress(); ///< clears the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(double simulated_s, std::int64_t messages);

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_, last_;
  bool wanted_, shown_ = false;
  std::function<double()> count_all_;
  double all_ = 0;
};

} // namespace gradflight::cli
