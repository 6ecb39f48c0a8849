// Selects the part of a timeline to write: some ranks, an interval, only collectives, or a limited size.
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
  double from = 0, to = std::numeric_limits<double>::infinity(); ///< seconds: records at any time between
  bool collectives_only =
      false;           ///< a slice for each rank and bucket from first to last, instead of passes and messages
  double bytes = 20e6; ///< approximate size of the file before compression
};

/// Parses "0-7,12". Throws std::invalid_argument with the mistake.
std::vector<std::pair<int, int>> parse_ranks(std::string_view text);

/// The selected records, and how many were left out because of their size.
struct SelectedTimeline {
  Timeline timeline;
  std::vector<CriticalStep> path; ///< the path during the selected time; `record` is the index in the whole timeline
  std::vector<std::string> path_names; ///< name of each step
  std::vector<bool> shown;             ///< for each rank: whether it is in the file
  std::size_t ranks_left_out = 0, links_left_out = 0,
              short_left_out = 0; ///< short_left_out: the shortest slices of the rest
  double shortest = 0;            ///< seconds: all shorter slices are left out
  [[nodiscard]] bool empty() const {
    return timeline.intervals.empty() && timeline.transfers.empty() && timeline.marks.empty() && path.empty();
  }
  [[nodiscard]] bool complete() const { return ranks_left_out + links_left_out + short_left_out == 0; }
};

/// Selects records up to the size limit. If all do not fit, it first drops the counters of less busy links. Then it
/// drops ranks, and keeps those on the critical path and evenly spaced ones. If a single rank is too large, it drops
/// its shortest slices. `bytes_per_slice` is the size of a slice in the output format.
SelectedTimeline select(const Timeline& timeline, const TimelineSelection& selection, double bytes_per_slice);

/// Returns the name in a timeline: "rank 3 (node 3): g from rank 2 (node 2)", "forward conv1", ...
std::string slice_name(const Timeline& timeline, const Interval& interval);
std::string record_name(const std::vector<std::string>& names, int index, const char* what);

/// Returns the category of a slice, for colours: "forward", "codec", ...
const char* activity_category(Activity activity);

/// Returns a sentence about the records left out; empty: none.
std::string left_out_text(const SelectedTimeline& selected);

} // namespace gradflight
