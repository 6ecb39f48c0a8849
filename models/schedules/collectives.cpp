#include "models/schedules/catalogue.hpp"

namespace gradflight {

std::span<const Collective> collectives() { return shipped_collectives(); }

} // namespace gradflight
