// Messages under way: a pool of reused slots, so that messages need no allocation.
//
// Thousands of ranks in lockstep have thousands of messages under way, and each event of a message reads its slot. So
// the slot holds only what every message has. What few messages have (codecs, protocols, weighted links) is apart.
#pragma once

#include "platforms/code/platform.hpp"
#include "sim/engine/network/delays.hpp"

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace gradflight {

using MessageId = std::uint32_t;
inline constexpr MessageId no_message = 0xffffffffu;
inline constexpr std::int32_t no_link = -1;
inline constexpr std::uint32_t no_credit_line = 0xffffffffu;

/// Each byte of a message takes `weight` > 0 bytes of link `link`'s capacity, in addition to its route: a stage of a
/// NIC's engine, or the way back that acknowledgements take. The link is not on the route itself, and is named once.
struct LinkShare {
  std::int32_t link = 0;
  double weight = 1;
};

/// In place of a message's plan: it is a flow of other traffic (background.hpp), `from` and `to_stream` are places, and
/// `bucket` is its entry of `traffic`.
inline constexpr std::uint32_t beside_plans = 0xffffffffu;

/// By cache line: identity, then the bytes under way, then the links, and last what only arrivals read.
struct alignas(64) Message {
  std::uint32_t from_stream = 0, to_stream = 0; ///< indices of streams in the executor
  std::uint32_t plan = 0;                       ///< index among the executor's plans
  std::int32_t from = 0, bucket = 0;            ///< sending rank of its plan
  MessageId next = no_message;                  ///< the next in its box of the receiver's inbox
  std::int64_t tag = 0, first = 0;              ///< of the exchange; first element (or list) of its range
  std::int64_t iteration = 0;
  double posted = 0;         ///< sent
  bool offered = false;      ///< waits until the receiver reaches its step: no byte has moved
  bool flowing = false;      ///< its bytes are on the links
  bool extra = false;        ///< has a MessageExtra
  bool streamed : 1 = false; ///< alpha passes after its bytes, and its sender goes on when they have left
  bool timed : 1 = false;    ///< the calendar has an event for its present end
  bool met : 1 = false;      ///< it has shared a link with another message (hybrid)
  bool queued : 1 = false;   ///< Network::full_link() says what led to its end
  std::uint32_t part = 0;    ///< its index in the latest solve that saw it

  double wire = 0;                           ///< bytes on the links
  double alpha = 0;                          ///< as it set out
  double slowing = 1;                        ///< factor on alpha and on each byte (during compute)
  double credit = 0;                         ///< bytes that idle links let pass at once
  double remaining = 0, rate = 0, since = 0; ///< while its bytes flow: bytes left at `since`, and their rate
  double end = 0;                            ///< scheduled end; an event at another time is stale

  boost::container::small_vector<std::int32_t, 4> links; ///< each takes the message's bytes as they are
  std::uint64_t visit = 0;                               ///< the latest solve that saw it
  std::int32_t bottleneck = no_link;                     ///< the link that holds it up; if several do, the first, ...
  std::uint32_t tied = 0; ///< ... and a bit for each of them among its first 32 links and shares; else 0
  double launched = 0;    ///< when both sides were ready
  boost::container::small_vector<std::uint32_t, 4> seats; ///< indices in the lists of its links, then shares (hybrid)
  double traced_until = 0, traced_remaining = 0; ///< the path has its delays until then, when these bytes remained
  double begun = 0;                              ///< its first byte entered the links
  double busy = 0;                               ///< the part of a streamed message's alpha that comes before its bytes
  TracedPath path{};      ///< critical path of the sender when it posted; after the arrival, of the arrival
  double payload = 0;     ///< dense bytes
  double links_share = 1; ///< Weight::links_share
  std::uint32_t credit_line = no_credit_line; ///< it counts towards the messages that its sender may be ahead (Credits)
  DelayId latencies = 0; ///< what changes of latencies add to its alpha; its path does not contain these delays yet

  [[nodiscard]] bool beside() const { return plan == beside_plans; }
};

/// For messages with a codec, under a protocol, or with links to load besides their route.
struct MessageExtra {
  std::vector<LinkShare> shares; ///< further links; the slot keeps their memory
  double fill = 0, tail = 0;     ///< in a compressing NIC: seconds before the first byte and after the last one
  double engine = 0;             ///< seconds that its engine adds to the time on the wire, if alone
  double on_wire = 0;            ///< with a slower engine: seconds that an unlimited wire would save
  double decode = 0;             ///< seconds that the receiver needs to decode it
  double cap = std::numeric_limits<double>::infinity(); ///< its largest rate, bytes per second
  // under a protocol, see messaging.hpp:
  double set_out = 0;                 ///< when its data may leave, since the receiver's clearance has come
  double goes_on = 0, behind = 0;     ///< bytes still to flow when its sender goes on, and when its next may flow
  double after = 0;                   ///< while its bytes flow: those after the next of these marks
  bool sender_released = false;       ///< its sender has gone on
  MessageId blocked = no_message;     ///< its clearance waits behind this message's data
  MessageId next_on_way = no_message; ///< waits until all bytes of this one have left
  MessageId next_in_line = no_message, beside_in_line = no_message; ///< the first that waits for `behind`; further ones
  int waits_for = 0;                                                ///< number of messages that it waits behind
};

class MessagePool {
public:
  MessageId make() {
    if (free_.empty()) {
      slots_.emplace_back();
      return static_cast<MessageId>(slots_.size() - 1);
    }
    const MessageId id = free_.back();
    free_.pop_back();
    return id;
  }
  void release(MessageId id) {
    slots_[id].path.last_delay = slots_[id].latencies = 0;
    free_.push_back(id);
  }
  Message& operator[](MessageId id) { return slots_[id]; }
  const Message& operator[](MessageId id) const { return slots_[id]; }
  MessageExtra& give_extra(MessageId id) {
    if (extras_.size() <= id) extras_.resize(slots_.size());
    MessageExtra& extra = extras_[id];
    std::vector<LinkShare> shares = std::move(extra.shares);
    shares.clear();
    extra = {};
    extra.shares = std::move(shares);
    slots_[id].extra = true;
    return extra;
  }
  /// Only for a message that has one.
  MessageExtra& extra(MessageId id) { return extras_[id]; }
  [[nodiscard]] const MessageExtra& extra(MessageId id) const { return extras_[id]; }
  [[nodiscard]] std::span<const LinkShare> shares(MessageId id) const {
    return slots_[id].extra ? std::span<const LinkShare>(extras_[id].shares) : std::span<const LinkShare>();
  }
  /// All slots, used or not.
  [[nodiscard]] std::span<Message> slots() { return slots_; }
  [[nodiscard]] std::span<const Message> slots() const { return slots_; }
  [[nodiscard]] std::size_t in_use() const { return slots_.size() - free_.size(); }

private:
  std::vector<Message> slots_;
  std::vector<MessageExtra> extras_;
  std::vector<MessageId> free_;
};

} // namespace gradflight
