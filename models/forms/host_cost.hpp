// What work on a host costs beside an exchange: copies, conversions, selection, a library's overhead for each message.
#pragma once

namespace gradflight {

/// Seconds each time, for each tensor, message, element, dense byte.
struct HostRates {
  double fixed = 0, per_tensor = 0, per_message = 0, per_element = 0, per_byte = 0;

  /// Once over a vector of dense elements, `bytes` in all, from so many tensors.
  [[nodiscard]] constexpr double vector_seconds(double elements, double tensors, double bytes) const {
    return fixed + per_tensor * tensors + per_element * elements + per_byte * bytes;
  }
  /// For so many messages with so many bytes between them, in elements of `width` bytes.
  [[nodiscard]] constexpr double message_seconds(double messages, double bytes, double width) const {
    return messages * (fixed + per_message) + per_byte * bytes + per_element * bytes / width;
  }
};

} // namespace gradflight
