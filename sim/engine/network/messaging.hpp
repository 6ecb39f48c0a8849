// What a protocol (PlatformSpec::protocol) does to messages: which wait for the receiver, when their data may leave,
// and when a sender goes on. Modelled on Open MPI 4.1's ob1 over TCP; docs/calibration.md gives details and sources.
//
// A message up to the eager limit leaves when it is sent. A larger one is announced (a message without payload: alpha).
// Its data leave when the receiver's request for them has come (alpha again). Both ranks of a pair use one first-in,
// first-out connection: a request waits behind data that go the same way. So two ranks that exchange large messages are
// full-duplex only if their announcements cross. Otherwise the first announced message sends all of its data, and the
// other's request to send arrives behind them. Announcements cross if both ranks start an exchange within alpha. Ranks
// that come from exchanges with others never cross: the frames they waited for end at different times. Simulated time
// without jitter does not show these differences, so this is a race, and `announcements` chooses its outcome. Ranks
// that last received from each other, or have not received anything, cross if the simulated times say so.
//
// A sender goes on once the rest of its message fits its buffer, at once if the whole message fits. Its next message to
// the same receiver waits until the bytes before it have left, in order, as on one connection. Its next message to
// another receiver waits only for the earlier bytes that exceed its window: those in the window already queue on the
// link, and nothing overtakes them there.
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
  /// Bytes of a message of `wire` bytes that are still to flow ...
  struct Marks {
    double goes_on = 0; ///< ... when its sender goes on
    double behind = 0;  ///< ... when its sender's next message to another receiver may flow; not more
  };
  /// On a route of `bandwidth` bytes per second. The buffer holds b windows, and a window grows by the bytes that have
  /// arrived: with x bytes there it is w + x, and the sender goes on when wire - x <= b (w + x).
  [[nodiscard]] Marks marks(double wire, double bandwidth) const;
  /// Bytes of a link's payload capacity that acknowledgements take on the way back, per byte of a message.
  [[nodiscard]] double acknowledgement_weight() const { return acknowledgement_weight_; }

  /// Both sides of a rendezvous are ready: sets set_out to the time when the data may leave. Returns false if the
  /// request for them waits behind data; then ended() sets set_out. `together`: the ranks may be ready at one instant.
  bool clear(MessagePool& messages, MessageId id, double now, bool together);
  /// A message has arrived. Returns the first message with a clearance that it held up; the others follow by `blocked`.
  MessageId ended(MessagePool& messages, MessageId id, double now);
  /// A message that was held up sets out.
  void resume(MessagePool& messages, MessageId id, double now);

  /// Message `id` could put its first byte on the links. Returns false if it must wait for its turn.
  bool in_turn(MessagePool& messages, MessageId id);
  /// Returns whether all earlier messages of this message's sender are out of the way. Then a message that fits the
  /// buffer is out of the way at once.
  [[nodiscard]] bool nothing_before(const Message& m) const;
  /// The sender of `id` has gone on, so its next message waits behind this one.
  void queue_behind(const Message& m, MessageId id);
  /// Message `id` leaves the rest of the link to its sender's next messages, or has left the link. Appends the messages
  /// that may now flow to `next`.
  void leave_queue(MessagePool& messages, MessageId id, std::vector<MessageId>& next);
  void leave_links(MessagePool& messages, MessageId id, std::vector<MessageId>& next);

private:
  /// One direction of the connection between two streams.
  struct Way {
    double last_end = -std::numeric_limits<double>::infinity(); ///< when the last byte of a message left
    MessageId data = no_message;                                ///< rendezvous data under way or cleared to leave
    MessageId last = no_message; ///< the last of the messages on the links or waiting for their turn
  };
  static std::uint64_t key(std::uint32_t from, std::uint32_t to) { return std::uint64_t{from} << 32 | to; }
  Way& way(std::uint32_t from, std::uint32_t to) { return ways_[key(from, to)]; }

  double eager_limit_, header_, window_, buffer_windows_, frame_payload_, slow_start_, acknowledgement_weight_;
  std::unordered_map<std::uint64_t, Way> ways_;
  std::unordered_map<std::uint32_t, MessageId> lines_; ///< of each stream: the message its next ones wait behind
};

/// Appends the network links of `back` that acknowledgements of bytes on `there` load, `weight` for each byte; without
/// the links that both routes have.
void add_acknowledgements(const Platform& platform, const Route& there, const Route& back, double weight,
                          std::vector<LinkShare>& shares);

} // namespace gradflight
