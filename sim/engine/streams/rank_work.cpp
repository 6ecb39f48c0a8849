#include "sim/engine/streams/rank_work.hpp"

#include <algorithm>
#include <span>

namespace gradflight {

namespace {
bool computes(const WorkOp& op) { return op.part == Part::compute || op.part == Part::update; }
} // namespace

double RankWork::obtain(Occupancy& resource, double now, TracedPath& path) {
  if (resource.until() <= now) return now;
  path = *resource.path();
  return resource.until();
}

void RankWork::wake_at(double time, std::uint32_t s) {
  if (!speeds_.any() || time < ChangeCalendar::never) calendar_.add(time, {EventKind::stream, s});
}

bool RankWork::submit(std::uint32_t s, const WorkOp& op, double now) {
  if (op.seconds <= 0) return true;
  Stream& stream = streams_[s];
  Track& track = tracks_[stream.plan];
  Occupancy& resource = track.occupancy(stream.rank, op.resource);
  const double begin = obtain(resource, now, stream.path);
  stream.work_end =
      computes(op) && speeds_.any() ? speeds_.end(track.place(stream.rank), begin, op.seconds) : begin + op.seconds;
  if (begin <= now) {
    start(s, now);
    return false;
  }
  resource.add(stream.work_end, stream.path);
  add_work(*resource.path(), stream, op, now, begin);
  stream.stage = StreamStage::queued;
  wake_at(begin, s);
  return false;
}

void RankWork::start(std::uint32_t s, double now) {
  Stream& stream = streams_[s];
  Track& track = tracks_[stream.plan];
  const auto& op = std::get<WorkOp>(stream.op);
  stream.stage = StreamStage::working;
  add_work(stream.path, stream, op, now, now);
  if (Occupancy& resource = track.occupancy(stream.rank, op.resource); resource.until() <= stream.work_end)
    resource.add(stream.work_end, stream.path);
  if (computes(op)) {
    track.accounts.computing(+1, now);
    track.accounts.computed(static_cast<std::size_t>(stream.rank), stream.work_end - now);
  }
  if (slowing_ > 1 && op.part == Part::compute) {
    double& until = track.computing_until[static_cast<std::size_t>(stream.rank)];
    if (until <= now) until = passes_until(stream);
  }
  recorder_.interval(track, stream, op.activity, op.label, op.iteration, now, stream.work_end);
  wake_at(stream.work_end, s);
}

void RankWork::add_work(TracedPath& path, const Stream& stream, const WorkOp& op, double now, double begin) {
  Track& track = tracks_[stream.plan];
  const double end = stream.work_end;
  const double seconds = speeds_.any() && computes(op) ? end - begin : op.seconds;
  at(path, op.part) += seconds;
  if (op.launches_call) path.details.launching += seconds;
  if (op.serves()) path.details.serving += seconds;
  if (!computes(op)) return;
  if (speeds_.any() && end < ChangeCalendar::never) {
    const std::int32_t place = track.place(stream.rank);
    path.details.down += speeds_.down(place, begin, end);
    speeds_.find_costs(place, begin, end, costs_);
    for (const Speeds::Cost& cost : costs_)
      path.last_delay = delays_.add_cost(path.last_delay, cost.what, place, cost.entry, cost.seconds);
  }
  if (op.nominal > 0 && begin < ChangeCalendar::never)
    if (const double median = median_seconds(track, op.nominal, now, begin); median < ChangeCalendar::never)
      path.details.straggling += seconds - median;
}

/// Returns what a worker of median speed would take for work that begins at `begin`.
double RankWork::median_seconds(Track& track, double nominal, double now, double begin) const {
  if (!track.median_speed)
    track.median_speed.emplace(speeds_,
                               std::span(track.shape->place).first(static_cast<std::size_t>(track.shape->workers)));
  return track.median_speed->seconds(now, begin, nominal);
}

/// Returns the end of the passes that a rank's work belongs to, from its future speed.
double RankWork::passes_until(const Stream& stream) const {
  const double foreseen = stream.program->computing_until(stream.work_end);
  if (!speeds_.any()) return foreseen;
  // The passes end one by one, by additions that round in other ways: what sets out at their end is not beside them.
  constexpr double rounding = 1e-12;
  return speeds_.end(tracks_[stream.plan].place(stream.rank), stream.work_end, foreseen - stream.work_end) *
         (1 - rounding);
}

void RankWork::ended(std::uint32_t s, double now) {
  const Stream& stream = streams_[s];
  if (stream.stage == StreamStage::working)
    if (const auto* op = std::get_if<WorkOp>(&stream.op); op != nullptr && computes(*op))
      tracks_[stream.plan].accounts.computing(-1, now);
  streams_.wake(s);
}

double RankWork::pass(const Stream& stream, Resource resource, Part part, double seconds, double now, double& begin,
                      TracedPath& path) {
  Occupancy& busy = tracks_[stream.plan].occupancy(stream.rank, resource);
  begin = obtain(busy, now, path);
  at(path, part) += seconds;
  const double end = begin + seconds;
  busy.add(end, path);
  return end;
}

double RankWork::run_codec(const Stream& stream, Activity activity, double seconds, double now, TracedPath& path) {
  const StepOp& op = stream.step();
  double begin = now;
  const double end = pass(stream, op.codec, Part::codec, seconds, now, begin, path);
  recorder_.interval(tracks_[stream.plan], stream, activity, op.bucket, op.iteration, begin, end);
  return end;
}

double RankWork::run_reducer(const Stream& stream, double ready, TracedPath& path) {
  const StepOp& op = stream.step();
  const bool merge = op.transfer.combine == Combine::merge;
  double begin = ready;
  const double end =
      pass(stream, Resource::reducer, merge ? Part::merge : Part::gamma, op.combine_seconds, ready, begin, path);
  recorder_.interval(tracks_[stream.plan], stream, merge ? Activity::merge : Activity::reduce, op.bucket, op.iteration,
                     begin, end);
  return end;
}

} // namespace gradflight
