// What a codec does to given tensors: sizes, errors against its bound, and INCEPTIONN's class shares (Table III).
#pragma once

#include "models/codecs/catalogue.hpp"
#include "models/codecs/values/inceptionn.hpp"

#include <optional>

namespace gradflight::codec {

/// Sums over one or more tensors, each encoded by itself. Errors are decoded minus value, over finite values whose
/// decoded value is finite too.
struct Statistics {
  std::uint64_t tensors = 0, values = 0, encoded_bytes = 0;
  std::uint64_t compared = 0;   ///< values that the errors are taken over
  double largest_magnitude = 0; ///< of the compared values
  double largest_error = 0;     ///< absolute
  double squared_error = 0, squared_values = 0, error_sum = 0;
  /// The codec's guarantee for these tensors, the largest over them; none where it promises no bound.
  std::optional<double> bound;
  std::uint64_t above_bound = 0; ///< values whose error exceeds their tensor's bound
  std::optional<inceptionn::ClassCounts> classes;

  [[nodiscard]] double dense_bytes() const { return 4.0 * static_cast<double>(values); }
  [[nodiscard]] double bits_per_value() const; ///< 0 without values
  [[nodiscard]] double ratio() const;          ///< dense bytes over encoded bytes; 0 where nothing was encoded
  [[nodiscard]] double l2_error() const;       ///< root of the squared errors' sum
  [[nodiscard]] double relative_l2() const;    ///< over the values' own L2 norm
  [[nodiscard]] double bias() const;           ///< mean error
};

/// Encodes and decodes a tensor and adds what is seen. Throws std::logic_error if the codec refuses its own stream.
void add(Statistics& statistics, const Settings& settings, std::span<const float> values);

} // namespace gradflight::codec
