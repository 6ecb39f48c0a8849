#include "sim/engine/exchange_steps.hpp"

#include <algorithm>
#include <limits>

namespace gradflight {

namespace {
/// Relative tolerance for one instant: rounding alone causes smaller differences, and nothing in a model is as short.
constexpr double last_digits = 256 * std::numeric_limits<double>::epsilon();
} // namespace

bool ExchangeSteps::begin(std::uint32_t s, double now) {
  Stream& stream = streams_[s];
  const StepOp& op = stream.step();
  if (op.lag > 0) {
    const auto slots = static_cast<std::size_t>(op.lag) + 1;
    if (stream.lags.size() != slots || op.step == 0) stream.lags.assign(slots, {});
    // The slot still holds the reduction of step - lag - 1, which this step builds on.
    const Lag& earlier = stream.lags[static_cast<std::size_t>(op.step) % slots];
    if (earlier.end > now) {
      stream.path = earlier.path;
      stream.stage = StreamStage::lagging;
      calendar_.add(earlier.end, {EventKind::stream, s});
      return false;
    }
  }
  return encode(s, now);
}

bool ExchangeSteps::resume(std::uint32_t s, double now) {
  switch (streams_[s].stage) {
  case StreamStage::lagging: return encode(s, now);
  case StreamStage::encoding: return transfer(s, now);
  case StreamStage::taken:
  case StreamStage::decoding: return combine(s, now);
  case StreamStage::combining:
  case StreamStage::sending: return sent(s);
  default: return false; // it receives or asks, so it has nothing to send
  }
}

/// A codec in software stores the whole block and forwards it encoded.
bool ExchangeSteps::encode(std::uint32_t s, double now) {
  Stream& stream = streams_[s];
  if (stream.step().encode_seconds <= 0) return transfer(s, now);
  stream.to_encode = true;
  if (needs_request(stream)) return ask(s, now);
  begin_encoding(s, now);
  return false;
}

void ExchangeSteps::begin_encoding(std::uint32_t s, double now) {
  Stream& stream = streams_[s];
  stream.to_encode = false;
  const double end = rank_work_.run_codec(stream, Activity::encode, stream.step().encode_seconds, now, stream.path);
  stream.stage = StreamStage::encoding;
  calendar_.add(std::max(end, granted_), {EventKind::stream, s});
}

/// Sends the step's message and waits for the one to receive.
bool ExchangeSteps::transfer(std::uint32_t s, double now) {
  Stream& stream = streams_[s];
  const Step& step = stream.step().transfer;
  stream.expecting = false;
  if (transport_.protocol() && step.from != no_rank) transport_.answer_offered(s, now);
  if (step.to != no_rank) transport_.post(s, now);
  if (step.from == no_rank) return sent(s);
  if (stream.expecting) return false;
  stream.stage = StreamStage::receiving;
  if (!transport_.receive(s, now)) return false;
  return combine(s, now);
}

/// Returns true unless the step has to wait until its own messages have arrived.
bool ExchangeSteps::sent(std::uint32_t s) {
  Stream& stream = streams_[s];
  if (!stream.step().transfer.wait_sent || stream.unsent == 0) return true;
  stream.stage = StreamStage::sending;
  return false;
}

bool ExchangeSteps::needs_request(const Stream& stream) const { return tracks_[stream.plan].shape->exchanging > 1; }

/// Streams of a rank that ask at the same instant are served in the order of the streams. The order of their messages
/// may differ between engines, and so may the last digits of an instant; so this waits a little for requests that come
/// slightly later. Granted work begins when it was asked for. Returns false if the stream waits.
bool ExchangeSteps::ask(std::uint32_t s, double now) {
  Stream& stream = streams_[s];
  stream.stage = StreamStage::asking;
  stream.work_requested_at = now;
  // A step that lags continues at once, and that must not be later than its request.
  const double at = stream.step().lag > 0 ? now : now + last_digits * now;
  if (asking_.empty() || at < next_grant_) {
    next_grant_ = at;
    calendar_.add(at, {EventKind::grant, 0});
  }
  asking_.push_back(s);
  return false;
}

void ExchangeSteps::grant(double now) {
  granted_ = now;
  std::sort(asking_.begin(), asking_.end());
  for (const std::uint32_t s : asking_) {
    if (tracks_.over(streams_[s].plan)) continue;
    if (streams_[s].to_encode) {
      begin_encoding(s, streams_[s].work_requested_at);
      continue;
    }
    if (!treat(s, streams_[s].work_requested_at)) continue;
    streams_[s].stage = StreamStage::fetch;
    streams_.wake(s);
  }
  asking_.clear();
}

bool ExchangeSteps::combine(std::uint32_t s, double now) {
  Stream& stream = streams_[s];
  const StepOp& op = stream.step();
  if (op.lag > 0) stream.lags[static_cast<std::size_t>(op.step) % stream.lags.size()] = {};
  if (op.combine_seconds <= 0 && stream.decode_seconds <= 0) return sent(s);
  return needs_request(stream) ? ask(s, now) : treat(s, now);
}

/// Decodes the received message, then reduces it. Returns true if the step need not wait for that.
bool ExchangeSteps::treat(std::uint32_t s, double now) {
  Stream& stream = streams_[s];
  if (stream.decode_seconds <= 0 || stream.step().lag > 0) return reduce(s, now);
  const double end = rank_work_.run_codec(stream, Activity::decode, stream.decode_seconds, now, stream.path);
  stream.decode_seconds = 0;
  stream.stage = StreamStage::decoding;
  calendar_.add(std::max(end, granted_), {EventKind::stream, s});
  return false;
}

/// Passes the received block through the rank's reducer, if the step lags after its decoding. Returns true if the step
/// need not wait for that.
bool ExchangeSteps::reduce(std::uint32_t s, double now) {
  Stream& stream = streams_[s];
  const StepOp& op = stream.step();
  const bool lags = op.lag > 0;
  if (lags) stream.last_combine.path = stream.path;
  TracedPath& path = lags ? stream.last_combine.path : stream.path;
  double end = now;
  if (stream.decode_seconds > 0) end = rank_work_.run_codec(stream, Activity::decode, stream.decode_seconds, now, path);
  stream.decode_seconds = 0;
  if (op.combine_seconds > 0) end = rank_work_.run_reducer(stream, end, path);
  if (lags) {
    stream.last_combine.end = end;
    stream.lags[static_cast<std::size_t>(op.step) % stream.lags.size()] = stream.last_combine;
    return sent(s);
  }
  stream.stage = StreamStage::combining;
  calendar_.add(std::max(end, granted_), {EventKind::stream, s});
  return false;
}

bool ExchangeSteps::drain(std::uint32_t s, double now) {
  Stream& stream = streams_[s];
  if (stream.last_combine.end <= now) return true;
  stream.stage = StreamStage::working;
  stream.path = stream.last_combine.path;
  calendar_.add(stream.last_combine.end, {EventKind::stream, s});
  return false;
}

} // namespace gradflight
