// Totals of a run: bytes, times with messages in flight or ranks computing, iterations.
#pragma once

#include "sim/engine/accounts/flights.hpp"
#include "sim/engine/accounts/path_ties.hpp"
#include "sim/engine/accounts/worker_paces.hpp"
#include "sim/engine/changes/outage_log.hpp"
#include "sim/engine/network/delays.hpp"
#include "sim/result/result.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

namespace gradflight {

class Accounts {
public:
  /// Begins a phase, with the plan of this shape.
  void begin_phase(const PlanShape& shape, double now);

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
  /// Time `now` becomes 0 (Calendar::epoch); no message is in flight. Results count from the beginning of the run.
  void restart_clock(double now) {
    elapse(now);
    last_ = 0;
    epoch_ += now;
  }
  void computing(int more, double now) { change(now, more, 0); }
  /// From now on, messages may turn out later to have been under way: other activity is only noted ...
  void hold() { held_ = true; }
  /// ... until their number, bytes and times (past or future) are known.
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
  /// From now on, also adds the times with messages in flight to `noted`; null: stops that.
  void note_flights(Flights* noted) { noted_ = noted; }
  void computed(std::size_t rank, double seconds) { compute_[rank] += seconds; }
  /// `rank` has the updated model of the phase's iteration `iteration`. Returns true if its mark completes the quorum.
  bool mark(std::int32_t rank, std::int64_t iteration, bool draining, double now, const TracedPath& path,
            const PathTies& ties);
  /// Adds to the iteration that mark() has just completed the events of its path; `now` counts from the run's
  /// beginning.
  void list_events(const Delays& delays, const OutageLog& outages, double now) {
    listed_.back().events = events_of(delays, outages, before_last_update_, last_update_.path.last_delay, now);
  }
  /// Appends the delays that events of iterations may need.
  void add_kept_delays(std::vector<DelayId*>& paths);

  /// `end`: end of the run, counted from its beginning. Paths have events if `has_events` (add_kept_delays).
  void fill(RunResult& result, double end, bool has_events, const Delays& delays, const OutageLog& outages);

  std::int64_t messages = 0;
  std::int64_t lost = 0, rerouted = 0; ///< how often messages were lost, and rerouted
  double payload_bytes = 0, wire_bytes = 0, received_bytes = 0;
  [[nodiscard]] std::int64_t iterations_done() const { return done_; }
  [[nodiscard]] std::int64_t in_flight() const { return in_flight_; }

private:
  struct Update {
    double time = 0;
    TracedPath path{};
  };
  void take_mean_of_busy(RunResult& result) const;
  static PathEvents events_of(const Delays& delays, const OutageLog& outages, DelayId from, DelayId last, double now);
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
  Flights flights_; ///< known times that have not yet passed
  Flights* noted_ = nullptr;
  bool held_ = false;
  struct Change {
    double time;
    int computing, in_flight;
  };
  std::vector<Change> changes_; ///< while held
  std::vector<double> compute_;
  int quorum_ = 1;
  struct Marks {
    int count = 0;
    Update last{}, before{}; ///< before: the same rank's mark before, with local steps
  };
  std::deque<Marks> marks_; ///< of the ranks that have marked iteration base_ + i
  std::int64_t base_ = 0, done_ = 0;
  KeptEnds<IterationResult> listed_;
  Update phase_start_, last_update_, steady_before_, steady_last_;
  DelayId before_last_update_ = 0; ///< the last delay of the update before last_update_
  Update own_before_;              ///< with local steps: the mark before steady_last_ of the same rank
  std::vector<Update> own_marks_;  ///< with local steps: the last one of each rank
  std::int64_t phase_updates_ = 0, steady_updates_ = 0;
  std::int64_t busy_updates_ = 0; ///< while every worker had work (WorkerPaces)
  std::optional<WorkerPaces> paces_{};
};

} // namespace gradflight
