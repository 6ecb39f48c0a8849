// A whole ring all-reduce at once: the same sums and maxima as message by message, without an event for each.
//
// Where no two edges of the ring share a link, and nothing else uses these links, a message never waits for bandwidth:
//   sent(i, s)  = max(at(i, s), at(i+1, s))                        both sides have reached step s
//   there(i, s) = sent(i, s) + alpha(i) + bytes / bandwidth(i)
//   at(j, s+1)  = max(there(j-1, s) + gamma(j) * bytes, there(j, s))
// (a message that sets out beside compute takes alpha and bytes / bandwidth longer, see platform.rate_while_computing)
// for each rank and step, from any times at which the ranks enter. Ranks may differ in speed, edges in alpha and
// bandwidth, blocks in size; only sharing a link breaks it, and prove() then refuses.
#pragma once

#include "sim/engine/accounts/accounts.hpp"
#include "sim/engine/network/link_ledger.hpp"
#include "sim/engine/network/link_state.hpp"
#include "sim/engine/ring/ring_step.hpp"
#include "sim/plan/plan.hpp"

#include <optional>

namespace gradflight {

class RingShortcut {
public:
  /// Empty unless every exchange of the plan is a ring (Plan::rings) on links of its own whose bandwidth stays as it
  /// is. The plan must be the only one that uses the links. `slowing`: of messages beside compute, 1 or more.
  static std::optional<RingShortcut> prove(const Plan& plan, const Platform& platform, const LinkState& state,
                                           double slowing);

  struct Rank {
    double time = 0;
    Path path{};
  };
  /// Rank `rank` is ready for the next exchange. True when it is the last: then finish() is due.
  bool enter(int rank, double now, const Path& path);
  /// When each rank is through the exchange of a bucket, and what its time went to. Books messages, bytes, links and
  /// the time in flight.
  /// `slowing` and `computing_until` (of each rank): as the executor has them; slowing 1 reads no rank's.
  const std::vector<Rank>& finish(int bucket, Accounts& accounts, LinkLedger& ledger, double slowing,
                                  const std::vector<double>& computing_until);

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
  void step(std::size_t index, const RingStep& times);
  void book(Accounts& accounts, LinkLedger& ledger);

  const Plan* plan_;
  const LinkState* state_;
  std::vector<double> seconds_per_byte_;  ///< of each rank's reductions
  std::vector<Route> links_;              ///< of the edge from rank i to rank i + 1
  std::vector<double> alpha_, bandwidth_; ///< of the same edge; bandwidth as it is in this exchange
  RingVector vector_;                     ///< this exchange's
  std::vector<Rank> ranks_;
  std::size_t entered_ = 0;
  bool reduces_ = false;                     ///< whether any rank takes time to reduce
  std::size_t large_blocks_ = 0;             ///< the first n mod p blocks are one element larger
  double small_bytes_ = 0, large_bytes_ = 0; ///< dense
  BlockTimes send_, reduce_;
  std::vector<double> beta_, gamma_, slowed_, computing_; ///< a step's, as in RingStep
  RingLanes states_, messages_;
  Flights flights_;
};

} // namespace gradflight
