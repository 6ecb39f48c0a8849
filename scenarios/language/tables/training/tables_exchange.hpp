// The table of `training.exchange`.
#pragma once

#include "scenarios/language/fields/table.hpp"
#include "scenarios/language/types/training.hpp"

namespace gradflight {

const Table<ExchangeSpec>& exchange_table();

} // namespace gradflight
