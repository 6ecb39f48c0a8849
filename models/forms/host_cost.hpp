// Costs of work on a host beside an exchange: copies, conversions, selection, and a library's overhead per message.
#pragma once

namespace gradflight {

/// Seconds per call, tensor, message, element, and dense byte.
struct HostRates {
  double fixed = 0, per_tensor = 0, per_message = 0, per_element = 0, per_byte = 0;

  /// Cost of one pass over a vector of dense elements with `bytes` bytes in total, from `tensors` tensors.
  [[nodiscard]] constexpr double vector_seconds(double elements, double tensors, double bytes) const {
    return fixed + per_tensor * tensors + per_element * elements + per_byte * bytes;
  }
  /// Cost of `messages` messages with `bytes` bytes in total, in elements of `width` bytes.
  [[nodiscard]] constexpr double message_seconds(double messages, double bytes, double width) const {
    return messages * (fixed + per_message) + per_byte * bytes + per_element * bytes / width;
  }
};

} // namespace gradflight
