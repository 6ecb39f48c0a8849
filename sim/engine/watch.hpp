// Watches a run: enforces its limits and reports its progress.
#pragma once

#include "sim/engine/streams/engine_options.hpp"
#include "sim/engine/streams/rank_work.hpp"

#include <chrono>
#include <optional>

namespace gradflight {

class Watch {
public:
  /// Limits in seconds: of the simulated clock, and of the computer's clock from now on.
  Watch(const Streams& streams, const Tracks& tracks, std::optional<double> simulated_time,
        std::optional<double> wall_time, const Progress& progress)
      : streams_(streams), tracks_(tracks), simulated_time_(simulated_time), wall_time_(wall_time),
        progress_(progress) {}

  /// The simulated clock has reached `now`. Throws SimulationFailure past its limit.
  void pass(double now) const {
    if (simulated_time_ && now > *simulated_time_) give_up_simulated();
  }
  /// `events` more events have been handled; checks the computer's clock now and then. Throws like pass().
  void handled(std::size_t events, double now) {
    events_ += events;
    if (events_ < glance_after) return;
    events_ = 0;
    if (wall_time_) look(now, 0);
  }
  /// Inside a shortcut, with `inside` messages not yet booked: checks both clocks, and reports progress.
  void look_inside(double now, std::int64_t inside) const {
    pass(now);
    if (wall_time_) look(now, inside);
    if (progress_) progress_(now, tracks_.messages() + inside);
  }

private:
  static constexpr std::size_t glance_after = 1 << 16;
  using Clock = std::chrono::steady_clock;
  void look(double now, std::int64_t inside) const;
  [[noreturn]] void give_up_simulated() const;

  const Streams& streams_;
  const Tracks& tracks_;
  std::optional<double> simulated_time_, wall_time_;
  const Progress& progress_;
  Clock::time_point start_ = Clock::now();
  std::size_t events_ = 0;
};

} // namespace gradflight
