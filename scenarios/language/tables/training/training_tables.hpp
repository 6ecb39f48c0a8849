// The field tables of `training.exchange` and `training.compression`.
#pragma once

#include "scenarios/language/fields/table.hpp"
#include "scenarios/language/types/training.hpp"

namespace gradflight {

const Table<ExchangeSpec>& exchange_table();

/// An object, or only the name of a codec. A codec without tensors and ratio has its nominal ratio.
Value<CompressionSpec> compression_value();
/// A codec by its name, with initial values of all parameters.
Value<std::optional<codec::Settings>> codec_name();
/// Adds a field for each parameter of any codec; it is allowed only if the chosen codec has it.
void codec_parameters(Table<CompressionSpec>& table);

} // namespace gradflight
