#include "sim/schedules/recursive_doubling.hpp"

#include <stdexcept>

namespace gradflight {

RecursiveDoubling::RecursiveDoubling(int workers)
    : workers_(workers < 1 ? throw std::invalid_argument("recursive doubling needs at least one worker") : workers),
      fold_(workers) {}

int RecursiveDoubling::steps(int participant) const { return fold_.steps(participant, fold_.rounds()); }

Step RecursiveDoubling::step(std::int64_t n, int participant, int index) const {
  return fold_.step(n, participant, index, fold_.rounds(), [n](int place, int round) {
    Step step;
    step.to = step.from = place ^ (1 << round);
    step.out = step.in = {0, n};
    step.combine = Combine::reduce;
    return step;
  });
}

} // namespace gradflight
