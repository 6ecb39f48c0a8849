// What each message of an operation costs by a library, where that is more than the links' own latency and rate.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

namespace gradflight {

/// What a rank's threads do for a message that they send: pass it on as it is, with what they have added to it, with a
/// copy for themselves, or both.
enum class Primitive : std::uint8_t { send, reduce_send, copy_send, reduce_copy_send };
inline constexpr std::size_t primitive_count = 4;
using ByPrimitive = std::array<double, primitive_count>;

struct HopCost {
  double seconds = 0;    ///< of a message's latency at least, the links' included; >= 0
  double wire_bytes = 1; ///< on the links, for a byte of data; > 0
  /// Of these, what the links themselves take. The rest is the protocol's, or stands for what channels cannot fill.
  double links_bytes = 1;
  /// Bytes of data. A message of more asks its receiver first, which takes two of its way's latencies more.
  double eager = std::numeric_limits<double>::infinity();
  int ahead = 0; ///< messages that a sender is ahead of its receiver at most, where that binds (Weight); 0: any number
  double post = 0; ///< seconds for which a message waits after each that its rank has posted before it; >= 0
  /// Of `seconds`: for so many the sender's threads are busy with a message before its bytes are on the links. They
  /// send nothing else meanwhile on this lane; >= 0.
  ByPrimitive busy{};
  /// Seconds for a byte of data of a channel, which the sender's threads take to put it where a NIC fetches it, beside
  /// `seconds`; >= 0.
  ByPrimitive stored{};
  /// Returns the share of the bytes on the links that the links themselves take.
  [[nodiscard]] double links_share() const { return std::min(1.0, links_bytes / wire_bytes); }
  [[nodiscard]] double busy_with(Primitive p) const { return busy[static_cast<std::size_t>(p)]; }
  [[nodiscard]] double stored_with(Primitive p) const { return stored[static_cast<std::size_t>(p)]; }
};

/// Between GPUs of a node, and between nodes.
struct HopCosts {
  HopCost inside{}, between{};
  /// Bytes per second at which a rank takes what it keeps and does not pass on (LaneStep::kept), sending nothing
  /// meanwhile; 0: at once.
  double copy_rate = 0;
};

} // namespace gradflight
