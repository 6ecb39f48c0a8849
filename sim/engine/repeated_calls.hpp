// Calls that repeat earlier calls of the same run, without simulating their messages.
//
// A stretch of a run begins where the executor's clock restarts: at an instant at which all ranks reach a call as
// they become ready for it, with no message or credit of an earlier call under way. The first such instant of a pass
// does not count. The stretch contains all calls up to the next such instant. Its events follow, to the bit, from
//   the kinds of its calls, and when ranks will be ready for them (Plan::calls_ahead),
//   the links, which stay as they are, and
//   the delays on each rank's path before it: these decide between paths of equal length (more_even).
// For each rank and call, this class notes the end and what the critical path has gained since the stretch began. For
// all ranks together it notes bytes, flights and what links have carried. A later stretch that begins alike is not
// simulated if its next call comes later than all that was noted. The class compares what the plan has predicted with
// what happens, and throws ShortcutFails where they differ.
#pragma once

#include "sim/engine/calendar/calendar.hpp"
#include "sim/engine/network/machine.hpp"
#include "sim/engine/streams/rank_work.hpp"
#include "sim/engine/transport/transport.hpp"
#include "sim/plan/plan.hpp"

#include <list>
#include <vector>

namespace gradflight {

class RepeatedCalls {
public:
  RepeatedCalls(Calendar& calendar, Streams& streams, Machine& machine, Transport& transport)
      : calendar_(calendar), streams_(streams), machine_(machine), transport_(transport) {}

  /// A plan begins. `track`: the only track, if its plan has named its calls and depends_on_state_alone; else null.
  /// `repeats`: stretches may be repeated.
  void begin_plan(Track* track, bool repeats);
  /// A rank has reached a call. Returns true if it continues at once.
  bool begin(std::uint32_t s, const CallBeginOp& op, double now);
  /// A rank has ended a call. Returns true if it continues at once; otherwise its end is an event.
  bool end(std::uint32_t s, const CallEndOp& op, double now);
  /// A rank's computation has signalled that it is ready for a call.
  void ready(const Stream& computation, double now) {
    if (track_ != nullptr) note_ready(computation, now);
  }
  /// Whether, at the end of an instant, some ranks have reached a call and wait for the others.
  [[nodiscard]] bool any_waiting() const { return !waiting_.empty(); }
  /// Whether all ranks have: then a stretch may end, and the next one begins with a clock that restarts. False at
  /// the first such instant of a pass: if calls wait for each other from then on, the run keeps one clock.
  [[nodiscard]] bool all_wait(double now);
  void end_stretch();
  void begin_stretch();
  /// The waiting ranks continue, without a stretch.
  void release();
  /// Appends the delays that noted paths continue from.
  void add_kept_delays(std::vector<DelayId*>& paths);
  /// Number of messages that were not simulated.
  [[nodiscard]] std::int64_t messages() const { return messages_; }

private:
  /// For a rank and call: its end, counted from the beginning of the stretch, and what its critical path has gained.
  struct End {
    double after = 0;
    std::uint32_t origin = 0; ///< the rank that the path came through at the beginning
    Path path{};
    HeldBy held{};
    PathDetails details{};
    std::vector<LinkDelay> delays;
  };
  struct Carried {
    std::int32_t link;
    double bytes, busy;
  };
  /// Times count from its beginning.
  struct Stretch {
    std::vector<CallAhead> calls;
    std::vector<HeldBy> held; ///< of each rank's path at the beginning
    std::vector<End> ends;    ///< of each call, rank by rank
    std::vector<Flight> flights;
    std::vector<Carried> links;
    std::size_t bytes = 0; ///< of memory; counts the parts that take most of it
    std::int64_t messages = 0;
    double payload = 0, wire = 0;
    double credits = 0; ///< when the last sender learns of its last credit
    double over = 0;    ///< when all of this has happened
  };
  enum class Mode { passing, noting, repeating };

  void note_ready(const Stream& computation, double now);
  [[nodiscard]] bool quiet(double now) const;
  [[nodiscard]] const Stretch* find_same() const;
  void repeat(const Stretch& same);
  void begin_noting();
  void note(const Stream& stream, std::int64_t call, double now);
  void stop_noting();
  [[nodiscard]] TracedPath path_after(const End& end);

  Calendar& calendar_;
  Streams& streams_;
  Machine& machine_;
  Transport& transport_;
  Track* track_ = nullptr; ///< null: no plan has named its calls
  bool repeats_ = false;
  std::size_t ranks_ = 0;
  std::int64_t messages_ = 0;
  std::list<Stretch> known_; ///< the latest first
  std::size_t known_bytes_ = 0;

  // at one instant:
  std::vector<std::uint32_t> waiting_; ///< streams that have reached a call, until all have
  std::int64_t waiting_call_ = 0;
  std::int64_t foreseen_ = 0; ///< calls of passes that have had such an instant
  double last_end_ = -1;      ///< when the last rank ended a call, since the clock began; below 0: none did
  struct Ready {
    double at = -1; ///< below 0: never
    std::int64_t first = 0;
  };
  std::vector<Ready>
      ready_; ///< of each rank: it became ready for call `first` then, and for later calls only at the same instant

  // of the stretch under way:
  Mode mode_ = Mode::passing;
  std::int64_t first_ = 0;  ///< call
  std::int64_t to_end_ = 0; ///< number of calls, over all ranks, that have begun and not ended
  std::vector<CallAhead> ahead_;
  std::vector<TracedPath> base_; ///< of each rank, at the beginning
  // while it is noted:
  Stretch noted_;
  Flights flights_;
  std::vector<LinkUse> links_before_;
  std::int64_t messages_before_ = 0;
  double payload_before_ = 0, wire_before_ = 0;
  std::size_t looked_at_ = 0; ///< number of delays looked at
  // while it is repeated:
  const Stretch* same_ = nullptr;
};

} // namespace gradflight
