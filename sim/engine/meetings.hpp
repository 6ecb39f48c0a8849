// Where streams wait for each other: at a barrier, in a whole collective, for a count of signals.
#pragma once

#include "sim/engine/calendar/calendar.hpp"
#include "sim/engine/network/link_ledger.hpp"
#include "sim/engine/streams/rank_work.hpp"
#include "sim/engine/watch.hpp"

namespace gradflight {

class Meetings {
public:
  Meetings(Calendar& calendar, Streams& streams, Tracks& tracks, LinkLedger& ledger, const RankWork& rank_work,
           const Watch& watch)
      : calendar_(calendar), streams_(streams), tracks_(tracks), ledger_(ledger), rank_work_(rank_work), watch_(watch) {
  }

  /// Returns true for the last member to come. All members then continue with its path, since they have waited for it.
  /// If others have come at the same instant, theirs may be the path that is preferred.
  bool meet(std::uint32_t s, double now);
  /// The last rank to enter lets all ranks continue to their ends.
  void enter(std::uint32_t s, const CollectiveOp& op, double now);
  /// Returns true if the count has been reached.
  bool wait(std::uint32_t s, const WaitOp& op, double now);
  void signal(std::uint32_t s, const SignalOp& op, double now);

private:
  /// Whether a path that may have come only now is preferred to another one that has.
  [[nodiscard]] bool preferred(const TracedPath& path, const TracedPath& other, double now) const {
    return tracks_.ties.prefer_at(calendar_.epoch() + now, path, other);
  }

  Calendar& calendar_;
  Streams& streams_;
  Tracks& tracks_;
  LinkLedger& ledger_;
  const RankWork& rank_work_;
  const Watch& watch_;
};

} // namespace gradflight
