// The values of all codecs' parameters, as a scenario gives them. parameters.hpp describes them.
#pragma once

#include <cstdint>
#include <string>

namespace gradflight::codec {

namespace inceptionn {
/// The position of the 7 magnitude bits of the 8-bit class. The published rule (`literal`) does not meet the published
/// error bound.
enum class Variant {
  window,  ///< aligned with the class: error below 2^-b
  literal, ///< least significant bit 2^-7: error below max(2^-b, 2^-7)
  promote, ///< like `literal` if that meets the bound (b <= 7); else values use the 16-bit class
};
} // namespace inceptionn

/// A codec's name and the values of all parameters. Parameters of other codecs have no effect.
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
