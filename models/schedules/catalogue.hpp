// The rows of the released program. All other code asks collectives() (collective.hpp); a test links its own version
// with more rows.
#pragma once

#include "models/schedules/parts/collective.hpp"

#include <span>

namespace gradflight {

std::span<const Collective> shipped_collectives();

} // namespace gradflight
