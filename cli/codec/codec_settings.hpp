// Converts the codec options of the command line to settings.
#pragma once

#include "cli/codec/codec.hpp"
#include "models/codecs/catalogue.hpp"

namespace gradflight::cli {

/// Throws InputErrors for an unknown codec or parameter, or a value that is not allowed.
codec::Settings codec_settings(const CodecOptions& options);

} // namespace gradflight::cli
