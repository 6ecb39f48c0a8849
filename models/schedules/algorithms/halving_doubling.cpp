#include "models/schedules/algorithms/halving_doubling.hpp"

#include "models/forms/form_collectives.hpp"

#include <stdexcept>

namespace gradflight {

namespace {

int reverse_bits(int value, int bits) {
  int reversed = 0;
  for (int b = 0; b < bits; ++b) reversed |= ((value >> b) & 1) << (bits - 1 - b);
  return reversed;
}

FormTexts halving_doubling_texts(const ExchangeSpec&, int p) {
  return {"halving_doubling_allreduce",
          is_power_of_two(p) ? "2 lg p alpha + 2((p-1)/p) n beta + ((p-1)/p) n gamma"
                             : "2 lg p2 alpha + 2((p2-1)/p2) n beta + ((p2-1)/p2) n gamma + 2(alpha + n beta) + n "
                               "gamma, p2 = 2^floor(lg p)",
          "Thakur et al. 2005 (Rabenseifner)"};
}

std::vector<PathMessages> halving_doubling_path(int p, std::int64_t elements) {
  std::vector<PathMessages> path;
  for (std::int64_t half = 2; half <= power_of_two_below(p); half *= 2) {
    path.push_back({1, elements / half, Received::added});
    path.push_back({1, elements / half, Received::taken});
  }
  return folded_path(std::move(path), p, elements);
}

Moment halving_doubling_cost(const ExchangeSpec&, int p, std::int64_t elements, const LinkParameters& link) {
  return Moment::exchanging(allreduce_halving_doubling(p, dense_bytes(elements), link));
}

} // namespace

const StepsForm halving_doubling_form{halving_doubling_texts, halving_doubling_path, halving_doubling_cost, Cut::runs,
                                      false};

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
  // Bit r of the place chooses the half that round r keeps, so the blocks kept so far are the run around the
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
