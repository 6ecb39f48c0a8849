#include "sim/schedules/topk_allgather.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace gradflight {

TopKAllGather::TopKAllGather(int workers, AllGather way) : workers_(workers), way_(way) {
  if (workers < 1) throw std::invalid_argument("an all-gather needs at least one worker");
}

int TopKAllGather::steps(int) const {
  if (way_ == AllGather::ring) return workers_ - 1;
  return static_cast<int>(std::bit_width(static_cast<unsigned>(workers_ - 1)));
}

/// Sends on what came last, at first the worker's own list.
Step TopKAllGather::ring_step(int participant, int index) const {
  const int p = workers_;
  Step step;
  step.to = (participant + 1) % p;
  step.from = (participant - 1 + p) % p;
  step.out = {(participant - index + p) % p, 1};
  step.in = {(step.from - index + p) % p, 1};
  step.combine = Combine::merge;
  return step;
}

Step TopKAllGather::step(std::int64_t, int participant, int index) const {
  if (way_ == AllGather::ring) return ring_step(participant, index);
  const int p = workers_, held = 1 << index;
  Step step;
  if (std::has_single_bit(static_cast<unsigned>(p))) {
    const int partner = participant ^ held;
    step.to = step.from = partner;
    step.out = {participant & ~(held - 1), held};
    step.in = {partner & ~(held - 1), held};
  } else {
    // Bruck: worker i holds lists i .. i+held-1; the last round moves only those that are missing.
    const int moved = std::min(held, p - held);
    step.to = (participant - held + p) % p;
    step.from = (participant + held) % p;
    step.out = {participant, moved};
    step.in = {step.from, moved};
  }
  step.combine = Combine::merge;
  return step;
}

} // namespace gradflight
