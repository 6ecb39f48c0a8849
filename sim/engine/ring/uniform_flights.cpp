#include "sim/engine/ring/uniform_ring.hpp"

#include <algorithm>

namespace gradflight {

namespace {

/// Returns the largest delay of a block behind the next higher one.
double steepest(std::span<const double> times) {
  double most = std::max(0.0, times.front() - times.back());
  for (std::size_t b = 0; b + 1 < times.size(); ++b) most = std::max(most, times[b + 1] - times[b]);
  return most;
}

double first_sent(std::span<const double> times) {
  double first = std::max(times.front(), times.back());
  for (std::size_t b = 0; b + 1 < times.size(); ++b) first = std::min(first, std::max(times[b], times[b + 1]));
  return first;
}

} // namespace

/// If each block is behind the next one by at most the time of a message, the messages of a step leave no gap between
/// them: going down from the last to set out, each next message sets out before that one arrives. And where nothing is
/// reduced, a message sets out as another arrives, all the way back to a rank's entry. A block falls behind the next
/// one by at most W where the small blocks end, and that gap may go round at most three times in both phases.
bool UniformRing::fly(const UniformSteps& steps, std::span<const double> entered, double last, Flights& flights) {
  const bool unlike = steps.large_blocks > 0, reduces = steps.small_gamma > 0 || steps.large_gamma > 0;
  set_phase(steps, true);
  const double message = steps.alpha + steps.small_beta;
  if (steepest(entered) + (unlike && reduces ? 3 * step_loss_ : 0) > message) return false;
  if (!reduces || seamless(steps, entered)) {
    flights.add({first_sent(entered), last});
    return true;
  }
  const auto [least, most] = std::ranges::minmax_element(entered);
  if (*least < *most) return false;
  // All enter at once: in the first phase large blocks are ahead, and the lowest small ones are the furthest behind.
  const double behind = unlike ? out(steps.ranks - steps.large_blocks - 1).seconds : 0;
  double small = *most, large = *most;
  for (std::size_t s = 1; s < steps.ranks; ++s) {
    const double there = large + steps.alpha + (unlike ? steps.large_beta : steps.small_beta);
    flights.add({unlike ? std::max(small, large - behind) : large, there});
    large = there + (unlike ? steps.large_gamma : steps.small_gamma);
    small = small + steps.alpha + steps.small_beta + steps.small_gamma;
  }
  flights.add({unlike ? std::max(small, large - behind) : large, last});
  return true;
}

/// Returns whether at no time all ranks are reducing: in each step of the first phase the lowest small block is sent
/// before the last message of the previous step arrives. It came down over small blocks, or passed large ones and lost
/// out().
bool UniformRing::seamless(const UniformSteps& steps, std::span<const double> entered) const {
  const std::size_t p = steps.ranks, e = steps.large_blocks;
  if (e == 0 || e + 1 == p) return false;
  const double last = *std::ranges::max_element(entered);
  const double last_large = *std::max_element(entered.begin(), entered.begin() + static_cast<std::ptrdiff_t>(e));
  if (last - last_large + large_gamma_ > out(p - e - 1).seconds) return false;
  double highest = entered[e];
  double bound = last_large - small_gamma_ + (steps.large_beta - steps.small_beta);
  std::size_t seen = e;
  for (std::size_t s = 1; s < p; ++s, bound += step_loss_) {
    for (; seen < p && seen <= e + 1 + 2 * s; ++seen) highest = std::max(highest, entered[seen]);
    if (seen == p) highest = std::max(highest, entered[0]);
    if (highest > std::max(bound, last - small_gamma_)) return false; // last: its path runs over small blocks, too
  }
  return true;
}

} // namespace gradflight
