// The codecs by name, with their parameters: one table for the command line, scenarios and help.
#pragma once

#include "models/codecs/codec.hpp"
#include "models/codecs/inceptionn.hpp"

#include <string>

namespace gradflight::codec {

/// A codec's name and the values of all parameters; those that a codec does not have are not read.
struct Settings {
  std::string name;
  int error_bound_log2 = -10;
  inceptionn::Variant variant = inceptionn::Variant::window;
  int lsb_bits = 16;
  double sparsity_multiplier = 1.0;
  std::uint64_t seed = 0;
  double density = 0;
};

struct ParameterInfo {
  std::string_view name, type, initial, range, meaning;
};

struct CodecInfo {
  std::string_view name, meaning;
  std::vector<ParameterInfo> parameters;
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

std::unique_ptr<Codec> make_codec(const Settings& settings, Implementation implementation = Implementation::simd);

} // namespace gradflight::codec
