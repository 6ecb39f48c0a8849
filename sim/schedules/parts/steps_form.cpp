#include "sim/schedules/parts/steps_form.hpp"

#include "models/units/units.hpp"

namespace gradflight {

Moment StepsForm::time(const ExchangeSpec& exchange, int p, std::int64_t elements, const LinkParameters& link) const {
  if (p <= 1) return {};
  if (cost != nullptr) return cost(exchange, p, elements, link);
  Moment sum;
  for (const PathMessages& messages : path(p, elements)) {
    const double bytes = messages.times * static_cast<double>(messages.elements) * element_bytes;
    const double sent = messages.received == Received::both ? 2 : 1;
    const double added = messages.received == Received::taken ? 0 : bytes;
    sum = sum + Moment::exchanging(cost_of(link, sent * messages.times, sent * bytes, added));
  }
  return sum;
}

} // namespace gradflight
