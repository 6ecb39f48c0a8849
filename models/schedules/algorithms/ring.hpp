// Ring all-reduce: reduce-scatter, then all-gather, on one directed ring.
//
// INCEPTIONN Alg. 1; Thakur et al. 2005 (ring reduce-scatter + ring all-gather); GradientFlow Fig. 7(a). Any p, p - 1
// steps each way; a participant sends to i+1 while it receives from i-1. In step s (from 0) participant i sends block
// (i - s) mod p and receives block (i - s - 1) mod p: the first p - 1 steps reduce, the others take finished blocks.
// Time, p dividing n: 2(p-1) alpha + 2((p-1)/p) n beta + ((p-1)/p) n gamma.
#pragma once

#include "models/schedules/parts/schedule.hpp"
#include "models/schedules/parts/steps_form.hpp"

namespace gradflight {

/// Round `round` of a ring over positions 0..p-1 with one of `blocks` each, numbered so that position i starts with
/// block i. p >= 2, 0 <= round <= 2p-3. Rounds 0..p-2 are an all-gather of these blocks, or a reduce-scatter that
/// leaves block (i + 1) mod p finished at position i.
inline Step ring_round(const Blocks& blocks, int p, int position, int round, Combine combine) {
  int sent = position - round;
  if (sent < 0) sent += p;
  if (sent < 0) sent += p;
  const int received = sent == 0 ? p - 1 : sent - 1;
  Step step;
  step.to = position + 1 == p ? 0 : position + 1;
  step.from = position == 0 ? p - 1 : position - 1;
  step.out = blocks.range(sent);
  step.in = blocks.range(received);
  step.combine = combine;
  return step;
}

/// The block that is finished at `position` after p - 1 reducing rounds.
inline int ring_finished_block(int p, int position) { return position + 1 == p ? 0 : position + 1; }

/// With `pieces` C > 1 each block travels in C pieces in order (Pipe-SGD Fig. 3), so that one piece is reduced while
/// the next is under way: step = round * C + piece. Round r + 1 sends what round r reduced C steps earlier; lag() = C -
/// 1 allows this.
class RingAllReduce final : public Schedule {
public:
  /// Throws std::invalid_argument unless workers >= 1 and pieces >= 1.
  explicit RingAllReduce(int workers, int pieces = 1);

  [[nodiscard]] int participants() const override { return workers_; }
  [[nodiscard]] int workers() const override { return workers_; }
  [[nodiscard]] int steps(int participant) const override;
  [[nodiscard]] Step step(std::int64_t n, int participant, int index) const override;
  [[nodiscard]] std::int64_t messages(int participant) const override { return steps(participant); }
  [[nodiscard]] std::optional<RingPart> ring() const override;
  [[nodiscard]] RingSteps ring_steps(int participant) const override { return {0, steps(participant)}; }
  [[nodiscard]] int lag() const override { return pieces_ - 1; }
  [[nodiscard]] int distinct_steps(int) const override { return workers_ > 1 ? 1 : 0; }

private:
  int workers_, pieces_;
};

extern const StepsForm ring_form;

} // namespace gradflight
