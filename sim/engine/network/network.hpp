// The only interface between plan execution and what moves bytes. Two implementations: FairNetwork (hybrid), and
// SimgridNetwork, in which every transfer is a plain S4U Comm.
#pragma once

#include "sim/engine/network/message.hpp"

#include <stdexcept>
#include <vector>

namespace gradflight {

/// Totals of a link. The network updates them as transfers begin and end.
struct LinkUse {
  double bytes = 0, busy = 0, since = 0;
  std::int32_t transfers = 0;
};

/// Receives the arrival of a message's last byte.
class ArrivalSink {
public:
  virtual void arrived(MessageId id, double now) = 0;
  /// All but the last `rest` bytes have left: the message has reached a mark of its extra.
  virtual void left(MessageId /*id*/, double /*rest*/, double /*now*/) {}
  /// After `now`, a link that carries bytes of this message has another bandwidth.
  virtual void link_changes(MessageId /*id*/, double /*now*/) {}
  /// Links of these tiers held up bytes of this message that take `seconds` alone (Network::tell_holders).
  virtual void held_up(MessageId /*id*/, std::uint32_t /*tiers*/, double /*seconds*/) {}

protected:
  ~ArrivalSink() = default;
};

/// A link that carried messages without a gap from the first byte of one message to the last byte of another one. When
/// the latter began had no influence on its end.
struct FullLink {
  std::int32_t link = no_link;
  TracedPath path{};              ///< of the first message when it set out, ...
  double launched = 0, alpha = 0; ///< ... then, and its alpha
  double outage = 0;              ///< seconds since the first byte when it was down
  double changes = 0;             ///< what its changes have cost after those in `path` (s)
  [[nodiscard]] double begun() const { return launched + alpha; } ///< its first byte
};

class Network {
public:
  virtual ~Network() = default;
  /// The first byte of message `id` enters the links of its route (at least one) at `now`; wire > 0. The sink is told
  /// when the last byte has left them.
  virtual void begin(MessageId id, double now) = 0;
  /// The calendar has reached an event of kind message_end.
  virtual void end(MessageId id, double now) = 0;
  /// Bytes of message `id` that have left by `now`, while it is on its links; exact at instants of the calendar.
  [[nodiscard]] virtual double carried(MessageId id, double now) const = 0;
  /// Seconds that other traffic has cost message `id`, the last time it was on its links.
  [[nodiscard]] virtual double lost_to_traffic(MessageId /*id*/) const { return 0; }
  /// Takes a message off its links before its last byte has left, without telling the sink. Returns its bytes.
  virtual double cut(MessageId id, double now) = 0;
  /// Appends the messages with bytes on link `link`, other traffic included.
  virtual void messages_on(std::int32_t /*link*/, std::vector<MessageId>& /*out*/) const {
    throw std::logic_error("this network does not lose messages");
  }
  /// Whether messages take the links that they name; if not, they take the platform's direct route.
  [[nodiscard]] virtual bool takes_ways() const { return true; }
  /// Whether, with no message on its links, the network behaves as if none had ever been.
  [[nodiscard]] virtual bool forgets() const { return false; }
  /// Of the message that arrives, if it is `queued`.
  [[nodiscard]] virtual const FullLink& full_link() const {
    throw std::logic_error("this network notes no links that are full");
  }
  /// Appends the delays that the network needs.
  virtual void add_kept_delays(std::vector<DelayId*>& /*paths*/) {}
  /// From now on, the sink is told which links hold up each message (ArrivalSink::held_up).
  virtual void tell_holders() {}
  /// Message `id` will soon begin or end.
  virtual void prefetch(MessageId /*id*/) const {}
  /// A link has another bandwidth after `now` (0 while it is down). Called before the link's state changes, ...
  virtual void changing(std::int32_t link, double now) = 0;
  /// ... and after it.
  virtual void changed(std::int32_t /*link*/) {}
  /// Whether bytes are under way that the calendar does not know of.
  [[nodiscard]] virtual bool has_unscheduled_bytes() const { return false; }
  /// All events of the instant `now` have been handled, so shares can be solved. May add events at or after `now`.
  virtual void settle(double now) = 0;
};

} // namespace gradflight
