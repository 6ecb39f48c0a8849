#include "models/schedules/algorithms/recursive_doubling.hpp"

#include "models/forms/form_collectives.hpp"

#include <stdexcept>

namespace gradflight {

namespace {

FormTexts recursive_doubling_texts(const ExchangeSpec&, int p) {
  return {"recursive_doubling_allreduce",
          is_power_of_two(p) ? "lg p (alpha + n beta + n gamma)"
                             : "floor(lg p) (alpha + n beta + n gamma) + 2(alpha + n beta) + n gamma",
          "Thakur et al. 2005"};
}

std::vector<PathMessages> recursive_doubling_path(int p, std::int64_t elements) {
  std::vector<PathMessages> path{{1.0 * floor_lg(p), elements, Received::added}};
  return folded_path(std::move(path), p, elements);
}

Moment recursive_doubling_cost(const ExchangeSpec&, int p, std::int64_t elements, const LinkParameters& link) {
  return Moment::exchanging(allreduce_recursive_doubling(p, dense_bytes(elements), link));
}

} // namespace

const StepsForm recursive_doubling_form{recursive_doubling_texts, recursive_doubling_path, recursive_doubling_cost,
                                        Cut::whole, false};

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
