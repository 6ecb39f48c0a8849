// Events of a run: intervals per rank and stream, messages as flows, link occupancy. Recorded on request, with a limit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gradflight {

enum class Activity : std::uint8_t {
  forward,
  backward,
  update,
  reduce,
  merge,
  cost,
  encode,
  decode,
  exchange ///< a bucket's messages and sums as a whole: computed from a timeline; engines do not record it
};

struct Interval {
  int rank, stream; ///< stream: 0 compute, 1.. communication
  Activity activity;
  int label; ///< forward, backward: layer; cost: index into costs; else bucket
  std::int64_t iteration;
  double begin, end;
};

struct Transfer {
  int from = 0, to = 0, stream = 0; ///< ranks; communication stream (1..)
  int bucket = 0;
  std::int64_t iteration = 0;
  double posted = 0, begin = 0, end = 0; ///< posted by the sender; first byte on the links; arrived
  double bytes = 0;                      ///< on the wire
  double launched = posted;              ///< when both sides were ready, or the receiver need not be
};

/// A transfer enters (rate > 0) or leaves (rate < 0) a link, at its mean rate, bytes per second. Not sorted by time.
struct LinkChange {
  int link;
  double time, rate;
};

/// An event that belongs to no single rank.
struct TimelineMark {
  double time;
  std::string text;
};

struct Timeline {
  std::size_t limit = 2'000'000; ///< largest number of records, of all kinds together
  bool truncated = false;        ///< more records existed
  std::vector<Interval> intervals;
  std::vector<Transfer> transfers;
  std::vector<LinkChange> links;
  std::vector<TimelineMark> marks; ///< sorted by time
  std::vector<std::string> rank_names, link_names, layer_names, bucket_names, cost_names;
  std::vector<double> link_bandwidths;
};

} // namespace gradflight
