// A whole ring all-reduce at once: the same sums and maxima as with single messages, without an event for each.
//
// If no two edges of the ring share a link, and nothing else uses these links, a message never waits for bandwidth:
//   sent(i, s)  = max(at(i, s), at(i+1, s))                        both sides have reached step s
//   there(i, s) = sent(i, s) + alpha(i) + bytes / bandwidth(i)
//   at(j, s+1)  = max(there(j-1, s) + gamma(j) * bytes, there(j, s))
// (alpha and bytes / bandwidth are longer for a message sent during compute, see platform.rate_while_computing) for
// each rank i of the ring and step, from any times at which the ranks enter. Ranks may differ in speed, edges in alpha
// and bandwidth, blocks in size. Only a shared link breaks the recurrence; prove() then refuses.
//
// The ring may be part of a larger exchange: of masters with groups that reduce before it and broadcast after it. An
// edge carries messages only while both its ranks are in the ring: each waits for both, and a rank leaves only when its
// last message has arrived. So no other message meets the ring's messages on a link under two conditions. Every other
// message on an edge's links must have one of the edge's ranks as its sender or receiver. And it must be under way only
// while that rank is not in the ring:
//   messages that a rank sends before the ring have arrived when it enters, and those after the ring do not exist yet;
//   a message to the rank starts when the rank is at the step that receives it, or, buffered, at any time. But its
//   sender gets a message from the rank after the ring before it sends again, so the rank received all before the ring.
// The schedule promises the second condition (RingPart), routes show the first. No rank leaves a ring before all have
// entered. So when the last rank enters, the computed times lie in the past only for the accounts, which wait for them.
// If edges and ranks are all alike, a closed form exists (uniform_ring.hpp); large rings use it.
#pragma once

#include "sim/engine/accounts/accounts.hpp"
#include "sim/engine/network/delays.hpp"
#include "sim/engine/network/link_ledger.hpp"
#include "sim/engine/network/link_state.hpp"
#include "sim/engine/ring/ring_step.hpp"
#include "sim/engine/ring/uniform_ring.hpp"
#include "sim/plan/plan.hpp"

#include <functional>
#include <optional>
#include <utility>

namespace gradflight {

/// For each edge, from rank i to rank i + 1.
struct RingEdges {
  std::vector<Route> links;
  std::vector<double> alpha;
};
/// Empty unless the ring has its links to itself. The executor must ensure that the links do not change meanwhile.
/// `slowing`: factor on messages during compute, 1 or more.
std::optional<RingEdges> ring_edges(const Rings& rings, const std::vector<std::int32_t>& place,
                                    const Platform& platform, double slowing);

class RingShortcut {
public:
  /// Receives the time of the latest message so far, and the number of messages.
  using Pulse = std::function<void(double time, std::int64_t messages)>;

  /// Empty unless every exchange of the plan is a ring (Plan::rings) with ring_edges(). Only this plan uses the links.
  static std::optional<RingShortcut> prove(const Plan& plan, const Platform& platform, const LinkState& state,
                                           double slowing);

  /// Only times are needed: skips which messages are under way when, and what paths consist of.
  void only_times() { only_times_ = true; }
  /// From now on, paths note what changes of the links have cost them.
  void note_costs(Delays& delays) { delays_ = &delays; }

  struct Rank {
    double time = 0;
    TracedPath path{};
  };
  /// The ranks in the order of the ring.
  [[nodiscard]] const std::vector<std::int32_t>& members() const { return members_; }
  /// Rank `rank` is ready for the next exchange. Returns true if it is the last: then call finish().
  bool enter(int rank, double now, const TracedPath& path);
  /// Before finish(): the time of the first entry.
  [[nodiscard]] double first_entry() const;
  /// Marks the ring's links among the machine's.
  [[nodiscard]] std::vector<bool> marked_links(std::size_t links) const;
  /// Whether some link of the ring is down now: then the arrival of its messages is unknown.
  [[nodiscard]] bool any_link_down() const;
  /// Returns when each member ends the ring of a bucket, and what its time went to. Books messages, bytes, links and
  /// the time in flight. `slowing` and `computing_until` (of each rank of the plan): from the executor; slowing 1 reads
  /// no rank's. `pulse` is called now and then and at the end, and may throw.
  const std::vector<Rank>& finish(int bucket, Accounts& accounts, LinkLedger& ledger, double slowing,
                                  const std::vector<double>& computing_until, const Pulse& pulse);

private:
  /// Seconds for a block of n / p elements, rounded down and up, for each edge or rank.
  struct BlockTimes {
    std::vector<double> small, large;
    /// Writes the time of block `first` for the first edge or rank, and so on around the ring.
    void of_blocks_from(std::size_t first, std::size_t large_blocks, std::vector<double>& out) const;
  };
  RingShortcut(const Plan& plan, const LinkState& state, std::vector<double> gamma)
      : plan_(&plan), state_(&state), seconds_per_byte_(std::move(gamma)) {}
  void lay_out(int bucket);
  [[nodiscard]] std::optional<UniformSteps> uniform() const;
  [[nodiscard]] bool computes_alone(double slowing) const;
  [[nodiscard]] bool work_out_uniform(const UniformSteps& steps, double slowing);
  [[nodiscard]] bool work_out_overlapped(UniformSteps steps, double slowing);
  void take_ends(const UniformSteps& steps);
  void work_out_steps(double slowing, const Pulse& pulse);
  double step(std::size_t index, const RingStep& times);
  void lay_out_tiers();
  [[nodiscard]] double message_seconds(std::size_t edge) const { return alpha_[edge] + send_.large[edge]; }
  [[nodiscard]] double own_bandwidth(std::size_t edge) const;
  void find_changed_edges();
  void note_costs(TracedPath& path, double alpha, double beta) const;
  void hold_messages();
  void hold_ranks();
  void take_origins(RingLanes& lanes, std::size_t first);
  void book(Accounts& accounts, LinkLedger& ledger);

  const Plan* plan_;
  const LinkState* state_;
  Delays* delays_ = nullptr;
  bool only_times_ = false;
  std::vector<std::int32_t> members_;
  std::vector<std::uint32_t> member_;    ///< index in members_ of each rank of the plan
  std::vector<double> seconds_per_byte_; ///< of each rank's reductions
  std::vector<Route> links_;             ///< of the edge from rank i to rank i + 1
  double message_overhead_ = 0;
  std::vector<double> alpha_, bandwidth_; ///< of the same edge; bandwidth in this exchange
  std::vector<std::uint32_t> tiers_;      ///< of the same edge: tiers of its narrowest links (LinkState::Narrowest)
  bool same_tiers_ = true;                ///< all edges have the tiers of the first
  double changed_share_ = 0;              ///< of a message's seconds: due to changes of links, ...
  std::vector<std::size_t> changed_;      ///< ... namely of these edges
  RingVector vector_;                     ///< of this exchange
  std::vector<Rank> ranks_;
  std::size_t entered_ = 0;
  bool reduces_ = false;                     ///< whether any rank takes time to reduce
  std::size_t large_blocks_ = 0;             ///< the first n mod p blocks are one element larger
  double small_bytes_ = 0, large_bytes_ = 0; ///< dense
  BlockTimes send_, reduce_;
  std::vector<double> beta_, gamma_, slowed_, computing_; ///< of a step, see RingStep
  UniformRing uniform_;
  std::vector<UniformRing::End> ends_;
  RingLanes states_, messages_;
  /// If edges differ in their tiers: the seconds that links of one tier held up the path of each rank and message.
  struct TierLane {
    std::size_t tier = 0;        ///< index in HeldBy
    std::vector<double> of_edge; ///< this tier's share of an edge's seconds
    std::vector<double> ranks, messages;
  };
  /// A path that reaches a rank or message.
  struct Coming {
    double time = 0, alpha = 0, gamma = 0, interference = 0;
    std::int64_t origin = 0;
    std::size_t slot = 0; ///< its index in the lanes that it comes from
  };
  using LaneValues = std::vector<double> TierLane::*;
  [[nodiscard]] bool may_matter(const RingLanes& lanes, std::size_t a, double a_time, std::size_t b, double b_time,
                                LaneValues values) const;
  [[nodiscard]] double most_held(const Coming& path, LaneValues values) const;
  [[nodiscard]] bool more_even(const Coming& path, const Coming& other, LaneValues values) const;
  std::vector<TierLane> tier_lanes_;
  std::vector<std::pair<std::size_t, std::int64_t>> origins_; ///< the edges or ranks that chose among equal paths
  Flights flights_;
};

} // namespace gradflight
