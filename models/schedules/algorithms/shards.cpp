#include "models/schedules/algorithms/shards.hpp"

#include "models/forms/collective_cost.hpp"
#include "models/schedules/algorithms/ring.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace gradflight {

namespace {

/// Returns `count` blocks from `first` on; after the last one they continue at block 0, and the range goes beyond n.
Range run_of(const Blocks& blocks, int p, int first, int count) {
  const int end = first + count;
  if (end <= p) return blocks.range(first, end);
  const Range tail = blocks.range(first, p);
  return {tail.first, tail.count + blocks.begin(end - p)};
}

Step doubling_step(const Blocks& blocks, int p, int participant, int index) {
  const int held = 1 << index;
  Step step;
  if (is_power_of_two(p)) {
    const int partner = participant ^ held;
    step.to = step.from = partner;
    step.out = run_of(blocks, p, participant & ~(held - 1), held);
    step.in = run_of(blocks, p, partner & ~(held - 1), held);
    return step;
  }
  const int moved = std::min(held, p - held); // the last round moves only missing blocks
  step.to = (participant - held + p) % p;
  step.from = (participant + held) % p;
  step.out = run_of(blocks, p, participant, moved);
  step.in = run_of(blocks, p, step.from, moved);
  return step;
}

} // namespace

AllGatherBlocks::AllGatherBlocks(int workers, AllGather way) : workers_(workers), way_(way) {
  if (workers < 1) throw std::invalid_argument("an all-gather needs at least one worker");
}

int AllGatherBlocks::steps(int) const { return way_ == AllGather::ring ? workers_ - 1 : ceil_lg(workers_); }

int AllGatherBlocks::distinct_steps(int participant) const {
  return way_ == AllGather::ring ? std::min(1, steps(participant)) : steps(participant);
}

Step AllGatherBlocks::step(std::int64_t n, int participant, int index) const {
  const Blocks blocks(n, workers_);
  if (way_ == AllGather::ring) return ring_round(blocks, workers_, participant, index, Combine::take);
  return doubling_step(blocks, workers_, participant, index);
}

ReduceScatterBlocks::ReduceScatterBlocks(int workers, ReduceScatter way)
    : gather_(workers, way == ReduceScatter::ring ? AllGather::ring : AllGather::recursive_doubling), way_(way) {}

Step ReduceScatterBlocks::step(std::int64_t n, int participant, int index) const {
  const int p = workers();
  const Blocks blocks(n, p);
  // One round later than the ring all-reduce begins, so that block i ends at rank i instead of the previous rank.
  if (way_ == ReduceScatter::ring) return ring_round(blocks, p, participant, index + 1, Combine::reduce);
  Step step = doubling_step(blocks, p, participant, steps(participant) - 1 - index);
  std::swap(step.to, step.from);
  std::swap(step.out, step.in);
  step.combine = Combine::reduce;
  return step;
}

} // namespace gradflight
