#include "sim/engine/ring/uniform_ring.hpp"

#include <algorithm>

namespace gradflight {

void UniformRing::set_phase(const UniformSteps& steps, bool reducing) {
  small_gamma_ = reducing ? steps.small_gamma : 0;
  large_gamma_ = reducing ? steps.large_gamma : 0;
  step_loss_ = (steps.large_beta - steps.small_beta) + (large_gamma_ - small_gamma_);
  by_twos_ = small_gamma_ < step_loss_;
}

UniformRing::Loss UniformRing::loss(double small_steps, double small_twos, double large_twos) const {
  const double left_out = small_twos * small_gamma_ + large_twos * large_gamma_;
  return {small_steps * step_loss_ + left_out, small_steps * (large_gamma_ - small_gamma_) + left_out};
}

UniformRing::Loss UniformRing::in(std::size_t height) const {
  const std::size_t way = height - 1, twos = by_twos_ ? way / 2 : 0;
  return loss(static_cast<double>(way - twos), static_cast<double>(twos), 0);
}

UniformRing::Loss UniformRing::out(std::size_t depth) const {
  if (!by_twos_) return loss(static_cast<double>(depth), 0, 0);
  const std::size_t twos = depth / 2;
  const auto half = static_cast<double>(twos);
  if (depth % 2 == 0) return loss(half, half, 0);
  return large_gamma_ < step_loss_ ? loss(half, half, 1) : loss(half + 1, half, 0);
}

/// Takes paths from large blocks to large ones through a phase.
void UniformRing::cross_phase(std::vector<Best>& large) const {
  const std::vector<Best> start = large;
  const Loss around = out(best_.size() - large.size());
  Best lower = start.front(), higher = start.back();
  for (std::size_t y = 1; y < large.size(); ++y) {
    large[y].offer(lower, around);
    lower.offer(start[y]);
  }
  for (std::size_t y = large.size(); y-- > 0;) {
    higher.offer(start[y]);
    large[y].offer(higher);
  }
}

void UniformRing::find_best(const UniformSteps& steps, std::span<const double> entered) {
  const std::size_t p = steps.ranks, e = steps.large_blocks;
  best_.resize(p);
  for (std::size_t b = 0; b < p; ++b) best_[b] = {entered[b], b, 0};
  if (e == 0) {
    Best last = best_[0];
    for (const Best& other : best_) last.offer(other);
    std::ranges::fill(best_, last);
    return;
  }
  set_phase(steps, true);
  Best from_above = best_[e];
  for (std::size_t h = 2; h <= p - e; ++h) from_above.offer(best_[e - 1 + h], in(h));
  std::vector<Best> large(best_.begin(), best_.begin() + static_cast<std::ptrdiff_t>(e));
  cross_phase(large);
  for (Best& best : large) best.offer(from_above);
  set_phase(steps, false);
  const Best ahead = large.front();
  cross_phase(large);
  std::ranges::copy(large, best_.begin());
  for (std::size_t k = 1; k <= p - e; ++k) {
    const double behind = out(k).seconds;
    best_[p - k] = {ahead.value - behind, ahead.origin, ahead.reduced};
  }
}

void UniformRing::work_out(const UniformSteps& steps, std::span<const double> entered, std::vector<End>& ends) {
  const std::size_t p = steps.ranks;
  const bool unlike = steps.large_blocks > 0;
  const double beta = unlike ? steps.large_beta : steps.small_beta;
  const double gamma = unlike ? steps.large_gamma : steps.small_gamma;
  find_best(steps, entered);
  // Adds up the path that loses nothing step by step, as the recurrence does, so that the last bit agrees.
  const double start = best_[0].value;
  double last = start, reduced = 0;
  for (std::size_t s = 1; s < p; ++s) {
    last = last + steps.alpha + beta + gamma;
    reduced += gamma;
  }
  for (std::size_t s = 1; s < p; ++s) last = last + steps.alpha + beta;
  ends.resize(p);
  for (std::size_t b = 0; b < p; ++b) // of the rank that would send block b next
    ends[(b + 2 * (p - 1)) % p] = {last - (start - best_[b].value), best_[b].origin, reduced - best_[b].reduced};
  last_ = last;
}

bool UniformRing::work_out(const UniformSteps& steps, std::span<const double> entered, std::vector<End>& ends,
                           Flights& flights) {
  work_out(steps, entered, ends);
  return fly(steps, entered, last_, flights);
}

} // namespace gradflight
