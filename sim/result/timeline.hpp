// What happened when: intervals per rank and stream, messages as flows, link occupancy. Recorded on request, bounded.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gradflight {

enum class Activity : std::uint8_t { forward, backward, update, reduce, merge, cost, encode, decode };

struct Interval {
  int rank, stream; ///< stream: 0 compute, 1.. communication
  Activity activity;
  int label; ///< forward, backward: layer; cost: index into costs; else bucket
  std::int64_t iteration;
  double begin, end;
};

struct Transfer {
  int from, to, stream; ///< ranks; communication stream (1..)
  int bucket;
  std::int64_t iteration;
  double posted, begin, end; ///< posted by the sender; first byte on the links; arrived
  double bytes;              ///< on the wire
};

/// A transfer enters (rate > 0) or leaves (rate < 0) a link, at its mean rate over its life: bytes per second. Not in
/// order of time.
struct LinkChange {
  int link;
  double time, rate;
};

/// Something that concerns no rank alone.
struct TimelineMark {
  double time;
  std::string text;
};

struct Timeline {
  std::size_t limit = 2'000'000; ///< records kept at most, of all kinds together
  bool truncated = false;        ///< there were more
  std::vector<Interval> intervals;
  std::vector<Transfer> transfers;
  std::vector<LinkChange> links;
  std::vector<TimelineMark> marks; ///< in order of time
  std::vector<std::string> rank_names, link_names, layer_names, bucket_names, cost_names;
  std::vector<double> link_bandwidths;
};

} // namespace gradflight
