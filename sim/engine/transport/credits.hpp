// Credits: a sender is so many messages ahead of its receiver at most.
//
// The receiver's buffer has room for so many messages. When the receiver takes one, its room is free again, which the
// sender learns one latency of the way later. Until then the sender's next message stays where it is.
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

  /// Counts the next message of one stream to another. Returns when it may set out at the earliest. Nothing where the
  /// message that is `ahead` messages before it (at most most_ahead) has not been taken: taken() returns it then.
  [[nodiscard]] std::optional<double> send(std::uint32_t from, std::uint32_t to, int ahead, MessageId id);
  /// The receiver has taken the next message that send() counted, and the sender learns of it at `known`. Returns the
  /// message that waited for this; no_message where none did.
  MessageId taken(std::uint32_t from, std::uint32_t to, double known);
  /// All that was taken is known to its senders by now, at whatever time it came to be.
  void forget_times();

private:
  /// Of two streams.
  struct Line {
    std::uint32_t to = 0;
    std::int64_t sent = 0, taken = 0;
    std::array<double, most_ahead> known{};      ///< of the last messages that were taken, by their numbers modulo this
    std::array<MessageId, most_ahead> waiting{}; ///< likewise, by the number of the message that it waits for
  };
  [[nodiscard]] Line& line_of(std::uint32_t from, std::uint32_t to);
  std::vector<std::vector<Line>> lines_; ///< of each sending stream
};

} // namespace gradflight
