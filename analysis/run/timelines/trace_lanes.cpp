#include "analysis/run/timelines/trace_lanes.hpp"

#include <algorithm>
#include <cmath>
#include <queue>
#include <tuple>

namespace gradflight {
namespace {

auto group(const TraceSlice& slice) { return std::tuple(slice.rank, slice.stream, slice.kind); }

std::vector<TraceSlice> collect(const Timeline& timeline, const std::vector<bool>& shown) {
  const auto is_shown = [&](int rank) { return shown.empty() || shown[static_cast<std::size_t>(rank)]; };
  std::vector<TraceSlice> slices;
  slices.reserve(timeline.intervals.size() + 2 * timeline.transfers.size());
  for (std::size_t i = 0; i < timeline.intervals.size(); ++i) {
    const Interval& v = timeline.intervals[i];
    if (is_shown(v.rank))
      slices.push_back({v.rank, v.stream, LaneKind::work, i, trace_nanoseconds(v.begin), trace_nanoseconds(v.end)});
  }
  for (std::size_t i = 0; i < timeline.transfers.size(); ++i) {
    const Transfer& t = timeline.transfers[i];
    const std::int64_t end = trace_nanoseconds(t.end);
    if (is_shown(t.from)) slices.push_back({t.from, t.stream, LaneKind::send, i, trace_nanoseconds(t.posted), end});
    if (is_shown(t.to)) slices.push_back({t.to, t.stream, LaneKind::receive, i, trace_nanoseconds(t.begin), end});
  }
  std::sort(slices.begin(), slices.end(), [](const TraceSlice& a, const TraceSlice& b) {
    return std::tuple(group(a), a.begin, a.end, a.record) < std::tuple(group(b), b.begin, b.end, b.record);
  });
  return slices;
}

} // namespace

std::int64_t trace_nanoseconds(double seconds) { return std::llround(seconds * 1e9); }

std::string TraceThread::name() const {
  std::string text = stream == 0 ? "compute" : "comm" + std::to_string(stream - 1);
  if (kind == LaneKind::send) text += " send";
  if (kind == LaneKind::receive) text += " receive";
  if (lane > 0) text += " " + std::to_string(lane + 1);
  return text;
}

TraceLanes assign_lanes(const Timeline& timeline, const std::vector<bool>& shown) {
  TraceLanes result;
  result.slices = collect(timeline, shown);
  using Busy = std::pair<std::int64_t, int>; // time from which the lane is free; lane
  std::priority_queue<Busy, std::vector<Busy>, std::greater<>> busy;
  std::priority_queue<int, std::vector<int>, std::greater<>> idle;
  int first = 0; // thread of lane 0 of the group
  for (std::size_t i = 0; i < result.slices.size(); ++i) {
    TraceSlice& slice = result.slices[i];
    if (i == 0 || group(slice) != group(result.slices[i - 1])) {
      busy = {};
      idle = {};
      first = static_cast<int>(result.threads.size());
    }
    for (; !busy.empty() && busy.top().first <= slice.begin; busy.pop()) idle.push(busy.top().second);
    if (idle.empty()) {
      const int lane = static_cast<int>(result.threads.size()) - first;
      idle.push(lane);
      result.threads.push_back({slice.rank, slice.stream, slice.kind, lane});
    }
    const int lane = idle.top();
    idle.pop();
    busy.emplace(slice.end, lane);
    slice.thread = first + lane;
  }
  return result;
}

} // namespace gradflight
