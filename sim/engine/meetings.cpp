#include "sim/engine/meetings.hpp"

#include "sim/engine/streams/failure.hpp"

#include <algorithm>

namespace gradflight {

bool Meetings::meet(std::uint32_t s, double now) {
  Stream& stream = streams_[s];
  Track& track = tracks_[stream.plan];
  auto& met = track.met[static_cast<std::size_t>(stream.index)];
  if (met.size() + 1 < static_cast<std::size_t>(track.shape->members)) {
    met.push_back(s);
    stream.stage = StreamStage::meeting;
    return false;
  }
  std::sort(met.begin(), met.end());
  for (const std::uint32_t other : met)
    if (preferred(streams_[other].path, stream.path, now)) stream.path = streams_[other].path;
  for (const std::uint32_t other : met) {
    streams_[other].path = stream.path;
    streams_.wake(other);
  }
  met.clear();
  return true;
}

void Meetings::enter(std::uint32_t s, const CollectiveOp& op, double now) {
  Stream& stream = streams_[s];
  Track& track = tracks_[stream.plan];
  stream.stage = StreamStage::working;
  track.accounts.hold();
  if (!track.ring->enter(stream.rank, now, stream.path)) return;
  if (!track.ring_links.empty() && (track.ring_changed >= track.ring->first_entry() || track.ring->any_link_down()))
    throw ShortcutCrossesChange();
  const auto& ranks =
      track.ring->finish(op.bucket, track.accounts, ledger_, rank_work_.slowing(), track.computing_until,
                         [&](double reached, std::int64_t messages) { watch_.look_inside(reached, messages); });
  if (!track.ring_links.empty() &&
      std::ranges::max_element(ranks, {}, &RingShortcut::Rank::time)->time > track.ring_changes)
    throw ShortcutCrossesChange();
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const std::uint32_t other = track.address(track.ring->members()[r], stream.index);
    streams_[other].path = ranks[r].path;
    calendar_.add(ranks[r].time, {EventKind::stream, other});
  }
}

bool Meetings::wait(std::uint32_t s, const WaitOp& op, double now) {
  Stream& stream = streams_[s];
  const Stream& other = streams_[tracks_[stream.plan].address(stream.rank, op.stream)];
  if (other.signals >= op.value) {
    const bool only_now = other.signals == op.value && same_instant(other.signalled, now);
    if (only_now && preferred(other.path, stream.path, now)) stream.path = other.path;
    return true;
  }
  stream.stage = StreamStage::counting;
  return false;
}

void Meetings::signal(std::uint32_t s, const SignalOp& op, double now) {
  Stream& stream = streams_[s];
  const Track& track = tracks_[stream.plan];
  if (track.shape->contents) track.plan->signalled(op, stream.rank, stream.index);
  ++stream.signals;
  stream.signalled = now;
  const std::uint32_t first = track.address(stream.rank, 0), end = first + track.per_rank;
  for (std::uint32_t other = first; other < end; ++other) {
    Stream& waiter = streams_[other];
    if (waiter.stage != StreamStage::counting) continue;
    const auto& awaited = std::get<WaitOp>(waiter.op);
    if (awaited.stream != stream.index || awaited.value != stream.signals) continue;
    if (!preferred(waiter.path, stream.path, now)) waiter.path = stream.path;
    streams_.wake(other);
  }
}

} // namespace gradflight
