// What a message weighs: its plan's answer when it is sent (training/message_weights.hpp for training).
#pragma once

#include "models/nic/stream_cost.hpp"

#include <array>

namespace gradflight {

struct Weight {
  double payload = 0;     ///< dense bytes
  double wire = 0;        ///< bytes on each link of the route; 0 where sender and receiver share a place
  double least_alpha = 0; ///< seconds that alpha has at least, whatever the route's
  double stored = 0;      ///< seconds of alpha beside: its sender puts it where a NIC fetches it
  double busy = 0; ///< of a streamed message's alpha: its sender takes so long before its first byte is on the links
  int answers = 0; ///< latencies of the route that pass before it may set out: request and answer are two
  /// Messages that a sender is ahead of its receiver at most: the next one awaits that a message so far back has been
  /// taken and one latency of the way more. Of streamed messages whose way, there and back, takes longer than
  /// least_alpha, which otherwise has it in it. 0: any number.
  int ahead = 0;
  double decode_seconds = 0; ///< for its receiver to decode it, before it combines
  // of a message that passes compressing NICs
  bool through_nics = false;
  double fill = 0, tail = 0;               ///< seconds before the first byte is on the wire and after the last one
  double engine = 0;                       ///< seconds that the engines add to the time on the wire, alone
  std::array<double, nic_stages> stages{}; ///< bytes of each stage's bus that a byte on the wire takes; 0: not used
};

} // namespace gradflight
