// What a message would take alone on its links, even if they change or go down meanwhile, and which tiers hold it up.
#include "sim/engine/transport/transport.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <utility>

namespace gradflight {

void Transport::put_on_links(MessageId id, double now) {
  if (lost_) lost_->posted(id).delay = messages_[id].path.last_delay;
  network_->begin(id, now);
  if (!links_change_) return;
  Message& m = messages_[id];
  Alone& alone = this->alone(id);
  double down = 0;
  if (lost_ && alone.missing != no_link) {
    down = now - alone.first_begun;
    m.path.last_delay = machine_.delays.add_outage(m.path.last_delay, alone.missing, down);
  }
  const double first = down > 0 ? alone.first_begun : now;
  alone = {.begun = now,
           .since = now,
           .left = std::max(0.0, m.wire - m.credit) * m.slowing,
           .down = down,
           .delay = m.path.last_delay,
           .first_begun = first,
           .held = m.path.held,
           .protocol = m.path.details.protocol,
           .traffic = at(m.path, Part::traffic)};
}

Transport::Alone& Transport::alone(MessageId id) {
  if (alone_.size() <= id) alone_.resize(id + 1);
  return alone_[id];
}

/// Notes what changes of latencies add to the alpha of a message that is being posted.
void Transport::note_latencies(Message& m, double route_alpha) {
  using enum PlatformChange::What;
  const auto added = [this](std::int32_t link) {
    return machine_.links.latency(link) - machine_.delays.own_latency(link);
  };
  double all = 0;
  for (const std::int32_t link : m.links) all += added(link);
  if (all == 0) return;
  const double least = weight_.least_alpha;
  double effect = std::max(route_alpha, least) - std::max(route_alpha - all, least);
  if (weight_.rendezvous) effect += all;
  for (const std::int32_t link : m.links)
    m.latencies = machine_.delays.add_cost(m.latencies, latency, link, effect * added(link) / all);
}

double Transport::rate_alone(MessageId id) const {
  double rate = machine_.links.bottleneck(messages_[id].links);
  for (const LinkShare& share : messages_.shares(id))
    rate = std::min(rate, machine_.links.bandwidth(share.link) / share.weight);
  return rate;
}

void Transport::link_changes(MessageId id, double now) {
  Message& m = messages_[id];
  if (m.beside()) return;
  Alone& alone = alone_[id];
  if (rate_alone(id) > 0) {
    follow_alone(id, now);
    return;
  }
  const double waited = now - std::exchange(alone.since, now); // nothing moves
  if (waited <= 0) return;
  alone.down += waited;
  if (alone.end < 0) alone.down_alone += waited;
  const auto down = std::ranges::find_if(m.links, [this](std::int32_t l) { return !machine_.links.up(l); });
  if (down != m.links.end()) m.path.last_delay = machine_.delays.add_outage(m.path.last_delay, *down, waited);
}

/// Brings a message's progress alone up to `now`. Its links have not changed since the last call.
void Transport::follow_alone(MessageId id, double now) {
  Alone& alone = alone_[id];
  const double since = std::exchange(alone.since, now);
  if (alone.end >= 0) return;
  const double rate = rate_alone(id), done = rate * (now - since);
  const bool through = done >= alone.left;
  const double until = through ? std::min(now, since + alone.left / rate) : now;
  if (through)
    alone.end = until;
  else
    alone.left -= done;
}

void Transport::end_alone(MessageId id, double now) {
  Alone& alone = alone_[id];
  if (alone.end >= 0) return;
  alone.end = std::min(now, alone.since + alone.left / rate_alone(id));
}

void Transport::held_up(MessageId id, std::uint32_t tiers, double seconds) {
  for (std::size_t tier = 0; tier < link_tiers; ++tier)
    if ((tiers >> tier & 1) != 0) alone_[id].by[tier] += seconds / std::popcount(tiers);
}

/// Returns the seconds that a message's first `bytes` take on its route alone, without `slowing`. If links change, its
/// progress must be up to date: the bytes take their part of the time alone of all bytes up to now.
Transport::Beta Transport::beta_of(MessageId id, double bytes) const {
  const Message& m = messages_[id];
  if (m.links.empty()) return {};
  const LinkState::Narrowest narrowest = machine_.links.narrowest(m.links);
  if (!links_change_ || m.wire <= 0) return {bytes / narrowest.bandwidth, narrowest.tiers};
  const Alone& alone = alone_[id];
  const double seconds = alone.seconds() / m.slowing;
  if (alone.end >= 0 && bytes >= m.wire - m.credit) return {seconds, narrowest.tiers};
  const double done = m.wire - m.credit - (alone.end < 0 ? alone.left / m.slowing : 0);
  return {done > 0 ? seconds * std::min(1.0, bytes / done) : 0, narrowest.tiers};
}

void Transport::add_beta(TracedPath& path, MessageId id, const Beta& beta) const {
  at(path, Part::beta) += beta.seconds;
  if (beta.tiers == 0) return;
  const Message& m = messages_[id];
  if (links_change_ && m.wire > 0) {
    const HeldBy& by = alone_[id].by;
    const double all = std::accumulate(by.begin(), by.end(), 0.0);
    for (std::size_t tier = 0; tier < link_tiers && all > 0; ++tier)
      if (by[tier] > 0) path.hold(std::uint32_t{1} << tier, beta.seconds * by[tier] / all, m.links_share);
    if (all > 0) return; // else the network does not tell what holds up its messages
  }
  path.hold(beta.tiers, beta.seconds, m.links_share);
}

/// Sharing links has cost a message its time beyond its time alone. The network has added this time to `path` moment by
/// moment, to the links that caused it, by the rate that the message would have had alone. If links change meanwhile,
/// the two sums differ: a message may share a fast link while, alone, it would still use that link when it is slow.
/// This scales the added delays to the cost.
void Transport::fit_shared(TracedPath& path, MessageId id, double now) {
  const Alone& alone = alone_[id];
  double& protocol = path.details.protocol;
  double traced = traffic(path, id) + protocol - alone.protocol;
  for (std::size_t tier = 0; tier < link_tiers; ++tier) traced += path.held[tier] - alone.held[tier];
  const double flowed = now - alone.begun - (alone.down - (alone.begun - alone.first_begun));
  const double cost = std::max(0.0, flowed - alone.seconds());
  if (!(traced > 0) || std::abs(cost - traced) <= 1e-9 * flowed) return;
  const double scale = cost / traced;
  for (std::size_t tier = 0; tier < link_tiers; ++tier)
    path.held[tier] = alone.held[tier] + (path.held[tier] - alone.held[tier]) * scale;
  protocol = alone.protocol + (protocol - alone.protocol) * scale;
  at(path, Part::traffic) = alone.traffic + traffic(path, id) * scale;
  path.last_delay = machine_.delays.scaled(path.last_delay, alone.delay, scale);
}

/// Returns the seconds that other traffic on shared links has cost a message, as its path has it.
double Transport::traffic(const TracedPath& path, MessageId id) const {
  if (!beside_) return 0;
  if (!links_change_) return network_->lost_to_traffic(id);
  const Message& m = messages_[id];
  return m.wire > 0 && !m.links.empty() ? at(path, Part::traffic) - alone_[id].traffic : 0;
}

/// Returns the seconds of a message that are parts of their own: waiting for links that were down, and sharing links
/// with other traffic.
double Transport::outages_and_traffic(const TracedPath& path, MessageId id) const {
  return down(id) + traffic(path, id);
}

/// Returns what sharing links has cost a message: the rest of the time since it set out. Rates and instants are
/// rounded, and the last digit of an instant years after the start is a millisecond: smaller rests count as none.
double Transport::contention(const Message& m, double now, double rest) {
  return rest > 1e-9 * (now - m.launched) + 4 * std::numeric_limits<double>::epsilon() * now ? rest : 0;
}

} // namespace gradflight
