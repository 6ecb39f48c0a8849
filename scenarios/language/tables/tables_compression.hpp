// The table of `training.compression`.
#pragma once

#include "scenarios/language/fields/table.hpp"
#include "scenarios/language/types/training.hpp"

namespace gradflight {

const Table<CompressionSpec>& compression_table();

} // namespace gradflight
