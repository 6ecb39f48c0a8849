// The effect of a codec on given tensors: sizes, errors compared with its bound, and INCEPTIONN's class shares (Table
// III).
#pragma once

#include "models/codecs/catalogue.hpp"
#include "models/codecs/values/inceptionn.hpp"

#include <optional>

namespace gradflight::codec {

/// Sums over one or more tensors; each is encoded separately. Errors are decoded value minus value. They cover values
/// that are finite before and after.
struct Statistics {
  std::uint64_t tensors = 0, values = 0, encoded_bytes = 0;
  std::uint64_t compared = 0;   ///< number of values included in the errors
  double largest_magnitude = 0; ///< of the compared values
  double largest_error = 0;     ///< absolute
  double squared_error = 0, squared_values = 0, error_sum = 0;
  /// The largest guarantee of the codec over these tensors; empty if the codec guarantees no bound.
  std::optional<double> bound;
  std::uint64_t above_bound = 0; ///< values with an error above their tensor's bound
  std::optional<inceptionn::ClassCounts> classes;

  [[nodiscard]] double dense_bytes() const { return 4.0 * static_cast<double>(values); }
  [[nodiscard]] double bits_per_value() const; ///< 0 without values
  [[nodiscard]] double ratio() const;          ///< dense bytes over encoded bytes; 0 if nothing was encoded
  [[nodiscard]] double l2_error() const;       ///< square root of the sum of squared errors
  [[nodiscard]] double relative_l2() const;    ///< l2_error() over the L2 norm of the values
  [[nodiscard]] double bias() const;           ///< mean error
};

/// Encodes and decodes a tensor, and adds the results. Throws std::logic_error if the codec rejects its own stream.
void add(Statistics& statistics, const Settings& settings, std::span<const float> values);

} // namespace gradflight::codec
