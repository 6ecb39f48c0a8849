// The values of all codecs' parameters: what a scenario says of its codec. What they mean: parameters.hpp.
#pragma once

#include <cstdint>
#include <string>

namespace gradflight::codec {

namespace inceptionn {
/// How the 7 magnitude bits of the 8-bit class lie. The published rule (`literal`) does not meet the published bound.
enum class Variant {
  window,  ///< aligned to the class: error below 2^-b
  literal, ///< least significant bit 2^-7: error below max(2^-b, 2^-7)
  promote, ///< as literal where that meets the bound (b <= 7), else the 16-bit class takes over
};
} // namespace inceptionn

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

} // namespace gradflight::codec
