// The table of `training.compression`.
#pragma once

#include "scenarios/language/fields/table.hpp"
#include "scenarios/language/types/training.hpp"

namespace gradflight {

/// An object, or the name of a codec alone. A codec without tensors has its nominal ratio where none is given.
Value<CompressionSpec> compression_value();

} // namespace gradflight
