// The codecs by name, with their parameters: one table for the command line, scenarios and help.
#pragma once

#include "models/codecs/parameters.hpp"
#include "models/codecs/parts/codec.hpp"

#include <string>

namespace gradflight::codec {

struct CodecInfo {
  std::string_view name, meaning;
  std::vector<Parameter> parameters;
  bool keeps_residual = false;
};

/// All codecs, in the order of docs/codecs.md.
const std::vector<CodecInfo>& catalogue();

/// The named codec with every parameter at its initial value. Throws std::invalid_argument with a text for the user
/// ("unknown codec ...; did you mean ...").
Settings default_settings(std::string_view name);

/// Sets one parameter from text; throws std::invalid_argument where the codec has none of that name, or the value is
/// not allowed.
void set(Settings& settings, std::string_view parameter, std::string_view value);

/// Dense bytes over encoded ones of a long tensor, where no tensor tells: as the format has it where sizes are fixed;
/// of threelc without its zero runs (so at least this); of inceptionn 6, the least of docs/codecs.md's captures.
double nominal_ratio(const Settings& settings);

std::unique_ptr<Codec> make_codec(const Settings& settings, Implementation implementation = Implementation::simd);

} // namespace gradflight::codec
