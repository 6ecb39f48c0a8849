// Converts the codec options of the command line to settings.
#pragma once

#include "cli/codec/codec.hpp"
#include "cli/terminal/mistakes.hpp"
#include "models/codecs/catalogue.hpp"

#include <optional>

namespace gradflight::cli {

/// Adds to `mistakes` an unknown codec or parameter, and each value that is not allowed. Absent: the codec is unknown.
std::optional<codec::Settings> codec_settings(const CodecOptions& options, Mistakes& mistakes);

} // namespace gradflight::cli
