// The one seam between the plan's execution and what moves bytes. Two implementations: FairNetwork (hybrid), and
// SimgridNetwork, in which every transfer is a plain S4U Comm.
#pragma once

#include "sim/engine/network/message.hpp"

#include <stdexcept>
#include <vector>

namespace gradflight {

/// What each link carried; kept by the network as transfers begin and end.
struct LinkUse {
  double bytes = 0, busy = 0, since = 0;
  std::int32_t transfers = 0;
};

/// Who is told when a message's last byte has arrived.
class ArrivalSink {
public:
  virtual void arrived(MessageId id, double now) = 0;
  /// All but the last `rest` bytes have left: a mark of the message's extra.
  virtual void left(MessageId /*id*/, double /*rest*/, double /*now*/) {}
  /// A link that a message's bytes are on has another bandwidth after `now`.
  virtual void link_changes(MessageId /*id*/, double /*now*/) {}

protected:
  ~ArrivalSink() = default;
};

class Network {
public:
  virtual ~Network() = default;
  /// The first byte of message `id` enters the links of its route (at least one) at `now`; wire > 0. When the last one
  /// has left them, the sink is told.
  virtual void begin(MessageId id, double now) = 0;
  /// An event of kind message_end came up in the calendar.
  virtual void end(MessageId id, double now) = 0;
  /// Bytes of message `id` that have left up to `now`, while it is on its links; exact at instants of the calendar.
  [[nodiscard]] virtual double carried(MessageId id, double now) const = 0;
  /// Seconds that sharing links with flows beside all plans has cost message `id`, which was on its links last.
  [[nodiscard]] virtual double lost_to_traffic(MessageId /*id*/) const { return 0; }
  /// Takes a message off its links before its last byte has left, and tells no sink. Returns what it has carried.
  virtual double cut(MessageId id, double now) = 0;
  /// Appends the messages whose bytes are on link `link`, those beside all plans too.
  virtual void messages_on(std::int32_t /*link*/, std::vector<MessageId>& /*out*/) const {
    throw std::logic_error("this network does not lose messages");
  }
  /// Messages take the links that they name; else the platform's straight way from place to place.
  [[nodiscard]] virtual bool takes_ways() const { return true; }
  /// With no message on its links, it goes on as if none had ever been.
  [[nodiscard]] virtual bool forgets() const { return false; }
  /// Message `id` will soon begin or end.
  virtual void prefetch(MessageId /*id*/) const {}
  /// A link has another bandwidth after `now` (or none, while it is down): told before the link's state says so, ...
  virtual void changing(std::int32_t link, double now) = 0;
  /// ... and after it.
  virtual void changed(std::int32_t /*link*/) {}
  /// Bytes are under way of which the calendar knows nothing.
  [[nodiscard]] virtual bool moves_unseen() const { return false; }
  /// All events of the instant `now` have been handled: settle who shares what. May add events at or after `now`.
  virtual void settle(double now) = 0;
};

} // namespace gradflight
