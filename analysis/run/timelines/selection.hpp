// Which part of a timeline is written: some ranks, some time, collectives alone, no more than a size.
#pragma once

#include "analysis/run/timelines/critical_path.hpp"
#include "sim/result/timeline.hpp"

#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace gradflight {

struct TimelineSelection {
  std::vector<std::pair<int, int>> ranks{};                      ///< first to last, both included; empty: all
  double from = 0, to = std::numeric_limits<double>::infinity(); ///< seconds: what is there at any time between
  bool collectives_only =
      false;           ///< a slice for each rank and bucket from first to last, instead of passes and messages
  double bytes = 20e6; ///< of the file, about, before it is packed
};

/// "0-7,12": throws std::invalid_argument with what is wrong.
std::vector<std::pair<int, int>> parse_ranks(std::string_view text);

/// What was chosen, and what was left out of it for its size.
struct SelectedTimeline {
  Timeline timeline;
  std::vector<CriticalStep> path;      ///< of the time that was chosen; `record` is the whole timeline's
  std::vector<std::string> path_names; ///< of each of its steps, for all
  std::vector<bool> shown;             ///< of each rank: it is in the file
  std::size_t ranks_left_out = 0, links_left_out = 0,
              short_left_out = 0; ///< the latter: the shortest slices of the rest
  double shortest = 0;            ///< seconds: all shorter ones are left out
  [[nodiscard]] bool empty() const {
    return timeline.intervals.empty() && timeline.transfers.empty() && timeline.marks.empty() && path.empty();
  }
  [[nodiscard]] bool complete() const { return ranks_left_out + links_left_out + short_left_out == 0; }
};

/// What does not fit: first the links' counters but the busiest, then ranks, those on the critical path and evenly
/// spaced ones kept; where one rank alone is too much, its shortest slices. `bytes_per_slice`: what one takes in the
/// format that is written.
SelectedTimeline select(const Timeline& timeline, const TimelineSelection& selection, double bytes_per_slice);

/// "rank 3 (node 3): g from rank 2 (node 2)", "forward conv1", ... as a timeline calls it.
std::string slice_name(const Timeline& timeline, const Interval& interval);
std::string record_name(const std::vector<std::string>& names, int index, const char* what);

/// What kind of thing a slice is, for colours: "forward", "codec", ...
const char* activity_category(Activity activity);

/// What was left out, in a sentence; empty: nothing.
std::string left_out_text(const SelectedTimeline& selected);

} // namespace gradflight
