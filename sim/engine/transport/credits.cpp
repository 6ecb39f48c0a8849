#include "sim/engine/transport/credits.hpp"

#include <utility>

namespace gradflight {

Credits::Line Credits::line(std::uint32_t from, std::uint32_t to) {
  if (first_.size() <= from) first_.resize(from + 1, no_credit_line);
  Line found = first_[from];
  while (found != no_credit_line && lines_[found].to != to) found = lines_[found].next;
  if (found != no_credit_line) return found;
  State added;
  added.to = to;
  added.next = first_[from];
  lines_.push_back(added);
  return first_[from] = static_cast<Line>(lines_.size() - 1);
}

std::optional<double> Credits::send(Line line, int ahead, MessageId id) {
  State& state = lines_[line];
  const std::int64_t awaited = state.sent++ - ahead;
  if (awaited < 0) return 0;
  if (awaited < state.taken) return state.known[static_cast<std::size_t>(awaited) % state.known.size()];
  state.awaited = awaited;
  state.waiting = id;
  return std::nullopt;
}

MessageId Credits::release(Line line, double known) {
  State& state = lines_[line];
  const std::int64_t taken = state.taken++;
  state.known[static_cast<std::size_t>(taken) % state.known.size()] = known;
  return taken == state.awaited ? std::exchange(state.waiting, no_message) : no_message;
}

void Credits::forget_times() {
  for (State& state : lines_) state.known.fill(0);
}

} // namespace gradflight
