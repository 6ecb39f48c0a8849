// Carries out plans: every stream of every rank runs its program, operation by operation, as time goes on.
//
// Knows nothing of what plans are for, nor of SimGrid: a driver calls advance(), a Network moves bytes. Several
// sequences of plans share its links, calendar and messages; each has streams, accounts and an end of its own. Memory
// is O(streams + messages under way).
#pragma once

#include "sim/engine/changes/outage_log.hpp"
#include "sim/engine/exchange_steps.hpp"
#include "sim/engine/meetings.hpp"
#include "sim/engine/repeated_calls.hpp"
#include "sim/engine/streams/engine_options.hpp"
#include "sim/engine/streams/iteration_history.hpp"
#include "sim/engine/watch.hpp"

namespace gradflight {

class Executor {
public:
  /// Each sequence begins at its start(). `spec`, `platform` and the sequences must outlive this.
  Executor(const PlatformSpec& spec, const Platform& platform, std::span<PlanSequence* const> plans,
           const EngineOptions& options);
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  Calendar& calendar() { return calendar_; }
  Transport& transport() { return transport_; }
  Machine& machine() { return machine_; }

  /// With a network for the transport to use.
  void start();
  /// When something happens next; Calendar::never: nothing will. Of this and advance(), since the beginning of the run.
  [[nodiscard]] double next() const {
    const double event = calendar_.epoch() + calendar_.next();
    return changes_.next() < event ? next_change(event) : event;
  }
  /// Handles every event up to and including `now`, then, of an instant, its changes.
  void advance(double now) { advance(now, now); }
  /// Likewise, but changes only up to `changes_until` (the reference engine: once all that ends at an instant has).
  void advance(double now, double changes_until);
  /// After arrivals from outside advance() (the reference engine): runs what they have released.
  void settle(double now);
  /// The run ended before `now`, though not everything under way has: late backup workers are left behind.
  [[nodiscard]] bool over_before(double now) const { return over_ && now > end(); }

  /// Throws SimulationFailure where a stream has not ended or bytes are missing.
  PlansResult finish();

private:
  [[nodiscard]] double next_change(double event) const;
  void change(double now);
  void apply(const PlatformChange& change, double now);
  void watch_ring(Track& track);
  [[nodiscard]] std::string what_is_down(double now) const;
  [[nodiscard]] double last_progress() const;
  void glance(double now);
  [[nodiscard]] bool stuck(double now) const;
  void load(std::uint32_t plan, Plan& next, double now);
  void place_streams(std::uint32_t plan);
  [[nodiscard]] bool depends_on_state_alone(const Plan& next) const;
  [[nodiscard]] bool clock_may_begin_anew(double now) const;
  void begin_clock_anew(double now);
  void ask_for(const Event& event) const;
  void ask_closer(const Event& event) const;
  void look_ahead() const;
  void handle_due(double now);
  void handle(const Event& event, double now);
  void note(const Event& event, double now);
  void run_ready(double now);
  void run(std::uint32_t s, double now);
  bool begin_op(std::uint32_t s, double now);
  void mark(std::uint32_t s, const MarkOp& op, double now);
  void end_stream(std::uint32_t s, double now);
  void begin_next_plans(double now);
  void check_complete(const Track& track) const;
  [[noreturn]] void fail_beyond_doubles() const;
  [[nodiscard]] std::vector<DelayId*> delayed_paths();
  [[nodiscard]] double end() const;

  const EngineOptions options_;
  ChangeCalendar changes_;
  Speeds speeds_;
  Machine machine_;
  Calendar calendar_;
  Streams streams_;
  Tracks tracks_;
  Recorder recorder_;
  Watch watch_;
  RankWork rank_work_;
  Transport transport_;
  BackgroundFlows background_;
  ExchangeSteps steps_;
  Meetings meetings_;
  RepeatedCalls calls_;
  std::vector<Event> due_;
  std::vector<const PlatformChange*> due_changes_;
  std::vector<std::uint32_t> through_; ///< tracks whose streams have all ended, of a plan that is not the last
  std::uint64_t glance_at_ = 1 << 12;  ///< when background_.stirs() is as many
  bool links_changed_ = false; ///< after the start: a faster link may then gain more than what it has held up, ...
                               ///< ... and of paths of one length none says more than another
  bool over_ = false;          ///< nothing that may still be under way counts
  double last_run_ = 0;        ///< when a stream has gone on last
  OutageLog outages_;
};

} // namespace gradflight
