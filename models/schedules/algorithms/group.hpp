// The work of one group of a hierarchy: bring the members' sum to the master, and the master's result back.
//
// Positions: members 0..k-1; the master is member 0, or position k if it is a separate aggregator (dedicated). Below, m
// is the number of members that the master communicates with: k - 1, or k if dedicated; r = ceil(log2(m+1)).
// Reduce, time for k dividing n:
//   flat        alpha + m n beta + (k-1) n gamma: every member sends its vector at once
//   binomial    r (alpha + n beta + n gamma)
//   ring        (k-1) alpha + ((k-1)/k) n (beta + gamma), then alpha + (m/k) n beta: ring reduce-scatter, then every
//               member sends its finished block at once (GradientFlow Fig. 7(b) "ring-based reduce")
//   allreduce   2(k-1) alpha + 2((k-1)/k) n beta + ((k-1)/k) n gamma (INCEPTIONN Alg. 1); then, to a
//               dedicated master only, the finished blocks as above
// A dedicated master takes the first vector without reduction: the first round of its binomial tree has no gamma at the
// root.
// Broadcast:
//   flat        alpha + m n beta
//   binomial    r (alpha + n beta)
//   ring        alpha + (m/k) n beta, then (k-1) (alpha + (n/k) beta): scatter of blocks at once, then ring all-gather
//               (van de Geijn; Thakur et al. 2005), which sends a master nothing that it already has
// Receives name their sender: a message of another level may come first, so `anyone` would take the wrong one.
#pragma once

#include "models/schedules/parts/exchange.hpp"
#include "models/schedules/parts/schedule.hpp"

namespace gradflight {

/// Steps first..first+count-1 of a participant.
struct Span {
  int first = 0, count = 0;
};

/// A group's work in four parts, in order: the members' ring, the way to the master, the way back, the members' ring.
/// Trees have no rings.
enum class GroupPart : std::uint8_t { ring_up, up, down, ring_down };

/// One participant's position in a group. In the steps, to and from are positions.
struct GroupSeat {
  int members = 1; ///< k >= 1
  bool dedicated = false;
  int position = 0;

  [[nodiscard]] int master() const { return dedicated ? members : 0; }
  [[nodiscard]] bool is_master() const { return position == master(); }
  [[nodiscard]] bool is_member() const { return position < members; }
  [[nodiscard]] int partners() const { return dedicated ? members : members - 1; } ///< of the master
  /// The master's partner number i, 0..partners()-1.
  [[nodiscard]] int partner(int i) const { return dedicated ? i : i + 1; }

  [[nodiscard]] int reduce_steps(GroupReduce how) const;
  [[nodiscard]] Step reduce_step(GroupReduce how, std::int64_t n, int index) const;
  [[nodiscard]] int broadcast_steps(GroupBroadcast how) const;
  [[nodiscard]] Step broadcast_step(GroupBroadcast how, std::int64_t n, int index) const;

  /// Returns the reduction's steps that belong to ring_up or up, or the broadcast's that belong to down or ring_down.
  [[nodiscard]] Span span(GroupPart part, GroupReduce reduce, GroupBroadcast broadcast) const;
};

} // namespace gradflight
