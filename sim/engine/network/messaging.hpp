// What a protocol (PlatformSpec::protocol) makes of messages: which wait for the receiver, when their data may leave,
// and when a sender goes on. Modelled on Open MPI 4.1's ob1 over TCP; docs/calibration.md says how and from where.
//
// A message up to the eager limit leaves when it is sent. A larger one is announced (a message without payload: alpha);
// its data leave when the receiver's request for them is there (alpha again). Both ranks of a pair talk over one
// connection, first in, first out: a request waits behind data that go the same way. So two ranks that exchange large
// messages are full-duplex only if their announcements cross; else the one that came first sends all of its data, and
// the other's request to send arrives behind them. Announcements cross where both ranks start an exchange within
// alpha. Ranks that have come from exchanges with others never do: the frames that they waited for end at different
// times, which simulated time, without jitter, does not show: a race, of which `announcements` chooses the outcome.
// Ranks that have last received from each other, or that have not received anything, do if the simulated times say so.
//
// A sender goes on once the rest of its message fits its buffer, at once where all of it does. What it sends next waits
// for its turn: to the same receiver until the bytes before have left, in order, as on one connection; to another until
// all of them that its window does not hold have: those in the window queue on the link already, and nothing overtakes
// them there.
#pragma once

#include "platforms/code/spec/spec.hpp"
#include "sim/engine/network/message.hpp"

#include <limits>
#include <optional>
#include <unordered_map>
#include <vector>

namespace gradflight {

class Messaging {
public:
  explicit Messaging(const ProtocolSpec& spec);

  [[nodiscard]] bool eager(const Message& m) const { return m.wire + header_ <= eager_limit_; }
  /// Bytes of a message of `wire` that are still to flow ...
  struct Marks {
    double goes_on = 0; ///< ... when its sender goes on
    double behind = 0;  ///< ... when its sender's next message to another receiver may; not more
  };
  /// On a route of `bandwidth` bytes per second. The buffer holds b windows, and a window grows by what has arrived:
  /// with x bytes there it is w + x, and the sender goes on when wire - x <= b (w + x).
  [[nodiscard]] Marks marks(double wire, double bandwidth) const;
  /// Bytes of a link's payload capacity that acknowledgements take on the way back, per byte of a message.
  [[nodiscard]] double acknowledgement_weight() const { return acknowledgement_weight_; }

  /// Both sides of a rendezvous are there: sets set_out to the time when the data may leave; false where the request
  /// for them waits behind data (then set_out comes from `ended`). `together`: the ranks may be ready at one instant.
  bool clear(MessagePool& messages, MessageId id, double now, bool together);
  /// A message has arrived. Returns the first message whose clearance it has held up; the others follow by `blocked`.
  MessageId ended(MessagePool& messages, MessageId id, double now);
  /// A message that was held up sets out.
  void resume(MessagePool& messages, MessageId id, double now);

  /// Message `id` could put its first byte on the links: false where it has to wait for its turn.
  bool in_turn(MessagePool& messages, MessageId id);
  /// Whether all that this message's sender has sent before is out of the way: then a message that fits the buffer
  /// does at once.
  [[nodiscard]] bool nothing_before(const Message& m) const;
  /// The sender of `id` has gone on: its next message waits behind this one.
  void gone_on(const Message& m, MessageId id);
  /// Message `id` leaves the rest of the link to its sender's next ones, or has left it altogether. Adds to `next`
  /// those whose turn it is.
  void out_of_line(MessagePool& messages, MessageId id, std::vector<MessageId>& next);
  void off_the_way(MessagePool& messages, MessageId id, std::vector<MessageId>& next);

private:
  /// One direction of the connection between two streams.
  struct Way {
    double last_end = -std::numeric_limits<double>::infinity(); ///< of a message's last byte
    MessageId data = no_message;                                ///< rendezvous data on their way, or cleared to leave
    MessageId last = no_message; ///< the last of the messages on the links or waiting for their turn
  };
  static std::uint64_t key(std::uint32_t from, std::uint32_t to) { return std::uint64_t{from} << 32 | to; }
  Way& way(std::uint32_t from, std::uint32_t to) { return ways_[key(from, to)]; }

  double eager_limit_, header_, window_, buffer_windows_, frame_payload_, slow_start_, acknowledgement_weight_;
  std::unordered_map<std::uint64_t, Way> ways_;
  std::unordered_map<std::uint32_t, MessageId> lines_; ///< of each stream: what its next messages wait behind
};

/// What acknowledgements of bytes on the route `there` take of the network's links `back`, `weight` for each byte; but
/// of links that both have.
void add_acknowledgements(const Platform& platform, const Route& there, const Route& back, double weight,
                          std::vector<LinkShare>& shares);

} // namespace gradflight
