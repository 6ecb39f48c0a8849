#include "models/schedules/algorithms/topk_allgather.hpp"

#include "models/codecs/selection/topk_entries.hpp"
#include "models/forms/form_collectives.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace gradflight {

namespace {

FormTexts topk_texts(const ExchangeSpec& exchange, int) {
  if (exchange.all_gather == AllGather::ring)
    return {"topk_allgather_ring", "(p-1) (alpha + 8k beta)", "Thakur et al. 2005 (ring all-gather)"};
  return {"topk_allgather", "ceil(lg p) alpha + (p-1) 8k beta", "gTop-k Table I, Eq. 6; Thakur et al. 2005 (Bruck)"};
}

Moment topk_cost(const ExchangeSpec& exchange, int p, std::int64_t elements, const LinkParameters& link) {
  const double list = topk_list_bytes(topk_entries(exchange.density, elements));
  return merging(exchange.all_gather == AllGather::ring ? topk_allgather_ring(p, list, link)
                                                        : topk_allgather(p, list, link));
}

} // namespace

const StepsForm topk_allgather_form{topk_texts, nullptr, topk_cost, Cut::whole, true};

TopKAllGather::TopKAllGather(int workers, AllGather way) : workers_(workers), way_(way) {
  if (workers < 1) throw std::invalid_argument("an all-gather needs at least one worker");
}

int TopKAllGather::steps(int) const {
  if (way_ == AllGather::ring) return workers_ - 1;
  return static_cast<int>(std::bit_width(static_cast<unsigned>(workers_ - 1)));
}

int TopKAllGather::distinct_steps(int participant) const {
  return way_ == AllGather::ring ? std::min(1, steps(participant)) : steps(participant);
}

/// Forwards the list received last, at first the worker's own.
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
    // Bruck: worker i holds lists i .. i+held-1; the last round moves only the missing ones.
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
