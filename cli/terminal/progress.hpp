// A line on standard error that says how far a long run is; only on a terminal, only after a second.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

namespace gradflight::cli {

class Progress {
public:
  /// `all`: the messages of the whole run; asked for once, when the line is first shown.
  explicit Progress(std::function<double()> all);
  ~Progress(); ///< wipes the line
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
