// The weight of a message, which its plan gives when it is sent (training/message_weights.hpp for training).
#pragma once

#include "models/nic/stream_cost.hpp"

#include <array>

namespace gradflight {

struct Weight {
  double payload = 0;     ///< dense bytes
  double wire = 0;        ///< bytes on each link of the route; 0 where sender and receiver share a place
  double links_share = 1; ///< the part of `wire` that the links themselves take (HopCost::links_bytes); the rest is a
                          ///< library's protocol, or what its channels cannot fill
  double least_alpha = 0; ///< lower bound on alpha in seconds, whatever the route's alpha
  double stored = 0;      ///< additional seconds of alpha: its sender stores it where a NIC fetches it
  double busy = 0; ///< part of a streamed message's alpha that its sender takes before the first byte is on the links
  bool rendezvous = false; ///< it is announced first, which takes the route's latency
  /// Limit on the messages that a sender may be ahead of its receiver: the next one waits until the message this many
  /// before it was taken, plus the latencies of the route's links. Only for streamed messages. 0: no limit.
  int ahead = 0;
  /// Whether this also limits messages with a round trip of at most least_alpha, which otherwise includes all waiting.
  bool ahead_on_short_ways = false;
  double decode_seconds = 0; ///< seconds its receiver takes to decode it before combining
  // of a message that passes compressing NICs:
  bool through_nics = false;
  double fill = 0, tail = 0;               ///< seconds before the first byte is on the wire and after the last one
  double engine = 0;                       ///< seconds that the engines add to the time on the wire, if alone
  double on_wire = 0;                      ///< with slower engines: seconds that an unlimited wire would save
  std::array<double, nic_stages> stages{}; ///< bytes of each stage's bus per byte on the wire; 0: not used
};

} // namespace gradflight
