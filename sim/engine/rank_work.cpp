#include "sim/engine/rank_work.hpp"

#include <algorithm>

namespace gradflight {

namespace {
bool computes(const WorkOp& op) { return op.part == Part::compute || op.part == Part::update; }
} // namespace

double RankWork::occupy(const Stream& stream, Resource resource, double seconds, double now, double& begin) {
  double& until =
      tracks_[stream.plan].busy_until[static_cast<std::size_t>(stream.rank)][static_cast<std::size_t>(resource)];
  begin = std::max(now, until);
  until = begin + seconds;
  return until;
}

bool RankWork::submit(std::uint32_t s, const WorkOp& op, double now) {
  if (op.seconds <= 0) return true;
  Stream& stream = streams_[s];
  double begin = now;
  stream.work_end = occupy(stream, op.resource, op.seconds, now, begin);
  if (begin <= now) {
    start(s, now);
    return false;
  }
  stream.stage = StreamStage::queued;
  at(stream.path, Part::queue) += begin - now;
  calendar_.add(begin, {EventKind::stream, s});
  return false;
}

void RankWork::start(std::uint32_t s, double now) {
  Stream& stream = streams_[s];
  Track& track = tracks_[stream.plan];
  const auto& op = std::get<WorkOp>(stream.op);
  stream.stage = StreamStage::working;
  at(stream.path, op.part) += op.seconds;
  if (computes(op)) {
    track.accounts.computing(+1, now);
    track.accounts.computed(static_cast<std::size_t>(stream.rank), op.seconds);
  }
  if (slowing_ > 1 && op.part == Part::compute) {
    double& until = track.computing_until[static_cast<std::size_t>(stream.rank)];
    if (until <= now) until = stream.program->computing_until(stream.work_end);
  }
  recorder_.interval(track, stream, op.activity, op.label, op.iteration, now, stream.work_end);
  calendar_.add(stream.work_end, {EventKind::stream, s});
}

void RankWork::ended(std::uint32_t s, double now) {
  const Stream& stream = streams_[s];
  if (stream.stage == StreamStage::working)
    if (const auto* op = std::get_if<WorkOp>(&stream.op); op != nullptr && computes(*op))
      tracks_[stream.plan].accounts.computing(-1, now);
  streams_.wake(s);
}

double RankWork::run_codec(const Stream& stream, Activity activity, double seconds, double now, Path& path) {
  const StepOp& op = stream.step();
  double begin = now;
  const double end = occupy(stream, op.codec, seconds, now, begin);
  at(path, Part::queue) += begin - now;
  at(path, Part::codec) += seconds;
  recorder_.interval(tracks_[stream.plan], stream, activity, op.bucket, op.iteration, begin, end);
  return end;
}

double RankWork::run_reducer(const Stream& stream, double ready, Path& path) {
  const StepOp& op = stream.step();
  const bool merge = op.transfer.combine == Combine::merge;
  double begin = ready;
  const double end = occupy(stream, Resource::reducer, op.combine_seconds, ready, begin);
  at(path, Part::queue) += begin - ready;
  at(path, merge ? Part::merge : Part::gamma) += op.combine_seconds;
  recorder_.interval(tracks_[stream.plan], stream, merge ? Activity::merge : Activity::reduce, op.bucket, op.iteration,
                     begin, end);
  return end;
}

} // namespace gradflight
