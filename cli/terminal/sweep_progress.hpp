// A line on standard error that says how far a sweep or a batch of simulations is; only on a terminal.
#pragma once

#include "analysis/run/runner.hpp"

#include <chrono>
#include <cstdint>

namespace gradflight::cli {

class SweepProgress {
public:
  /// `before`: points of the `total` that were done already; `noun`: what they are called.
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

/// A line for each batch of simulations that it is told of; wiped when a batch is complete.
BatchProgress batch_progress();

} // namespace gradflight::cli
