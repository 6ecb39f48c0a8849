// Credits: a sender may be only a limited number of messages ahead of its receiver.
//
// The receiver's buffer has room for that many messages. When the receiver takes a message, its room is free again, and
// the sender learns this one latency of the way later. Until then the sender's next message waits.
#pragma once

#include "sim/engine/network/message.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace gradflight {

class Credits {
public:
  static constexpr int most_ahead = 16;

  /// Counts the next message from one stream to another. Returns the earliest time at which it may set out. Returns
  /// nothing if the message `ahead` (at most most_ahead) messages before it has not been taken: release() will then
  /// return this one.
  [[nodiscard]] std::optional<double> send(std::uint32_t from, std::uint32_t to, int ahead, MessageId id);
  /// The receiver has taken the next message that send() counted, and the sender learns of it at `known`. Returns the
  /// message that waited for this; no_message if none did.
  MessageId release(std::uint32_t from, std::uint32_t to, double known);
  /// All senders know of all taken messages by now, so the times no longer matter.
  void forget_times();

private:
  /// Between two streams.
  struct Line {
    std::uint32_t to = 0;
    std::int64_t sent = 0, taken = 0;
    std::array<double, most_ahead> known{};      ///< for the last taken messages, by message number modulo most_ahead
    std::array<MessageId, most_ahead> waiting{}; ///< by the number of the message that it waits for, modulo most_ahead
  };
  [[nodiscard]] Line& line_of(std::uint32_t from, std::uint32_t to);
  std::vector<std::vector<Line>> lines_; ///< of each sending stream
};

} // namespace gradflight
