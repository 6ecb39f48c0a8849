// What a run adds up on the way: bytes, time with messages in flight or ranks computing, iterations.
#pragma once

#include "sim/result.hpp"

#include <cstdint>
#include <deque>
#include <vector>

namespace gradflight {

/// Iterations whose ends a result lists one by one; of longer runs only the first ones.
inline constexpr std::size_t iterations_listed = 10'000;

class Accounts {
public:
  /// A phase begins: its marks come from `quorum` ranks an iteration.
  void begin_phase(int quorum, std::size_t ranks, double now);

  void message_posted(double payload, double wire, double now) {
    ++messages;
    payload_bytes += payload;
    wire_bytes += wire;
    elapse(now);
    ++in_flight_;
  }
  void message_arrived(double wire, double now) {
    received_bytes += wire;
    elapse(now);
    --in_flight_;
  }
  void computing(int change, double now) {
    elapse(now);
    computing_ += change;
  }
  void computed(std::size_t rank, double seconds) { compute_[rank] += seconds; }
  /// A rank has the updated model of the phase's iteration `iteration`. True when it was the one that completed the
  /// quorum.
  bool mark(std::int64_t iteration, bool draining, double now, const Path& path);

  void fill(RunResult& result) const;

  std::int64_t messages = 0, dropped = 0;
  double payload_bytes = 0, wire_bytes = 0, received_bytes = 0;
  [[nodiscard]] std::int64_t in_flight() const { return in_flight_; }

private:
  struct Update {
    double time = 0;
    Path path{};
  };
  void elapse(double now) {
    if (now > last_) {
      if (in_flight_ > 0) {
        communication_ += now - last_;
        if (computing_ == 0) exposed_ += now - last_;
      }
      last_ = now;
    }
  }

  std::int64_t in_flight_ = 0;
  int computing_ = 0;
  double last_ = 0, communication_ = 0, exposed_ = 0;
  std::vector<double> compute_;
  int quorum_ = 1;
  std::deque<int> marks_;          ///< ranks that have marked iteration base_ + i
  std::int64_t base_ = 0, done_ = 0;
  std::vector<IterationResult> listed_;
  Update phase_start_, before_last_, last_update_, steady_before_, steady_last_;
  std::int64_t phase_updates_ = 0, steady_updates_ = 0;
};

} // namespace gradflight
