// Messages that wait, are sent again, or take another route when links go down.
#include "sim/engine/transport/transport.hpp"

#include <algorithm>
#include <limits>

namespace gradflight {

void Transport::follow_links(std::span<const PlatformChange* const> changes, double now) {
  const auto of_state = [](const PlatformChange* c) { return c->what == PlatformChange::What::link_state; };
  if (std::ranges::none_of(changes, of_state)) return;
  for (const PlatformChange* change : changes)
    if (of_state(change)) lost_->set(change->target, machine_.links.up(change->target), now);
  bool fresh = false;
  for (const PlatformChange* change : changes) {
    if (!of_state(change) || machine_.links.up(change->target)) continue;
    fresh = true;
    turns_.clear();
    network_->messages_on(change->target, turns_);
    for (const MessageId id : turns_)
      if (!messages_[id].beside()) lose(id, change->target, now);
  }
  if (fresh && lost_->policy().detection > 0) calendar_.add(now + lost_->policy().detection, {EventKind::notice, 0});
  try_again(now);
}

/// A message waits for a link to come up.
void Transport::await_link(MessageId id, std::int32_t link, double now) {
  Alone& alone = this->alone(id);
  if (alone.missing == no_link && alone.down == 0) alone.first_begun = now;
  alone.missing = link;
}

void Transport::lose(MessageId id, std::int32_t link, double now) {
  Message& m = messages_[id];
  m.path.held = alone(id).held;
  m.path.details.protocol = alone(id).protocol;
  at(m.path, Part::traffic) = alone(id).traffic;
  alone(id).missing = link;
  const double wire = m.wire;
  network_->cut(id, now);
  m.wire = wire;
  m.path.last_delay = lost_->posted(id).delay; // delays of bytes that are lost count for nothing
  ++track_of(m).accounts.lost;
  lost_->strand(id, lost_->known(m.links, now));
}

void Transport::try_again(double now) {
  lost_->notice(now);
  for (const MessageId id : lost_->take_stranded()) {
    if (abandoned(messages_[id])) continue;
    const double not_before = lost_->posted(id).not_before;
    if (not_before > now || !send_again(id, now)) lost_->strand(id, not_before);
  }
}

/// Sends a message on the present route; returns false if it has none.
bool Transport::send_again(MessageId id, double now) {
  Message& m = messages_[id];
  const LostMessages::Posted& posted = lost_->posted(id);
  const LostMessages::Way way = lost_->find(sender_place(m), posted.by, receiver_place(m), posted.nics, way_);
  if (way == LostMessages::Way::none) return false;
  if (way == LostMessages::Way::detour) ++track_of(m).accounts.rerouted;
  m.links.assign(way_.begin(), way_.end());
  const double alpha = lost_->alpha(way_) + posted.further;
  if (m.streamed) { // the part of alpha that is not before its bytes is after them
    m.alpha = alpha;
    m.busy = std::min(m.busy, alpha);
  }
  const double seconds = (m.streamed ? m.busy : alpha) * m.slowing + (m.extra ? messages_.extra(id).fill : 0);
  if (seconds > 0)
    calendar_.add(now + seconds, {EventKind::message_again, id});
  else
    again(id, now);
  return true;
}

void Transport::again(MessageId id, double now) {
  if (!abandoned(messages_[id])) on_links(id, now);
}

/// The first byte would enter a route on which a link is down.
void Transport::find_another(MessageId id, double now) {
  const double known = lost_->known(messages_[id].links, now);
  if (known <= now) {
    lost_->notice(now);
    if (send_again(id, now)) return;
  }
  lost_->strand(id, known);
}

/// Returns whether a stream must find its route again, since the knowledge of links has changed.
bool Transport::way_is_old(std::uint32_t s) const {
  return lost_ && lost_->policy().reroute && (ways_.size() <= s ? 0 : ways_[s].knowledge) != lost_->knowledge();
}

void Transport::find_way(Stream& stream, int from_place, int by_place, int to_place, NicPair nics) {
  const auto s = static_cast<std::size_t>(&stream - streams_.all.data());
  if (ways_.size() <= s) ways_.resize(s + 1);
  const bool detour = lost_->find(from_place, by_place, to_place, nics, stream.route) == LostMessages::Way::detour;
  ways_[s] = {lost_->knowledge(), detour};
}

void Transport::note_posted(std::uint32_t s, MessageId id, int by_place, NicPair nics) {
  LostMessages::Posted& posted = lost_->posted(id);
  alone(id) = {};
  posted.by = by_place;
  posted.nics = nics;
  posted.further = messages_[id].alpha - streams_[s].route_alpha;
  if (ways_.size() > s && ways_[s].detour) ++track_of(messages_[id]).accounts.rerouted;
}

std::int64_t Transport::stranded_for_good(double now) const { return lost_ ? lost_->stranded_for_good(now) : 0; }

double Transport::last_stop(const OutageLog& outages) const {
  constexpr double never = std::numeric_limits<double>::infinity();
  double last = 0;
  const auto add = [&](const Message& m, double begun) {
    double down = never; // the first link on its route that went down and stayed down
    for (const std::int32_t link : m.links)
      if (!machine_.links.up(link)) down = std::min(down, outages.since(link).value_or(never));
    if (down < never) last = std::max({last, down, begun});
  };
  for (const Message& m : messages_.slots())
    if (m.flowing && !m.beside() && m.rate == 0) add(m, m.begun);
  if (lost_)
    for (const MessageId id : lost_->stranded())
      if (!abandoned(messages_[id])) add(messages_[id], 0);
  return last;
}

void Transport::add_kept_delays(std::vector<DelayId*>& paths) {
  network_->add_kept_delays(paths);
  if (!links_change_) return;
  for (MessageId id = 0; id < messages_.slots().size(); ++id) {
    if (!messages_[id].flowing || messages_[id].beside()) continue;
    paths.push_back(&alone(id).delay);
    if (lost_) paths.push_back(&lost_->posted(id).delay);
  }
}

} // namespace gradflight
