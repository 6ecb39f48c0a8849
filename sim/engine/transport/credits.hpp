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
  /// Number of a pair of a sending and a receiving stream.
  using Line = std::uint32_t;

  /// Returns the line from one stream to another, which begins with its first message.
  [[nodiscard]] Line line(std::uint32_t from, std::uint32_t to);
  /// Counts the line's next message. Returns the earliest time at which it may set out. Returns nothing if the message
  /// `ahead` (at most most_ahead) messages before it has not been taken: release() will then return this one. The
  /// sender posts no further message on this line before it has set out.
  [[nodiscard]] std::optional<double> send(Line line, int ahead, MessageId id);
  /// The receiver has taken the line's next message that send() counted, and the sender learns of it at `known`.
  /// Returns the message that waited for this; no_message if none did.
  MessageId release(Line line, double known);
  /// All senders know of all taken messages by now, so the times no longer matter.
  void forget_times();

private:
  struct State {
    std::uint32_t to = 0;
    Line next = no_credit_line; ///< of the same sender
    std::int64_t sent = 0, taken = 0;
    std::int64_t awaited = 0;               ///< number of the message that `waiting` waits for
    MessageId waiting = no_message;         ///< the message without credit
    std::array<double, most_ahead> known{}; ///< for the last taken messages, by message number modulo most_ahead
  };
  std::vector<Line> first_; ///< of each sending stream
  std::vector<State> lines_;
};

} // namespace gradflight
