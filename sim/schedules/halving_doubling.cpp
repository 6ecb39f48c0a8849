#include "sim/schedules/halving_doubling.hpp"

#include <stdexcept>

namespace gradflight {

namespace {

int reverse_bits(int value, int bits) {
  int reversed = 0;
  for (int b = 0; b < bits; ++b) reversed |= ((value >> b) & 1) << (bits - 1 - b);
  return reversed;
}

} // namespace

HalvingDoubling::HalvingDoubling(int workers)
    : workers_(workers < 1 ? throw std::invalid_argument("halving-doubling needs at least one worker") : workers),
      fold_(workers) {}

int HalvingDoubling::steps(int participant) const { return fold_.steps(participant, 2 * fold_.rounds()); }

Step HalvingDoubling::step(std::int64_t n, int participant, int index) const {
  return fold_.step(n, participant, index, 2 * fold_.rounds(),
                    [this, n](int place, int core_index) { return core_step(n, place, core_index); });
}

Step HalvingDoubling::core_step(std::int64_t n, int place, int index) const {
  const bool halving = index < fold_.rounds();
  const int round = halving ? index : 2 * fold_.rounds() - 1 - index;
  // Bit r of the place chooses the half that is kept in round r: the run of blocks kept so far is the one around the
  // bit-reversed place.
  const int kept_blocks = fold_.core() >> (round + 1);
  const int kept = reverse_bits(place, fold_.rounds()) & ~(kept_blocks - 1);
  const int given = kept ^ kept_blocks;
  const Blocks blocks(n, fold_.core());
  const Range mine = blocks.range(kept, kept + kept_blocks);
  const Range theirs = blocks.range(given, given + kept_blocks);
  Step step;
  step.to = step.from = place ^ (1 << round);
  step.out = halving ? theirs : mine;
  step.in = halving ? mine : theirs;
  step.combine = halving ? Combine::reduce : Combine::take;
  return step;
}

} // namespace gradflight
