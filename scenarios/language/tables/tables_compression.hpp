// The table of `training.compression`.
#pragma once

#include "scenarios/table.hpp"
#include "scenarios/training.hpp"

namespace gradflight {

const Table<CompressionSpec>& compression_table();

} // namespace gradflight
