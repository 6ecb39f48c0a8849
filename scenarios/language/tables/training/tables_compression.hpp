// The table of `training.compression`.
#pragma once

#include "scenarios/language/fields/table.hpp"
#include "scenarios/language/types/training.hpp"

namespace gradflight {

/// An object, or only the name of a codec. A codec without tensors and ratio has its nominal ratio.
Value<CompressionSpec> compression_value();

} // namespace gradflight
