// The table of `platform.nic`.
#pragma once

#include "models/nic/nic_spec.hpp"
#include "scenarios/language/fields/table.hpp"

namespace gradflight {

const Table<NicSpec>& nic_table();

} // namespace gradflight
