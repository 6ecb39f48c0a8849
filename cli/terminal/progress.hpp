// A line on standard error that says how far a long run is; only on a terminal, only after a second.
#pragma once

#include <chrono>
#include <cstdint>

namespace gradflight::cli {

class Progress {
public:
  Progress();
  ~Progress(); ///< wipes the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(double simulated_s, std::int64_t messages);

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_, last_;
  bool wanted_, shown_ = false;
};

} // namespace gradflight::cli
