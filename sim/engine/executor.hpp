// Executes plans: every stream of every rank runs its program, operation by operation, as time advances.
//
// The executor knows neither the purpose of a plan nor SimGrid: a driver calls advance(), a Network moves bytes.
// Several sequences of plans share its links, calendar and messages; each has its own streams, accounts and end. Memory
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

  /// Call after the transport has its network.
  void start();
  /// Returns when something happens next; Calendar::never: nothing will. Times count from the run's beginning.
  [[nodiscard]] double next() const {
    const double event = calendar_.epoch() + calendar_.next();
    return changes_.next() < event ? next_change(event) : event;
  }
  /// Handles every event up to and including `now`, and at each instant its changes after its events.
  void advance(double now) { advance(now, now); }
  /// The same, but changes only up to `changes_until` (the reference engine: after all transfers of an instant).
  void advance(double now, double changes_until);
  /// After arrivals from outside advance() (the reference engine): runs the streams that these have released.
  void settle(double now);
  /// The run ended before `now`, although some messages are still under way, of late backup workers.
  [[nodiscard]] bool over_before(double now) const { return over_ && now > end(); }

  /// Throws SimulationFailure if a stream has not ended or bytes are missing.
  PlansResult finish();

private:
  [[nodiscard]] double next_change(double event) const;
  void change(double now);
  [[nodiscard]] bool alters(const PlatformChange& change) const;
  void apply(const PlatformChange& change, double now);
  void watch_ring(Track& track);
  [[nodiscard]] std::string down_links_text(double now) const;
  [[nodiscard]] double last_progress() const;
  void glance(double now);
  [[nodiscard]] bool stuck(double now) const;
  void load(std::uint32_t plan, Plan& next, double now);
  void place_streams(std::uint32_t plan);
  [[nodiscard]] bool depends_on_state_alone(const Plan& next) const;
  [[nodiscard]] bool can_restart_clock(double now) const;
  void restart_clock(double now);
  void prefetch_objects(const Event& event) const;
  void prefetch_details(const Event& event) const;
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
  /// Whether paths may note changes, outages and other traffic.
  [[nodiscard]] bool has_events() const { return !options_.changes.empty() || !options_.traffic.empty(); }
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
  std::vector<std::uint32_t> through_; ///< tracks on which all streams have ended, in a plan that is not the last
  std::uint64_t glance_at_ = 1 << 12;  ///< the number of background_.stirs() at which to call glance()
  bool over_ = false;                  ///< whatever may still be under way does not count
  double last_run_ = 0;                ///< when a stream last ran
  OutageLog outages_;
};

} // namespace gradflight
