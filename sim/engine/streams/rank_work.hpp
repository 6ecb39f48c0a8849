// Work that takes a rank's own time: its program's work, and codecs and reductions on its resources.
#pragma once

#include "sim/engine/calendar/calendar.hpp"
#include "sim/engine/changes/changes.hpp"
#include "sim/engine/streams/recorder.hpp"

namespace gradflight {

class RankWork {
public:
  /// `slowing`: factor on messages of a rank that computes, 1 or more (platform.rate_while_computing).
  RankWork(Calendar& calendar, Streams& streams, Tracks& tracks, Recorder& recorder, const Speeds& speeds,
           Delays& delays, double slowing)
      : calendar_(calendar), streams_(streams), tracks_(tracks), recorder_(recorder), speeds_(speeds), delays_(delays),
        slowing_(slowing) {}

  /// Returns true if the work ends at once.
  bool submit(std::uint32_t s, const WorkOp& op, double now);
  /// Queued work has obtained its resource.
  void start(std::uint32_t s, double now);
  /// A stream's timed wait is over.
  void ended(std::uint32_t s, double now);
  /// Runs the encoding or decoding of a stream's step; returns its end and adds its time to `path`.
  double run_codec(const Stream& stream, Activity activity, double seconds, double now, TracedPath& path);
  /// Runs the step's reduction or merge, from `ready` on; returns its end and adds its time to `path`.
  double run_reducer(const Stream& stream, double ready, TracedPath& path);

  [[nodiscard]] double slowing() const { return slowing_; }
  /// Whether a rank is in a forward or backward pass; known only if slowing() is above 1.
  [[nodiscard]] static bool computing(const Track& track, std::int32_t rank, double now) {
    return track.computing_until[static_cast<std::size_t>(rank)] > now;
  }

private:
  /// Returns when a resource is free for a work that arrives at `now`. If it must wait, the path of the work before
  /// replaces `path`.
  static double obtain(Occupancy& resource, double now, TracedPath& path);
  /// Passes a step's work through a resource of the stream's rank: adds its time to `path` as `part` and sets `begin`.
  /// Returns its end.
  double pass(const Stream& stream, Resource resource, Part part, double seconds, double now, double& begin,
              TracedPath& path);
  /// Adds a work up to the stream's `work_end` to the path that leads to its beginning.
  void add_work(TracedPath& path, const Stream& stream, const WorkOp& op, double now, double begin);
  /// Schedules a wake-up; work that never ends, on a component that is down for good, gets no event.
  void wake_at(double time, std::uint32_t s);
  [[nodiscard]] double median_seconds(Track& track, double nominal, double now, double begin) const;
  [[nodiscard]] double passes_until(const Stream& stream) const;

  Calendar& calendar_;
  Streams& streams_;
  Tracks& tracks_;
  Recorder& recorder_;
  const Speeds& speeds_;
  Delays& delays_;
  double slowing_;
  std::vector<Speeds::Cost> costs_; ///< a member to keep its memory
};

} // namespace gradflight
