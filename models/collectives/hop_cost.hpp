// Costs that a library adds to each message of an operation, beyond the latency and rate of the links.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

namespace gradflight {

/// The work of a rank's threads for a message that they send. They forward it unchanged, add their own data, keep a
/// copy, or do both.
enum class Primitive : std::uint8_t { send, reduce_send, copy_send, reduce_copy_send };
inline constexpr std::size_t primitive_count = 4;
using ByPrimitive = std::array<double, primitive_count>;

struct HopCost {
  double seconds = 0;    ///< lowest latency of a message, including the latency of the links; >= 0
  double wire_bytes = 1; ///< bytes on the links per byte of data, if channels can fill these; > 0
  /// The part of bytes_on() that the links themselves carry. The rest is protocol overhead, or stands for bandwidth
  /// that channels cannot use.
  double links_bytes = 1;
  /// Bytes of data per second that a call's channels on a link carry together, and the bytes per second of such a link
  /// as the library counts it: the channels do no less on a link that is faster.
  double channels_rate = std::numeric_limits<double>::infinity(), link_rate = std::numeric_limits<double>::infinity();
  /// Bytes of data per second that the threads of these channels carry, however fast the link is.
  double threads_rate = std::numeric_limits<double>::infinity();
  /// Bytes of data. A larger message is first announced to its receiver; this costs one more latency of its path.
  double eager = std::numeric_limits<double>::infinity();
  /// Largest number of messages that a sender is ahead of its receiver, if that limits it (Weight); 0: no limit.
  int ahead = 0;
  bool ahead_on_short_ways = false; ///< Weight::ahead_on_short_ways
  double post = 0; ///< seconds that a message waits for each message that its rank posted before it; >= 0
  /// The part of `seconds` during which the sender's threads handle a message before its bytes are on the links.
  /// Meanwhile they send nothing else on this lane; >= 0.
  ByPrimitive busy{};
  /// Seconds per byte of a channel's data that the sender's threads need to place the data where a NIC fetches it. This
  /// time is not part of `seconds`; >= 0.
  ByPrimitive stored{};
  friend bool operator==(const HopCost&, const HopCost&) = default;
  /// Returns the bytes on the links per byte of data, if the narrowest of them carries `rate` bytes per second.
  [[nodiscard]] double bytes_on(double rate) const { return std::max(bytes_of_channels(rate), bytes_of_threads(rate)); }
  /// Returns the part of bytes_on() that faster links would shorten. If the threads are slower than the links, it is 0.
  [[nodiscard]] double links_share_on(double rate) const {
    const double of_channels = bytes_of_channels(rate);
    return bytes_of_threads(rate) > of_channels ? 0 : std::min(1.0, links_bytes / of_channels);
  }
  [[nodiscard]] double busy_with(Primitive p) const { return busy[static_cast<std::size_t>(p)]; }
  [[nodiscard]] double stored_with(Primitive p) const { return stored[static_cast<std::size_t>(p)]; }

private:
  [[nodiscard]] double bytes_of_channels(double rate) const {
    const double carried = std::min(rate, link_rate);
    return std::isfinite(carried) ? std::max(wire_bytes, carried / channels_rate) : wire_bytes;
  }
  [[nodiscard]] double bytes_of_threads(double rate) const { return std::isfinite(rate) ? rate / threads_rate : 0; }
};

/// Costs of hops between GPUs of a node, and between nodes.
struct HopCosts {
  HopCost inside{}, between{};
  /// Bytes per second at which a rank copies data that it keeps and does not forward (LaneStep::is_destination). It
  /// sends nothing meanwhile. 0: the copy takes no time.
  double copy_rate = 0;
  /// Bytes per second at which a rank's threads reduce received data, in addition to the platform's own rate. 0: the
  /// library's hops already contain this time.
  double reduce_rate = 0;
  friend bool operator==(const HopCosts&, const HopCosts&) = default;
  /// Returns the seconds to reduce a byte, of which the platform takes `platform`.
  [[nodiscard]] double gamma(double platform) const { return reduce_rate > 0 ? platform + 1 / reduce_rate : platform; }
};

} // namespace gradflight
