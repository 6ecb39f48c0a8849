#include "models/schedules/parts/steps_form.hpp"

#include "models/forms/form_collectives.hpp"

namespace gradflight {

Moment StepsForm::time(const ExchangeSpec& exchange, int p, std::int64_t elements, const LinkParameters& link) const {
  if (p <= 1) return {};
  if (cost != nullptr) return cost(exchange, p, elements, link);
  const auto message = [&](std::int64_t of, bool added) {
    const double bytes = dense_bytes(of);
    return Moment::exchanging(cost_of(link, 1, bytes, added ? bytes : 0));
  };
  return longest(
      p, elements, [&](std::int64_t of) { return message(of, false); },
      [&](std::int64_t of) { return message(of, true); });
}

} // namespace gradflight
