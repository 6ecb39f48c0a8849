// Calls that go as earlier calls of the same run have gone, without a message for each.
//
// A stretch of a run begins where the executor's clock begins anew: at an instant at which all ranks come to a call as
// they become ready for it, with no message of an earlier call under way nor any credit; but not at the first such
// instant of a pass. In it go all calls up to the next such instant. What happens in it follows, to the bit, from
//   the kinds of its calls, and when ranks will be ready for them (Plan::calls_ahead),
//   the links, which stay as they are, and
//   what has held up each rank's path before: that decides between paths of one length (more_even).
// Of each rank and call this notes the end, and what the critical path has gained since the beginning; of all together,
// bytes, flights and what links have carried. A later stretch that begins alike is not simulated if its next call comes
// later than all that was noted. This compares what the plan has foreseen with what happens, and throws ShortcutFails
// where they differ.
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

  /// A plan begins. `track`: its own, the only one, where it has named its calls and depends_on_state_alone; else null.
  /// `repeats`: stretches may be repeated.
  void begin_plan(Track* track, bool repeats);
  /// A rank has come to a call. True when it goes on at once.
  bool begin(std::uint32_t s, const CallBeginOp& op, double now);
  /// A rank is through a call. True when it goes on at once; else its end is an event.
  bool end(std::uint32_t s, const CallEndOp& op, double now);
  /// A rank's computation has signalled that it is ready for a call.
  void ready(const Stream& computation, double now) {
    if (track_ != nullptr) note_ready(computation, now);
  }
  /// All that happens at an instant has happened, but that some ranks have come to a call and wait for others.
  [[nodiscard]] bool any_waiting() const { return !waiting_.empty(); }
  /// Likewise, and all ranks have come: a stretch may end, and with a clock that begins anew the next one begins.
  /// Not at the first such instant of a pass: a run whose calls wait for each other from then on goes by one clock.
  [[nodiscard]] bool all_wait(double now);
  void end_stretch();
  void begin_stretch();
  /// They go on, without a stretch.
  void release();
  /// What paths go on from.
  void add_kept_delays(std::vector<DelayId*>& paths);
  /// Messages that were not simulated.
  [[nodiscard]] std::int64_t messages() const { return messages_; }

private:
  /// Of a rank and call: when it ended, since the stretch began, and what its critical path has gained.
  struct End {
    double after = 0;
    std::uint32_t origin = 0; ///< the rank through which the path has come at the beginning
    Path path{};
    HeldBy held{};
    double straggling = 0;
    std::vector<LinkDelay> delays;
  };
  struct Carried {
    std::int32_t link;
    double bytes, busy;
  };
  /// Times since its beginning.
  struct Stretch {
    std::vector<CallAhead> calls;
    std::vector<HeldBy> held; ///< of each rank's path at the beginning
    std::vector<End> ends;    ///< of each call, rank by rank
    std::vector<Flight> flights;
    std::vector<Carried> links;
    std::size_t bytes = 0; ///< of memory, that most of this takes
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
  Track* track_ = nullptr; ///< null: no calls are named
  bool repeats_ = false;
  std::size_t ranks_ = 0;
  std::int64_t messages_ = 0;
  std::list<Stretch> known_; ///< the latest first
  std::size_t known_bytes_ = 0;

  // at an instant
  std::vector<std::uint32_t> waiting_; ///< streams that have come to a call, until all have
  std::int64_t waiting_call_ = 0;
  std::int64_t foreseen_ = 0; ///< calls of passes that have had such an instant
  double last_end_ = -1;      ///< of a rank and call, since the clock began; below 0: there was none
  struct Ready {
    double at = -1; ///< below 0: never
    std::int64_t first = 0;
  };
  std::vector<Ready>
      ready_; ///< of each rank: when it was ready for call `first`, and for none since but at that instant

  // of the stretch under way
  Mode mode_ = Mode::passing;
  std::int64_t first_ = 0;  ///< call
  std::int64_t to_end_ = 0; ///< calls of ranks that have begun and not ended
  std::vector<CallAhead> ahead_;
  std::vector<TracedPath> base_; ///< of each rank, at the beginning
  // while it is noted
  Stretch noted_;
  Flights flights_;
  std::vector<LinkUse> links_before_;
  std::int64_t messages_before_ = 0;
  double payload_before_ = 0, wire_before_ = 0;
  std::size_t looked_at_ = 0; ///< delays
  // while it is repeated
  const Stretch* same_ = nullptr;
};

} // namespace gradflight
