// The fields of `training.compression` that a codec brings, from the codecs' own catalogue.
#pragma once

#include "scenarios/language/fields/table.hpp"
#include "scenarios/language/types/training.hpp"

namespace gradflight {

/// A codec by its name, every parameter at its initial value.
Value<std::optional<codec::Settings>> codec_name();

/// A field for each parameter of any codec, read only where the chosen codec has it.
void codec_parameters(Table<CompressionSpec>& table);

} // namespace gradflight
