// Ring all-reduce with blocking sends: every round of the ring (ring.hpp) takes two turns, because no rank sends while
// it receives.
//
// MPI_Send and MPI_Recv do this to a ring's loop if messages wait for their receivers: even ranks send, then receive;
// the others receive, then send (if all sent first, they would wait for ever). Each cable carries one direction at a
// time. With x = alpha + m beta for a block of m = n/p bytes and g = m gamma, p dividing n: p even: 4(p-1) x + 2(p-1)
// g. p odd: the even ranks p-1 and 0 are neighbours, and one of them waits: max(4p x + (p-3)/2 g, (4p-3) x + (2p-3) g),
// p >= 3. (Not from a paper; derived here as the longest path.)
#pragma once

#include "models/schedules/parts/schedule.hpp"
#include "models/schedules/parts/steps_form.hpp"

namespace gradflight {

/// Step 2r and 2r + 1 are the two halves of round r of 2(p-1).
class BlockingRing final : public Schedule {
public:
  /// Throws std::invalid_argument unless workers >= 1.
  explicit BlockingRing(int workers);

  [[nodiscard]] int participants() const override { return workers_; }
  [[nodiscard]] int workers() const override { return workers_; }
  [[nodiscard]] int steps(int) const override { return 4 * (workers_ - 1); }
  [[nodiscard]] Step step(std::int64_t n, int participant, int index) const override;
  [[nodiscard]] std::int64_t messages(int) const override { return std::int64_t{2} * (workers_ - 1); }
  [[nodiscard]] int distinct_steps(int) const override { return workers_ > 1 ? 2 : 0; }

private:
  int workers_;
};

extern const StepsForm blocking_ring_form;

} // namespace gradflight
