// Writes events of the run into a Timeline, within its limit; does nothing without one.
#pragma once

#include "sim/engine/streams/stream.hpp"
#include "sim/engine/streams/track.hpp"

namespace gradflight {

class Recorder {
public:
  Recorder(Timeline* timeline, const Platform& platform) : timeline_(timeline), platform_(platform) {}

  /// Records from now on have times since `epoch` (s).
  void restart_clock(double epoch) { epoch_ = epoch; }
  void name_links(const std::vector<DirectedLink>& links);
  /// A plan begins. Each plan has its own ranks, layers, buckets and costs; their names follow those of earlier plans.
  void name(Track& track, bool first_plan);
  void interval(const Track& track, const Stream& stream, Activity activity, int label, std::int64_t iteration,
                double begin, double end) {
    if (timeline_ != nullptr) add_interval(track, stream, activity, label, iteration, begin, end);
  }
  /// A message has arrived at `now`, after `tail` seconds off its links.
  void transfer(const Track& track, const Stream& to, const Message& m, double tail, std::span<const LinkShare> shares,
                double now) {
    if (timeline_ != nullptr) add_transfer(track, to, m, tail, shares, now);
  }

private:
  [[nodiscard]] bool full();
  void add_interval(const Track& track, const Stream& stream, Activity activity, int label, std::int64_t iteration,
                    double begin, double end);
  void add_transfer(const Track& track, const Stream& to, const Message& m, double tail,
                    std::span<const LinkShare> shares, double now);

  Timeline* timeline_;
  const Platform& platform_;
  double epoch_ = 0;
};

} // namespace gradflight
