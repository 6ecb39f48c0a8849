#include "sim/engine/repeated_calls.hpp"

#include "sim/engine/streams/failure.hpp"

#include <algorithm>
#include <utility>

namespace gradflight {

namespace {
/// Limits in bytes: of one stretch, and of all known ones.
constexpr std::size_t most_noted = 64 << 20, most_known = 128 << 20;
/// Beyond this many delays of paths per message, plus a constant, noting costs more than it can save.
constexpr std::size_t looks_per_message = 2, looks = 1 << 16;
} // namespace

void RepeatedCalls::begin_plan(Track* track, bool repeats) {
  stop_noting();
  mode_ = Mode::passing;
  known_.clear();
  known_bytes_ = 0;
  waiting_.clear();
  to_end_ = foreseen_ = 0;
  last_end_ = -1;
  track_ = track;
  repeats_ = repeats;
  ranks_ = track != nullptr ? track->shape->place.size() : 0;
  base_.assign(ranks_, {});
  ready_.assign(ranks_, {});
}

/// Several calls may become ready at one instant; `first` is the first of them.
void RepeatedCalls::note_ready(const Stream& computation, double now) {
  const std::int64_t call = computation.signals - 1;
  Ready& ready = ready_[static_cast<std::size_t>(computation.rank)];
  if (ready.at != now) ready = {now, call};
  if (mode_ == Mode::passing || call < first_) return;
  const auto index = static_cast<std::size_t>(call - first_);
  if (index >= ahead_.size() || now == ahead_[index].after) return;
  if (mode_ == Mode::repeating) throw ShortcutFails();
  stop_noting();
}

/// Returns whether nothing of an earlier call is under way.
bool RepeatedCalls::quiet(double now) const {
  return to_end_ == 0 && now > last_end_ && track_->accounts.in_flight() == 0 && transport_.messages().in_use() == 0 &&
         transport_.last_credit() <= now;
}

bool RepeatedCalls::begin(std::uint32_t s, const CallBeginOp& op, double now) {
  const Ready& ready = ready_[static_cast<std::size_t>(streams_[s].rank)];
  const bool ready_now = ready.at == now && op.call >= ready.first;
  if (!ready_now || (waiting_.empty() && !quiet(now))) {
    if (mode_ == Mode::repeating) {
      if (now < last_end_) throw ShortcutFails(); // what follows was expected to come later
      mode_ = Mode::passing;
    }
    ++to_end_;
    return true;
  }
  streams_[s].stage = StreamStage::meeting;
  waiting_.push_back(s);
  waiting_call_ = op.call;
  return false;
}

bool RepeatedCalls::all_wait(double now) {
  if (waiting_.size() < ranks_ || !quiet(now)) return false;
  if (waiting_call_ < foreseen_) return true;
  ahead_.clear();
  stop_noting();
  track_->plan->calls_ahead(waiting_call_, ahead_);
  foreseen_ = waiting_call_ + std::ssize(ahead_);
  return false;
}

void RepeatedCalls::release() {
  if (mode_ == Mode::repeating) mode_ = Mode::passing;
  to_end_ += std::ssize(waiting_);
  for (const std::uint32_t s : waiting_) streams_.wake(s);
  waiting_.clear();
}

void RepeatedCalls::begin_stretch() {
  first_ = waiting_call_;
  for (Ready& ready : ready_) ready.at = 0; // this instant
  last_end_ = -1;
  if (repeats_) {
    ahead_.clear();
    track_->plan->calls_ahead(first_, ahead_);
    for (const std::uint32_t s : waiting_) {
      const Stream& stream = streams_[s];
      base_[static_cast<std::size_t>(stream.rank)] = stream.path;
    }
    if (const Stretch* same = find_same()) {
      waiting_.clear();
      repeat(*same);
      return;
    }
    begin_noting();
  }
  release();
}

const RepeatedCalls::Stretch* RepeatedCalls::find_same() const {
  const auto same_held = [](const HeldBy& held, const TracedPath& base) { return held == base.held; };
  for (const Stretch& stretch : known_) {
    const std::size_t n = stretch.calls.size();
    if (n > ahead_.size() || !std::equal(stretch.calls.begin(), stretch.calls.end(), ahead_.begin())) continue;
    if (n < ahead_.size() && ahead_[n].after <= stretch.over) continue;
    if (std::ranges::equal(stretch.held, base_, same_held)) return &stretch;
  }
  return nullptr;
}

/// Streams skip the calls of the stretch, and ranks go to the ends of these calls.
void RepeatedCalls::repeat(const Stretch& same) {
  mode_ = Mode::repeating;
  same_ = &same;
  Flights flights;
  for (const Flight& flight : same.flights) flights.add(flight);
  track_->accounts.settled(same.messages, same.payload, same.wire, flights);
  for (const Carried& of : same.links) machine_.ledger.carried(of.link, of.bytes, of.busy);
  transport_.note_credit(same.credits);
  messages_ += same.messages;
  last_end_ = same.over;
  to_end_ = std::ssize(same.ends);
  const std::int64_t until = first_ + std::ssize(same.calls);
  for (std::uint32_t s = track_->first; s < track_->first + track_->count; ++s) {
    Stream& stream = streams_[s];
    if (stream.index == 0 || stream.stage == StreamStage::ended) continue;
    const std::optional<std::int64_t> signals = stream.program->skip_calls(until);
    if (!signals) continue;
    stream.signals += *signals;
    stream.stage = StreamStage::fetch;
    streams_.wake(s);
  }
}

void RepeatedCalls::begin_noting() {
  mode_ = Mode::noting;
  noted_ = {};
  for (const TracedPath& base : base_) noted_.held.push_back(base.held);
  for (const std::uint32_t s : waiting_) {
    const auto rank = static_cast<std::uint32_t>(streams_[s].rank);
    streams_[s].path.origin = streams_[track_->address(streams_[s].rank, 0)].path.origin = rank;
  }
  const Accounts& accounts = track_->accounts;
  messages_before_ = accounts.messages;
  payload_before_ = accounts.payload_bytes;
  wire_before_ = accounts.wire_bytes;
  links_before_ = machine_.ledger.use();
  flights_.clear();
  looked_at_ = 0;
  track_->accounts.note_flights(&flights_);
}

void RepeatedCalls::note(const Stream& stream, std::int64_t call, double now) {
  const std::size_t n = static_cast<std::size_t>(call - first_) + 1;
  if (n > ahead_.size()) {
    stop_noting();
    return;
  }
  if (noted_.ends.size() < n * ranks_) noted_.ends.resize(n * ranks_);
  End& end = noted_.ends[(n - 1) * ranks_ + static_cast<std::size_t>(stream.rank)];
  end.after = now;
  end.origin = stream.path.origin;
  const TracedPath& base = base_[end.origin];
  for (std::size_t i = 0; i < end.path.size(); ++i) end.path[i] = stream.path[i] - base[i];
  for (std::size_t i = 0; i < end.held.size(); ++i) end.held[i] = stream.path.held[i] - base.held[i];
  end.details = stream.path.details - base.details;
  looked_at_ += machine_.delays.between(base.last_delay, stream.path.last_delay, end.delays);
  const auto messages = static_cast<std::size_t>(track_->accounts.messages - messages_before_);
  noted_.bytes += sizeof(End) + end.delays.size() * sizeof(LinkDelay);
  if (looked_at_ > looks_per_message * messages + looks || noted_.bytes > most_noted) stop_noting();
}

/// Adds the noted stretch to the known ones.
void RepeatedCalls::end_stretch() {
  if (mode_ == Mode::repeating) mode_ = Mode::passing;
  if (mode_ == Mode::passing) return;
  const std::size_t n = noted_.ends.size() / ranks_;
  noted_.calls.assign(ahead_.begin(), ahead_.begin() + static_cast<std::ptrdiff_t>(n));
  const Accounts& accounts = track_->accounts;
  noted_.messages = accounts.messages - messages_before_;
  noted_.payload = accounts.payload_bytes - payload_before_;
  noted_.wire = accounts.wire_bytes - wire_before_;
  noted_.credits = transport_.last_credit();
  noted_.over = noted_.credits;
  for (const End& end : noted_.ends) noted_.over = std::max(noted_.over, end.after);
  for (; !flights_.empty(); flights_.pop_front()) noted_.flights.push_back(flights_.front());
  const std::vector<LinkUse>& links = machine_.ledger.use();
  for (std::size_t l = 0; l < links.size(); ++l)
    if (const double bytes = links[l].bytes - links_before_[l].bytes; bytes > 0)
      noted_.links.push_back({static_cast<std::int32_t>(l), bytes, links[l].busy - links_before_[l].busy});
  known_bytes_ += noted_.bytes;
  known_.push_front(std::move(noted_));
  for (; known_bytes_ > most_known; known_.pop_back()) known_bytes_ -= known_.back().bytes;
  stop_noting();
}

void RepeatedCalls::stop_noting() {
  if (mode_ != Mode::noting) return;
  mode_ = Mode::passing;
  noted_ = {};
  track_->accounts.note_flights(nullptr);
}

TracedPath RepeatedCalls::path_after(const End& end) {
  TracedPath path = base_[end.origin];
  for (std::size_t i = 0; i < end.path.size(); ++i) path[i] += end.path[i];
  for (std::size_t i = 0; i < end.held.size(); ++i) path.held[i] += end.held[i];
  path.details += end.details;
  for (const LinkDelay& delay : end.delays)
    path.last_delay = machine_.delays.add(path.last_delay, delay.link, delay.seconds);
  return path;
}

bool RepeatedCalls::end(std::uint32_t s, const CallEndOp& op, double now) {
  Stream& stream = streams_[s];
  --to_end_;
  if (mode_ != Mode::repeating) {
    last_end_ = now;
    if (mode_ == Mode::noting) note(stream, op.call, now);
    return true;
  }
  const std::size_t index = static_cast<std::size_t>(op.call - first_) * ranks_ + static_cast<std::size_t>(stream.rank);
  const End& end = same_->ends[index];
  stream.path = path_after(end);
  stream.stage = StreamStage::working;
  calendar_.add(end.after, {EventKind::stream, s});
  return false;
}

void RepeatedCalls::add_kept_delays(std::vector<DelayId*>& paths) {
  for (TracedPath& base : base_) paths.push_back(&base.last_delay);
}

} // namespace gradflight
