// Messages under way: a pool of slots, used again, so that nothing is allocated per message.
#pragma once

#include "platforms/code/platform.hpp"
#include "sim/result/result.hpp"

#include <cstdint>
#include <vector>

namespace gradflight {

using MessageId = std::uint32_t;
inline constexpr MessageId no_message = 0xffffffffu;

/// Each byte of a message takes `weight` > 0 bytes of link `link`'s capacity, beside its route: a stage of a NIC's
/// engine, or the way back that acknowledgements take. Not on the route itself, and named once.
struct LinkShare {
  std::int32_t link = 0;
  double weight = 1;
};

struct Message {
  std::uint32_t from_stream = 0, to_stream = 0; ///< indices of streams in the executor
  std::int32_t from = 0;                        ///< sending rank
  std::int64_t tag = 0, first = 0;              ///< of the exchange; first element (or list) of its range
  double payload = 0, wire = 0;                 ///< bytes, dense and on the links
  double slowing = 1; ///< alpha and each byte take so many times as long (platform.rate_while_computing)
  double posted = 0, launched = 0, begun = 0; ///< sent; both sides there; first byte on the links
  double alpha = 0, bandwidth = 0;            ///< of the route
  Path path{}; ///< critical path of the sender when it posted; of the arrival, once arrived
  Route links; ///< each takes the message's bytes as they are
  int bucket = 0, step = 0;
  std::int64_t iteration = 0;
  MessageId next = no_message; ///< in the receiver's inbox
  bool offered = false;        ///< there until the receiver is at its step: no byte has moved
  // under a protocol, see messaging.hpp
  double set_out = 0;             ///< when its data may leave: the receiver's clearance is there
  double behind = 0;              ///< bytes that are still to flow when the sender goes on; 0: it waits for all
  double credit = 0;              ///< bytes that idle links let pass at once
  MessageId blocked = no_message; ///< whose clearance waits behind this message's data
  // while its bytes flow (hybrid engine)
  boost::container::small_vector<std::uint32_t, 12> seats; ///< where it stands in the list of each of its links,
                                                           ///< then of its shares
  double remaining = 0, rate = 0, since = 0;               ///< bytes left at `since`, flowing at `rate`
  double after = 0;                                        ///< further bytes: `behind`, until it is their turn
  double end = 0;                                          ///< scheduled end; an event at another time is stale
  bool flowing = false;
  std::uint64_t visit = 0; ///< last solve that has seen it
  std::uint32_t part = 0;  ///< its index in that solve
  // of messages with a codec, or with more to load than their route; last, since most have neither
  std::vector<LinkShare> shares; ///< further links; their memory lives on in the slot
  double fill = 0, tail = 0;     ///< in a compressing NIC: before the first byte and after the last one
  double engine = 0;             ///< what its engine adds to the time on the wire, alone
  double decode = 0;             ///< seconds for the receiver to decode it
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
  void release(MessageId id) { free_.push_back(id); }
  Message& operator[](MessageId id) { return slots_[id]; }
  const Message& operator[](MessageId id) const { return slots_[id]; }
  [[nodiscard]] std::size_t in_use() const { return slots_.size() - free_.size(); }

private:
  std::vector<Message> slots_;
  std::vector<MessageId> free_;
};

} // namespace gradflight
