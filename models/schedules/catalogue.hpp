// The rows that are shipped. All else asks collectives() (collective.hpp), in whose place a test links one that has
// more.
#pragma once

#include "models/schedules/parts/collective.hpp"

#include <span>

namespace gradflight {

std::span<const Collective> shipped_collectives();

} // namespace gradflight
