// The fields of `training.compression` for codecs, generated from the catalogue of codecs.
#pragma once

#include "scenarios/language/fields/table.hpp"
#include "scenarios/language/types/training.hpp"

namespace gradflight {

/// A codec by its name, with initial values of all parameters.
Value<std::optional<codec::Settings>> codec_name();

/// Adds a field for each parameter of any codec; it is allowed only if the chosen codec has it.
void codec_parameters(Table<CompressionSpec>& table);

} // namespace gradflight
