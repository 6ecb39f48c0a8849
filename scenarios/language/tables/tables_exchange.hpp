// The table of `training.exchange`.
#pragma once

#include "scenarios/table.hpp"
#include "scenarios/training.hpp"

namespace gradflight {

const Table<ExchangeSpec>& exchange_table();

} // namespace gradflight
