// A timeline as a drawing: a row for each of a few ranks, with the critical path across them.
//
// A row has three lanes: work, sent messages, and received messages. Pieces that are too close for a screen are merged,
// so that the size of the drawing does not grow with the number of messages.
#pragma once

#include "sim/result/timeline.hpp"

#include <string>
#include <vector>

namespace gradflight {

struct GanttView {
  double from = 0, to = 0;  ///< seconds
  std::vector<int> ranks{}; ///< in the order of the drawing
};

inline constexpr std::size_t gantt_ranks = 8;

/// Returns the interval from `from` to `to`, with at most gantt_ranks ranks: those with most time on the critical path,
/// ascending.
GanttView gantt_view(const Timeline& timeline, double from, double to);

/// Returns an empty string if the view contains nothing.
std::string gantt_markup(const Timeline& timeline, const GanttView& view, const std::string& label);

} // namespace gradflight
