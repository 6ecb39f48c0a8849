// Helpers for the one-sided steps of schedules.
#pragma once

#include "models/schedules/parts/schedule.hpp"

namespace gradflight {

inline Step send_step(int to, Range range, bool wait_sent = true) {
  Step step;
  step.to = to;
  step.out = range;
  step.wait_sent = wait_sent;
  return step;
}

/// Sends to a receiver that takes many messages at once, or has room for them: a server, a master, a waiting worker.
inline Step buffered_send_step(int to, Range range, bool wait_sent = true) {
  Step step = send_step(to, range, wait_sent);
  step.buffered = true;
  return step;
}

inline Step receive_step(int from, Range range, Combine combine = Combine::take) {
  Step step;
  step.from = from;
  step.in = range;
  step.combine = combine;
  return step;
}

} // namespace gradflight
