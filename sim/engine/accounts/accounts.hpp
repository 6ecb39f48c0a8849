// What a run adds up on the way: bytes, time with messages in flight or ranks computing, iterations.
#pragma once

#include "sim/engine/accounts/flights.hpp"
#include "sim/result/result.hpp"

#include <algorithm>
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
    change(now, 0, +1);
  }
  void message_arrived(double wire, double now) {
    received_bytes += wire;
    change(now, 0, -1);
  }
  /// Nothing is in flight: time `now` becomes 0 (Calendar::epoch). Results are times since the beginning of the run.
  void begin_clock_anew(double now) {
    elapse(now);
    last_ = 0;
    epoch_ += now;
  }
  void computing(int more, double now) { change(now, more, 0); }
  /// From now on messages may turn out, later, to have been under way: what else goes on is only noted ...
  void hold() { held_ = true; }
  /// ... until their number, bytes and times (past or future) are settled.
  void settled(std::int64_t count, double payload, double wire, const Flights& flights) {
    messages += count;
    payload_bytes += payload;
    wire_bytes += wire;
    received_bytes += wire;
    flights_.add(flights);
    held_ = false;
    for (const Change& noted : changes_) change(noted.time, noted.computing, noted.in_flight);
    changes_.clear();
  }
  /// From now on adds the times with messages in flight to `noted`, too; null: no more.
  void note_flights(Flights* noted) { noted_ = noted; }
  /// Of marks at one instant the last one's path counts, and not the one that is more even (more_even).
  void take_last_path() { even_ = false; }
  void computed(std::size_t rank, double seconds) { compute_[rank] += seconds; }
  /// A rank has the updated model of the phase's iteration `iteration`. True when it was the one that completed the
  /// quorum.
  bool mark(std::int64_t iteration, bool draining, double now, const Path& path, const HeldBy& held, double straggling);

  /// `end`: of the run, since its beginning.
  void fill(RunResult& result, double end);

  std::int64_t messages = 0, dropped = 0;
  std::int64_t lost = 0, rerouted = 0; ///< times that messages were lost, and went by another way
  double payload_bytes = 0, wire_bytes = 0, received_bytes = 0;
  [[nodiscard]] std::int64_t iterations_done() const { return done_; }
  [[nodiscard]] std::int64_t in_flight() const { return in_flight_; }

private:
  struct Update {
    double time = 0;
    Path path{};
    HeldBy held{};
    double straggling = 0;
  };
  void change(double now, int computing, int in_flight) {
    if (held_) {
      changes_.push_back({now, computing, in_flight});
      return;
    }
    elapse(now);
    computing_ += computing;
    in_flight_ += in_flight;
  }
  void communicated(double seconds) {
    communication_ += seconds;
    if (computing_ == 0) exposed_ += seconds;
  }
  void elapse(double now) {
    if (now <= last_) return;
    if (in_flight_ > 0) {
      communicated(now - last_);
      if (noted_ != nullptr) noted_->add({last_, now});
    }
    while (!flights_.empty() && flights_.front().begin < now) {
      const Flight& flight = flights_.front();
      if (in_flight_ == 0) communicated(std::max(0.0, std::min(flight.end, now) - std::max(flight.begin, last_)));
      if (flight.end > now) break;
      flights_.pop_front();
    }
    last_ = now;
  }

  std::int64_t in_flight_ = 0;
  int computing_ = 0;
  double epoch_ = 0;
  double last_ = 0, communication_ = 0, exposed_ = 0;
  Flights flights_; ///< settled, not yet elapsed
  Flights* noted_ = nullptr;
  bool held_ = false;
  struct Change {
    double time;
    int computing, in_flight;
  };
  std::vector<Change> changes_; ///< while held
  std::vector<double> compute_;
  int quorum_ = 1;
  bool even_ = true;
  struct Marks {
    int count = 0;
    Update last{};
  };
  std::deque<Marks> marks_; ///< of ranks that have marked iteration base_ + i
  std::int64_t base_ = 0, done_ = 0;
  std::vector<IterationResult> listed_;
  Update phase_start_, before_last_, last_update_, steady_before_, steady_last_;
  std::int64_t phase_updates_ = 0, steady_updates_ = 0;
};

} // namespace gradflight
