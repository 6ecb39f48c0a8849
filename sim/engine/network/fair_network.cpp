#include "sim/engine/network/fair_network.hpp"

#include "sim/engine/calendar/prefetch.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace gradflight {

FairNetwork::FairNetwork(const LinkState& state, Calendar& calendar, MessagePool& messages, LinkLedger& ledger,
                         Delays& delays, ArrivalSink& sink)
    : state_(state), calendar_(calendar), messages_(messages), ledger_(ledger), delays_(delays), sink_(sink),
      links_(state.size()), others_(state.size()), first_ends_(state.size()) {}

void FairNetwork::mark(std::int32_t link) {
  Link& l = at(link);
  if (l.dirty) return;
  l.dirty = true;
  dirty_.push_back(link);
}

double FairNetwork::rate_alone(MessageId id) const {
  double rate = state_.bottleneck(messages_[id].links);
  for (const LinkShare& share : messages_.shares(id))
    rate = std::min(rate, state_.bandwidth(share.link) / share.weight);
  return any_caps_ ? std::min(rate, cap(id)) : rate;
}

/// Returns the k-th of a message's links, counted on over its shares.
std::int32_t FairNetwork::link_of(const Message& m, std::span<const LinkShare> shares, std::size_t k) {
  return k < m.links.size() ? m.links[k] : shares[k - m.links.size()].link;
}

void FairNetwork::set_burst(std::int32_t link, double bytes) {
  const auto l = static_cast<std::size_t>(link);
  if (buckets_.size() <= l) buckets_.resize(l + 1);
  buckets_[l] = {bytes, bytes, 0};
}

/// A message reaches the buckets of its route. Returns true if no other message's bytes flow through any of them.
/// Acknowledgements do not count: they leave a bucket as full as it is.
bool FairNetwork::reach_buckets(const Message& m, double now) {
  bool idle = true;
  for (const std::int32_t link : m.links) {
    const auto l = static_cast<std::size_t>(link);
    if (l >= buckets_.size()) continue;
    Bucket& bucket = buckets_[l];
    if (bucket.flows++ == 0)
      bucket.credit = std::min(bucket.burst, bucket.credit + state_.bandwidth(link) * (now - bucket.idle_since));
    else
      idle = false;
  }
  return idle;
}

void FairNetwork::leave_buckets(const Message& m, double now) {
  for (const std::int32_t link : m.links) {
    const auto l = static_cast<std::size_t>(link);
    if (l < buckets_.size() && --buckets_[l].flows == 0) buckets_[l].idle_since = now;
  }
}

/// Takes the bytes that all links of the route let pass at once; all of them have been idle up to now.
double FairNetwork::take_credit(const Message& m) {
  double taken = m.wire;
  for (const std::int32_t link : m.links) {
    const auto l = static_cast<std::size_t>(link);
    taken = std::min(taken, l < buckets_.size() ? buckets_[l].credit : 0);
  }
  if (taken > 0)
    for (const std::int32_t link : m.links) buckets_[static_cast<std::size_t>(link)].credit -= taken;
  return taken;
}

/// Returns how many of the `left` bytes lie behind the next mark of the message.
double FairNetwork::next_mark(const MessageExtra& extra, double left) {
  return extra.goes_on < left ? extra.goes_on : extra.behind < left ? extra.behind : 0;
}

void FairNetwork::begin(MessageId id, double now) {
  Message& m = messages_[id];
  const std::span<const LinkShare> shares = messages_.shares(id);
  bool alone = true;
  m.met = false;
  const std::size_t uses = m.links.size() + shares.size();
  m.seats.resize(uses, boost::container::default_init);
  for (std::size_t k = 0; k < uses; ++k) {
    const std::int32_t link = link_of(m, shares, k);
    auto& flows = at(link).flows;
    m.seats[k] = static_cast<std::uint32_t>(flows.size());
    flows.push_back(id);
    if (flows.size() > 1) {
      alone = false;
      mark(link);
      note_meeting(link, id);
    }
  }
  ledger_.enter(m, now);
  if (!shares.empty()) {
    for (const LinkShare& share : shares) ++at(share.link).shares;
    ledger_.enter(shares, now);
    any_shares_ = true;
    demand_.resize(links_.size());
  }
  if (m.beside() && !any_beside_) {
    any_beside_ = true;
    rates_.resize(links_.size());
  }
  if (any_beside_) beside(id) = {};
  m.flowing = true;
  m.credit = !buckets_.empty() && reach_buckets(m, now) ? take_credit(m) : 0;
  m.remaining = (m.wire - m.credit) * m.slowing;
  if (m.extra) {
    MessageExtra& extra = messages_.extra(id);
    extra.after = next_mark(extra, m.remaining);
    m.remaining -= extra.after;
    any_caps_ = any_caps_ || extra.cap < unbounded;
  }
  m.traced_until = m.since = now;
  m.traced_remaining = m.remaining;
  m.bottleneck = no_link;
  m.tied = 0;
  m.rate = alone ? rate_alone(id) : 0;
  m.end = Calendar::never;
  m.timed = false;
  if (alone) {
    m.end = end_at_rate(m, now);
    add_end(id);
  }
}

double FairNetwork::end_at_rate(const Message& m, double now) {
  return m.remaining > 0 ? now + m.remaining / m.rate : now; // at rate 0, on a link that is down, it never ends
}

/// An unlimited flow needs no event, and neither does one that waits for a link to come up.
void FairNetwork::add_end(MessageId id) {
  Message& m = messages_[id];
  m.timed = true;
  if (m.remaining <= 0 || (m.rate > 0 && m.remaining < std::numeric_limits<double>::infinity()))
    calendar_.add(m.end, {EventKind::message_end, id});
}

/// The link's flows kept their rates up to now; settle() shares it again.
void FairNetwork::changing(std::int32_t link, double now) {
  const auto l = static_cast<std::size_t>(link);
  if (l < buckets_.size() && buckets_[l].flows == 0) {
    Bucket& bucket = buckets_[l];
    bucket.credit = std::min(bucket.burst, bucket.credit + state_.bandwidth(link) * (now - bucket.idle_since));
    bucket.idle_since = now;
  }
  const auto& flows = at(link).flows;
  if (flows.empty()) return;
  if (!queue_of_.empty() && queue_of_[l] != 0) {
    Queue& queue = queues_[queue_of_[l]];
    const double seconds = now - std::exchange(queue.since, now);
    queue.carried += state_.bandwidth(link) * seconds;
    if (state_.bandwidth(link) == 0) {
      queue.first.outage += seconds;
      queue.first.path.last_delay = delays_.add_outage(queue.first.path.last_delay, link, seconds);
    } else if (const double cost = cost_of_changes(link, seconds); cost != 0)
      queue.first.path.last_delay =
          delays_.add_cost(queue.first.path.last_delay, PlatformChange::What::bandwidth, link, cost);
  }
  for (const MessageId id : flows) {
    const Message& m = messages_[id];
    tell(id, std::max(0.0, m.remaining - m.rate * (now - m.since)), now);
    sink_.link_changes(id, now);
  }
  mark(link);
}

void FairNetwork::prefetch(MessageId id) const {
  for (const std::int32_t link : messages_[id].links) {
    gradflight::prefetch(links_[static_cast<std::size_t>(link)]);
    gradflight::prefetch(ledger_.use()[static_cast<std::size_t>(link)]);
  }
}

/// Takes a flow off its links. The last flow in each list takes its seat.
void FairNetwork::leave(MessageId id, double now) {
  Message& m = messages_[id];
  const std::span<const LinkShare> shares = messages_.shares(id);
  for (std::size_t k = 0; k < m.seats.size(); ++k) {
    const std::int32_t link = link_of(m, shares, k);
    auto& flows = at(link).flows;
    const MessageId moved = flows.back();
    flows.pop_back();
    if (moved != id) {
      flows[m.seats[k]] = moved;
      Message& other = messages_[moved];
      const std::span<const LinkShare> others = messages_.shares(moved);
      std::size_t seat = 0;
      while (link_of(other, others, seat) != link) ++seat;
      other.seats[seat] = m.seats[k];
    }
    if (!flows.empty()) mark(link);
  }
  if (!buckets_.empty()) leave_buckets(m, now);
  for (const LinkShare& share : shares) --at(share.link).shares;
  m.flowing = false;
}

double FairNetwork::carried(MessageId id, double now) const {
  const Message& m = messages_[id];
  const double after = m.extra ? messages_.extra(id).after : 0;
  return m.wire - (std::max(0.0, m.remaining - m.rate * (now - m.since)) + after) / m.slowing;
}

double FairNetwork::cut(MessageId id, double now) {
  const double bytes = carried(id, now);
  Message& m = messages_[id];
  m.wire = bytes;
  ledger_.leave(m, now);
  ledger_.leave(messages_.shares(id), bytes, now);
  leave(id, now);
  if (m.met) end_queues(m, messages_.shares(id), now);
  return bytes;
}

void FairNetwork::messages_on(std::int32_t link, std::vector<MessageId>& out) const {
  for (const MessageId id : links_[static_cast<std::size_t>(link)].flows)
    if (std::ranges::find(messages_[id].links, link) != messages_[id].links.end()) out.push_back(id);
}

void FairNetwork::end(MessageId id, double now) {
  Message& m = messages_[id];
  if (!m.flowing || m.end != now) return; // its rate has changed since this event was scheduled
  if (m.bottleneck != no_link || tells_holders_ || delays_.watches_bandwidths()) tell(id, 0, now);
  if (m.extra && messages_.extra(id).after > 0) { // these bytes follow at the same rate; the sender is told
    MessageExtra& extra = messages_.extra(id);
    const double rest = extra.after;
    extra.after = next_mark(extra, rest);
    m.traced_remaining = m.remaining = rest - extra.after;
    m.since = now;
    m.end = end_at_rate(m, now);
    m.timed = false;
    mark(owner(m)); // the new solution schedules the next end here
    sink_.left(id, rest, now);
    return;
  }
  ledger_.leave(m, now);
  ledger_.leave(messages_.shares(id), m.wire, now);
  leave(id, now);
  if (m.met) m.queued = end_queues(m, messages_.shares(id), now);
  sink_.arrived(id, now);
}

} // namespace gradflight
