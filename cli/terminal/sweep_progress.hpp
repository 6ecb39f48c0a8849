// A line on standard error with the progress of a sweep or a batch of simulations; only on a terminal.
#pragma once

#include "analysis/run/runner.hpp"

#include <chrono>
#include <cstdint>

namespace gradflight::cli {

class SweepProgress {
public:
  /// `before` is the number of points (of `total`) that were complete before; `noun` is the word for them.
  SweepProgress(std::int64_t total, std::int64_t before, const char* noun = "points");
  ~SweepProgress() { wipe(); }
  SweepProgress(const SweepProgress&) = delete;
  SweepProgress& operator=(const SweepProgress&) = delete;

  void update(std::int64_t done, std::int64_t not_ok);
  void wipe();

private:
  using Clock = std::chrono::steady_clock;
  std::int64_t total_, before_;
  const char* noun_;
  Clock::time_point start_, last_;
  bool wanted_, shown_ = false;
};

/// Returns a function that shows a line for each batch of simulations, and clears it when the batch is complete.
BatchProgress batch_progress();

} // namespace gradflight::cli
