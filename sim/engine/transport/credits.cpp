#include "sim/engine/transport/credits.hpp"

#include <algorithm>
#include <utility>

namespace gradflight {

Credits::Line& Credits::line_of(std::uint32_t from, std::uint32_t to) {
  if (lines_.size() <= from) lines_.resize(from + 1);
  std::vector<Line>& lines = lines_[from];
  if (const auto found = std::ranges::find(lines, to, &Line::to); found != lines.end()) return *found;
  Line& added = lines.emplace_back();
  added.to = to;
  added.waiting.fill(no_message);
  return added;
}

std::optional<double> Credits::send(std::uint32_t from, std::uint32_t to, int ahead, MessageId id) {
  Line& line = line_of(from, to);
  const std::int64_t awaited = line.sent++ - ahead;
  if (awaited < 0) return 0;
  const std::size_t seat = static_cast<std::size_t>(awaited) % line.known.size();
  if (awaited < line.taken) return line.known[seat];
  line.waiting[seat] = id;
  return std::nullopt;
}

void Credits::forget_times() {
  for (std::vector<Line>& lines : lines_)
    for (Line& line : lines) line.known.fill(0);
}

MessageId Credits::release(std::uint32_t from, std::uint32_t to, double known) {
  Line& line = line_of(from, to);
  const std::size_t seat = static_cast<std::size_t>(line.taken++) % line.known.size();
  line.known[seat] = known;
  return std::exchange(line.waiting[seat], no_message);
}

} // namespace gradflight
