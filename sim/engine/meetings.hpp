// Where streams wait for one another: a barrier, a whole collective, a count of signals.
#pragma once

#include "sim/engine/calendar/calendar.hpp"
#include "sim/engine/network/link_ledger.hpp"
#include "sim/engine/rank_work.hpp"

namespace gradflight {

class Meetings {
public:
  Meetings(Calendar& calendar, Streams& streams, Tracks& tracks, LinkLedger& ledger, const RankWork& rank_work,
           const Progress& progress)
      : calendar_(calendar), streams_(streams), tracks_(tracks), ledger_(ledger), rank_work_(rank_work),
        progress_(progress) {}

  /// True for the last member to come, which all of them then leave with: it is what they have waited for.
  bool meet(std::uint32_t s);
  /// The last rank to enter sets all of them off to their ends.
  void enter(std::uint32_t s, const CollectiveOp& op, double now);
  /// True when the count has been reached.
  bool wait(std::uint32_t s, const WaitOp& op);
  void signal(std::uint32_t s, const SignalOp& op);

private:
  Calendar& calendar_;
  Streams& streams_;
  Tracks& tracks_;
  LinkLedger& ledger_;
  const RankWork& rank_work_;
  const Progress& progress_;
};

} // namespace gradflight
