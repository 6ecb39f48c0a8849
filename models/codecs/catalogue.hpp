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

/// Returns the named codec with every parameter at its initial value. Throws std::invalid_argument with a text for the
/// user ("unknown codec ...; did you mean ...").
Settings default_settings(std::string_view name);

/// Sets one parameter from text. Throws std::invalid_argument if the codec has no parameter of that name, or if the
/// value is not allowed.
void set(Settings& settings, std::string_view parameter, std::string_view value);

/// Returns dense bytes over encoded bytes of a long tensor, for use without a given tensor. The value follows from the
/// format if sizes are fixed. For threelc it ignores zero runs, so it is a lower bound. For inceptionn it is 6, the
/// lowest ratio of the captures in docs/codecs.md.
double nominal_ratio(const Settings& settings);

std::unique_ptr<Codec> make_codec(const Settings& settings, Implementation implementation = Implementation::simd);

} // namespace gradflight::codec
