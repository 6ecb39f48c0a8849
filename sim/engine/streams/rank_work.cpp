#include "sim/engine/streams/rank_work.hpp"

#include <algorithm>
#include <span>

namespace gradflight {

namespace {
bool computes(const WorkOp& op) { return op.part == Part::compute || op.part == Part::update; }
} // namespace

double RankWork::occupy(const Stream& stream, Resource resource, Occupancy::Work work, double seconds, double now,
                        double& begin, TracedPath& path, bool computes) {
  Track& track = tracks_[stream.plan];
  Occupancy& occupancy = track.occupancy(stream.rank, resource);
  begin = now;
  if (occupancy.until() > now) {
    begin = occupancy.until();
    at(path, Part::queue) += begin - now;
    const double before = path.details.queued(BusyWith::compute);
    occupancy.add_wait(now, path.details);
    note_use(path, track.place(stream.rank), now, now + path.details.queued(BusyWith::compute) - before);
  }
  const bool changes = computes && speeds_.any();
  const double until = changes ? speeds_.end(track.place(stream.rank), begin, seconds) : begin + seconds;
  occupancy.add(work, now, until);
  return until;
}

void RankWork::wake_at(double time, std::uint32_t s) {
  if (!speeds_.any() || time < ChangeCalendar::never) calendar_.add(time, {EventKind::stream, s});
}

bool RankWork::submit(std::uint32_t s, const WorkOp& op, double now) {
  if (op.seconds <= 0) return true;
  Stream& stream = streams_[s];
  double begin = now;
  stream.work_end =
      occupy(stream, op.resource, Occupancy::work_of(op), op.seconds, now, begin, stream.path, computes(op));
  if (begin <= now) {
    start(s, now);
    return false;
  }
  stream.stage = StreamStage::queued;
  wake_at(begin, s);
  return false;
}

void RankWork::start(std::uint32_t s, double now) {
  Stream& stream = streams_[s];
  Track& track = tracks_[stream.plan];
  const auto& op = std::get<WorkOp>(stream.op);
  stream.stage = StreamStage::working;
  const double seconds = speeds_.any() && computes(op) ? stream.work_end - now : op.seconds;
  at(stream.path, op.part) += seconds;
  if (op.launches_call) stream.path.details.launching += seconds;
  if (op.serves()) stream.path.details.serving += seconds;
  if (computes(op)) {
    track.accounts.computing(+1, now);
    track.accounts.computed(static_cast<std::size_t>(stream.rank), seconds);
    if (speeds_.any() && stream.work_end < ChangeCalendar::never) {
      stream.path.details.down += speeds_.down(track.place(stream.rank), now, stream.work_end);
      note_use(stream.path, track.place(stream.rank), now, stream.work_end);
    }
    if (op.nominal > 0)
      if (const double median = median_seconds(track, op.nominal, now); median < ChangeCalendar::never) {
        stream.path.details.straggling += seconds - median;
        track.occupancy(stream.rank, op.resource).set_straggling(stream.work_end, 1 - median / seconds);
      }
  }
  if (slowing_ > 1 && op.part == Part::compute) {
    double& until = track.computing_until[static_cast<std::size_t>(stream.rank)];
    if (until <= now) until = passes_until(stream);
  }
  recorder_.interval(track, stream, op.activity, op.label, op.iteration, now, stream.work_end);
  wake_at(stream.work_end, s);
}

/// Notes that a path has waited for computation at a place, whose speed may change.
void RankWork::note_use(TracedPath& path, std::int32_t place, double from, double to) {
  if (!speeds_.any()) return;
  using enum PlatformChange::What;
  const double down = speeds_.down(place, from, to);
  path.last_delay = delays_.add_use(path.last_delay, compute_speed, place, to - from - down);
  path.last_delay = delays_.add_use(path.last_delay, place_state, place, down);
}

/// Returns what a worker of median speed would take for work that begins now.
double RankWork::median_seconds(Track& track, double nominal, double now) const {
  if (!track.median_speed)
    track.median_speed.emplace(speeds_,
                               std::span(track.shape->place).first(static_cast<std::size_t>(track.shape->workers)));
  return track.median_speed->seconds(now, nominal);
}

/// Returns the end of the passes that a rank's work belongs to, from its future speed.
double RankWork::passes_until(const Stream& stream) const {
  const double foreseen = stream.program->computing_until(stream.work_end);
  if (!speeds_.any()) return foreseen;
  return speeds_.end(tracks_[stream.plan].place(stream.rank), stream.work_end, foreseen - stream.work_end);
}

void RankWork::ended(std::uint32_t s, double now) {
  const Stream& stream = streams_[s];
  if (stream.stage == StreamStage::working)
    if (const auto* op = std::get_if<WorkOp>(&stream.op); op != nullptr && computes(*op))
      tracks_[stream.plan].accounts.computing(-1, now);
  streams_.wake(s);
}

double RankWork::run_codec(const Stream& stream, Activity activity, double seconds, double now, TracedPath& path) {
  const StepOp& op = stream.step();
  double begin = now;
  const double end = occupy(stream, op.codec, {BusyWith::codec}, seconds, now, begin, path);
  at(path, Part::codec) += seconds;
  recorder_.interval(tracks_[stream.plan], stream, activity, op.bucket, op.iteration, begin, end);
  return end;
}

double RankWork::run_reducer(const Stream& stream, double ready, TracedPath& path) {
  const StepOp& op = stream.step();
  const bool merge = op.transfer.combine == Combine::merge;
  double begin = ready;
  const double end = occupy(stream, Resource::reducer, {BusyWith::reduction}, op.combine_seconds, ready, begin, path);
  at(path, merge ? Part::merge : Part::gamma) += op.combine_seconds;
  recorder_.interval(tracks_[stream.plan], stream, merge ? Activity::merge : Activity::reduce, op.bucket, op.iteration,
                     begin, end);
  return end;
}

} // namespace gradflight
