// A timeline as a drawing: a row for each of a few ranks, with the critical path across them.
//
// A row has three lanes: work, what is sent, what is received. Pieces that are closer than a screen can tell are drawn
// as one, so that the drawing's size does not grow with the number of messages.
#pragma once

#include "sim/result/timeline.hpp"

#include <string>
#include <vector>

namespace gradflight {

struct GanttView {
  double from = 0, to = 0;  ///< seconds
  std::vector<int> ranks{}; ///< in the order in which they are drawn
};

inline constexpr std::size_t gantt_ranks = 8;

/// The moments from `from` to `to`, and of all ranks at most gantt_ranks: those where the critical path then spends
/// most time, ascending.
GanttView gantt_view(const Timeline& timeline, double from, double to);

/// Empty where the view holds nothing.
std::string gantt_markup(const Timeline& timeline, const GanttView& view, const std::string& label);

} // namespace gradflight
