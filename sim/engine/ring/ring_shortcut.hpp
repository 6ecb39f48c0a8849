// A whole ring all-reduce at once: the same sums and maxima as message by message, without an event for each.
//
// Where no two edges of the ring share a link, and nothing else uses these links, a message never waits for bandwidth:
//   sent(i, s)  = max(at(i, s), at(i+1, s))                        both sides have reached step s
//   there(i, s) = sent(i, s) + alpha(i) + bytes / bandwidth(i)
//   at(j, s+1)  = max(there(j-1, s) + gamma(j) * bytes, there(j, s))
// (a message that sets out beside compute takes alpha and bytes / bandwidth longer, see platform.rate_while_computing)
// for each rank i of the ring and step, from any times at which the ranks enter. Ranks may differ in speed, edges in
// alpha and bandwidth, blocks in size; only sharing a link breaks it, and prove() then refuses.
//
// The ring may be part of a larger exchange: of masters whose groups reduce before and broadcast after it. An edge
// carries messages only while both its ranks are in the ring: each waits for both, and a rank leaves only when its last
// message has arrived. So no other message meets the ring's on a link where every other message over an edge's links
// has one of the edge's ranks as its sender or receiver, and is under way only while that rank is not in the ring:
//   what a rank sends before has arrived when it comes to the ring, and what it sends after is not there yet;
//   what is sent to it starts when it is at the step that receives it, or, buffered, at any time; but who sends so
//   hears of it after the ring before it sends to it again, so that all it has sent was received before the ring.
// The schedule promises the second (RingPart), routes show the first. Nobody leaves a ring before all have come to it,
// so what is worked out when the last one comes lies in nobody's past but the accounts', which wait for it.
// Where edges and ranks are all alike there is a closed form (uniform_ring.hpp); large rings take it.
#pragma once

#include "sim/engine/accounts/accounts.hpp"
#include "sim/engine/network/link_ledger.hpp"
#include "sim/engine/network/link_state.hpp"
#include "sim/engine/ring/ring_step.hpp"
#include "sim/engine/ring/uniform_ring.hpp"
#include "sim/plan/plan.hpp"

#include <functional>
#include <optional>
#include <utility>

namespace gradflight {

/// Of each edge, from rank i to rank i + 1.
struct RingEdges {
  std::vector<Route> links;
  std::vector<double> alpha;
};
/// Empty unless the ring is on links of its own. That they do not change meanwhile is for the executor to see to.
/// `slowing`: of messages beside compute,
/// 1 or more.
std::optional<RingEdges> ring_edges(const Rings& rings, const std::vector<std::int32_t>& place,
                                    const Platform& platform, double slowing);

class RingShortcut {
public:
  /// Told of the time of the latest message so far, and how many there were.
  using Pulse = std::function<void(double time, std::int64_t messages)>;

  /// Empty unless every exchange of the plan is a ring (Plan::rings) that has ring_edges(). The plan must be the only
  /// one that uses the links.
  static std::optional<RingShortcut> prove(const Plan& plan, const Platform& platform, const LinkState& state,
                                           double slowing);

  /// Nobody will ask for more than times: what is under way when, and what paths are made of, is not worked out.
  void only_times() { only_times_ = true; }

  struct Rank {
    double time = 0;
    TracedPath path{};
  };
  /// The ranks in the order of the ring.
  [[nodiscard]] const std::vector<std::int32_t>& members() const { return members_; }
  /// Rank `rank` is ready for the next exchange. True when it is the last: then finish() is due.
  bool enter(int rank, double now, const TracedPath& path);
  /// Before finish(): when the first of them entered.
  [[nodiscard]] double first_entry() const;
  /// Of the links of the machine: which are the ring's.
  [[nodiscard]] std::vector<bool> marked_links(std::size_t links) const;
  /// Some link of the ring is down now: nobody knows when, or whether, its messages arrive.
  [[nodiscard]] bool any_link_down() const;
  /// When each member is through the ring of a bucket, and what its time went to. Books messages, bytes, links and
  /// the time in flight.
  /// `slowing` and `computing_until` (of each rank of the plan): as the executor has them; slowing 1 reads no rank's.
  /// `pulse` is called now and then and at the end, and may throw.
  const std::vector<Rank>& finish(int bucket, Accounts& accounts, LinkLedger& ledger, double slowing,
                                  const std::vector<double>& computing_until, const Pulse& pulse);

private:
  /// Seconds of a block of n / p elements rounded down and up, for each edge or rank.
  struct BlockTimes {
    std::vector<double> small, large;
    /// Of block `first` for the first edge or rank, and so on around.
    void of_blocks_from(std::size_t first, std::size_t large_blocks, std::vector<double>& out) const;
  };
  RingShortcut(const Plan& plan, const LinkState& state, std::vector<double> gamma)
      : plan_(&plan), state_(&state), seconds_per_byte_(std::move(gamma)) {}
  void lay_out(int bucket);
  [[nodiscard]] std::optional<UniformSteps> uniform() const;
  [[nodiscard]] bool beside_none(double slowing) const;
  [[nodiscard]] bool work_out_uniform(const UniformSteps& steps, double slowing);
  [[nodiscard]] bool work_out_beside_all(UniformSteps steps, double slowing);
  void take_ends(const UniformSteps& steps);
  void work_out_steps(double slowing, const Pulse& pulse);
  double step(std::size_t index, const RingStep& times);
  void lay_out_tiers();
  void hold_messages();
  void hold_ranks();
  void take_origins(RingLanes& lanes, std::size_t first);
  void book(Accounts& accounts, LinkLedger& ledger);

  const Plan* plan_;
  const LinkState* state_;
  bool only_times_ = false;
  std::vector<std::int32_t> members_;
  std::vector<std::uint32_t> member_;    ///< which of them a rank of the plan is
  std::vector<double> seconds_per_byte_; ///< of each rank's reductions
  std::vector<Route> links_;             ///< of the edge from rank i to rank i + 1
  double message_overhead_ = 0;
  std::vector<double> alpha_, bandwidth_; ///< of the same edge; bandwidth as it is in this exchange
  std::vector<std::uint32_t> tiers_;      ///< likewise: of its narrowest links (LinkState::Narrowest)
  bool same_tiers_ = true;                ///< all edges have those of the first
  RingVector vector_;                     ///< this exchange's
  std::vector<Rank> ranks_;
  std::size_t entered_ = 0;
  bool reduces_ = false;                     ///< whether any rank takes time to reduce
  std::size_t large_blocks_ = 0;             ///< the first n mod p blocks are one element larger
  double small_bytes_ = 0, large_bytes_ = 0; ///< dense
  BlockTimes send_, reduce_;
  std::vector<double> beta_, gamma_, slowed_, computing_; ///< a step's, as in RingStep
  UniformRing uniform_;
  std::vector<UniformRing::End> ends_;
  RingLanes states_, messages_;
  /// Where edges differ in their tiers: the seconds that links of one tier held up the path of each rank and message.
  struct TierLane {
    std::size_t tier = 0;        ///< of HeldBy
    std::vector<double> of_edge; ///< of an edge's seconds, the share that the tier has
    std::vector<double> ranks, messages;
  };
  /// A path that comes to a rank or message.
  struct Coming {
    double time = 0, alpha = 0, gamma = 0, interference = 0;
    std::int64_t origin = 0;
    std::size_t slot = 0; ///< in the lanes that it comes from
  };
  using LaneValues = std::vector<double> TierLane::*;
  [[nodiscard]] bool may_matter(const RingLanes& lanes, std::size_t a, double a_time, std::size_t b, double b_time,
                                LaneValues values) const;
  [[nodiscard]] double most_held(const Coming& path, LaneValues values) const;
  [[nodiscard]] bool more_even(const Coming& path, const Coming& other, LaneValues values) const;
  std::vector<TierLane> tier_lanes_;
  std::vector<std::pair<std::size_t, std::int64_t>> origins_; ///< of the edges or ranks with a path chosen among equals
  Flights flights_;
};

} // namespace gradflight
