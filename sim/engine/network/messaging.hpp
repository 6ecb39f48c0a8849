// What a protocol (PlatformSpec::protocol) makes of messages: which wait for the receiver, when their data may leave,
// and when a sender goes on. Modelled on Open MPI 4.1's ob1 over TCP; docs/calibration.md says how and from where.
//
// A message up to the eager limit leaves when it is sent. A larger one is announced (a message without payload: alpha);
// its data leave when the receiver's request for them is there (alpha again). Both ranks of a pair talk over one
// connection, first in, first out: a request waits behind data that go the same way. So two ranks that exchange large
// messages are full-duplex only if their announcements cross; else the one that came first sends all of its data, and
// the other's request to send arrives behind them. Announcements cross where both ranks start an exchange within
// alpha. Ranks that have come from exchanges with others never do: the frames that they waited for end at different
// times, which simulated time, without jitter, does not show. Ranks that have last received from each other, or that
// have not received anything, do if the simulated times say so.
#pragma once

#include "platforms/code/spec.hpp"
#include "sim/engine/network/message.hpp"

#include <limits>
#include <optional>
#include <unordered_map>

namespace gradflight {

class Messaging {
public:
  explicit Messaging(const ProtocolSpec& spec);

  [[nodiscard]] bool eager(const Message& m) const { return m.wire <= eager_limit_; }
  /// Bytes of the message that are still to flow when its sender goes on. A sender's buffer holds two windows, one of
  /// them already queued on the link, where nothing overtakes it.
  [[nodiscard]] double behind(double wire) const;
  /// Bytes of a link's payload capacity that acknowledgements take on the way back, per byte of a message.
  [[nodiscard]] double acknowledgement_weight() const { return acknowledgement_weight_; }

  /// Both sides of a rendezvous are there: sets set_out to the time when the data may leave; false where the request
  /// for them waits behind data (then set_out comes from `ended`). `together`: the ranks may be ready at one instant.
  bool clear(MessagePool& messages, MessageId id, double now, bool together);
  /// A message has arrived. Returns the first message whose clearance it has held up; the others follow by `blocked`.
  MessageId ended(MessagePool& messages, MessageId id, double now);
  /// A message that was held up sets out.
  void resume(MessagePool& messages, MessageId id, double now);

private:
  /// One direction of the connection between two streams.
  struct Way {
    double last_end = -std::numeric_limits<double>::infinity(); ///< of a message's last byte
    MessageId data = no_message;                                ///< rendezvous data on their way, or cleared to leave
  };
  Way& way(std::uint32_t from, std::uint32_t to) { return ways_[std::uint64_t{from} << 32 | to]; }

  double eager_limit_, window_, acknowledgement_weight_;
  std::unordered_map<std::uint64_t, Way> ways_;
};

} // namespace gradflight
