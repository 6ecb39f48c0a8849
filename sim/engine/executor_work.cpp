// What takes a rank's own time: its program's work, and what it does to the data of a step (encode before it sends,
// decode and combine what it has received).
#include "sim/engine/executor.hpp"

#include <algorithm>

namespace gradflight {

namespace {
constexpr std::size_t at(Part part) { return static_cast<std::size_t>(part); }
bool computes(const WorkOp& op) { return op.part == Part::compute || op.part == Part::update; }
} // namespace

/// Reserves a resource of the stream's rank; returns the end and sets `begin`.
double Executor::occupy(Stream& stream, Resource resource, double seconds, double now, double& begin) {
  double& until = busy_until_[static_cast<std::size_t>(stream.rank)][static_cast<std::size_t>(resource)];
  begin = std::max(now, until);
  until = begin + seconds;
  return until;
}

bool Executor::begin_work(std::uint32_t s, double now) {
  Stream& stream = streams_[s];
  const auto& op = std::get<WorkOp>(stream.op);
  stream.stage = Stage::working;
  stream.path[at(op.part)] += op.seconds;
  if (computes(op)) {
    accounts_.computing(+1, now);
    accounts_.computed(static_cast<std::size_t>(stream.rank), op.seconds);
  }
  if (beside_compute_ > 1 && op.part == Part::compute) {
    double& until = computing_until_[static_cast<std::size_t>(stream.rank)];
    if (until <= now) until = stream.program->computing_until(stream.work_end);
  }
  record(stream, op.activity, op.label, op.iteration, now, stream.work_end);
  calendar_.add(stream.work_end, {EventKind::stream, s});
  return false;
}

/// A stream's timed wait is over: work, the start of queued work, a reduction, or the wait for an earlier one.
void Executor::end_work(std::uint32_t s, double now) {
  const Stream& stream = streams_[s];
  if (stream.stage == Stage::working)
    if (const auto* op = std::get_if<WorkOp>(&stream.op); op != nullptr && computes(*op)) accounts_.computing(-1, now);
  ready_.push_back(s);
}

/// Encoding or decoding; returns its end and adds to `path` what it takes.
double Executor::codec_work(Stream& stream, Activity activity, double seconds, double now, Path& path) {
  double begin = now;
  const double end = occupy(stream, stream.step().codec, seconds, now, begin);
  path[at(Part::queue)] += begin - now;
  path[at(Part::codec)] += seconds;
  record(stream, activity, stream.step().bucket, stream.step().iteration, begin, end);
  return end;
}

/// A codec in software stores the whole block and forwards it encoded.
bool Executor::encode(std::uint32_t s, double now) {
  Stream& stream = streams_[s];
  if (stream.step().encode_seconds <= 0) return transfer(s, now);
  stream.to_encode = true;
  if (job_->streams() > 1) return ask(s, now);
  begin_encoding(s, now);
  return false;
}

void Executor::begin_encoding(std::uint32_t s, double now) {
  Stream& stream = streams_[s];
  stream.to_encode = false;
  const double end = codec_work(stream, Activity::encode, stream.step().encode_seconds, now, stream.path);
  stream.stage = Stage::encoding;
  calendar_.add(end, {EventKind::stream, s});
}

/// Streams of a rank that ask at the same instant are served in the order of the streams, not of their messages, which
/// engines need not agree on. False: the stream waits.
bool Executor::ask(std::uint32_t s, double now) {
  streams_[s].stage = Stage::asking;
  if (asking_.empty()) calendar_.add(now, {EventKind::reduce, 0});
  asking_.push_back(s);
  return false;
}

bool Executor::combine(std::uint32_t s, double now) {
  Stream& stream = streams_[s];
  const StepOp& op = stream.step();
  const bool lagging = op.lag > 0;
  if (lagging) stream.lags[static_cast<std::size_t>(op.step) % stream.lags.size()] = {};
  if (op.combine_seconds <= 0 && stream.decode_seconds <= 0) return sent(s);
  return job_->streams() == 1 ? treat(s, now) : ask(s, now);
}

void Executor::grant(double now) {
  std::sort(asking_.begin(), asking_.end());
  for (const std::uint32_t s : asking_) {
    if (streams_[s].to_encode) {
      begin_encoding(s, now);
      continue;
    }
    if (!treat(s, now)) continue;
    streams_[s].stage = Stage::fetch;
    ready_.push_back(s);
  }
  asking_.clear();
}

/// Decodes what was received, then reduces it. True when the step need not wait for it.
bool Executor::treat(std::uint32_t s, double now) {
  Stream& stream = streams_[s];
  if (stream.decode_seconds <= 0 || stream.step().lag > 0) return reduce(s, now);
  const double end = codec_work(stream, Activity::decode, stream.decode_seconds, now, stream.path);
  stream.decode_seconds = 0;
  stream.stage = Stage::decoding;
  calendar_.add(end, {EventKind::stream, s});
  return false;
}

/// Puts what was received through the rank's reducer, where the step lags after its decoding. True when the step need
/// not wait for it.
bool Executor::reduce(std::uint32_t s, double now) {
  Stream& stream = streams_[s];
  const StepOp& op = stream.step();
  const bool lagging = op.lag > 0;
  const bool merge = op.transfer.combine == Combine::merge;
  Path path = stream.path;
  double ready = now;
  if (stream.decode_seconds > 0) ready = codec_work(stream, Activity::decode, stream.decode_seconds, now, path);
  stream.decode_seconds = 0;
  double end = ready;
  if (op.combine_seconds > 0) {
    double begin = ready;
    end = occupy(stream, Resource::reducer, op.combine_seconds, ready, begin);
    path[at(Part::queue)] += begin - ready;
    path[at(merge ? Part::merge : Part::gamma)] += op.combine_seconds;
    record(stream, merge ? Activity::merge : Activity::reduce, op.bucket, op.iteration, begin, end);
  }
  if (lagging) {
    stream.last_combine = {end, path};
    stream.lags[static_cast<std::size_t>(op.step) % stream.lags.size()] = stream.last_combine;
    return sent(s);
  }
  stream.path = path;
  stream.stage = Stage::combining;
  calendar_.add(end, {EventKind::stream, s});
  return false;
}

} // namespace gradflight
