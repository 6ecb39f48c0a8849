#include "sim/engine/network/fair_network.hpp"

#include "sim/engine/calendar/prefetch.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace gradflight {

FairNetwork::FairNetwork(const LinkState& state, Calendar& calendar, MessagePool& messages, LinkLedger& ledger,
                         ArrivalSink& sink)
    : state_(state), calendar_(calendar), messages_(messages), ledger_(ledger), sink_(sink), links_(state.size()) {}

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
  return rate;
}

/// The k-th of a message's links and, beyond them, shares.
std::int32_t FairNetwork::link_of(const Message& m, std::span<const LinkShare> shares, std::size_t k) {
  return k < m.links.size() ? m.links[k] : shares[k - m.links.size()].link;
}

void FairNetwork::set_burst(std::int32_t link, double bytes) {
  const auto l = static_cast<std::size_t>(link);
  if (buckets_.size() <= l) buckets_.resize(l + 1);
  buckets_[l] = {bytes, bytes, 0};
}

/// A link was idle up to now.
void FairNetwork::earn_credit(std::int32_t link, double now) {
  const auto l = static_cast<std::size_t>(link);
  if (l >= buckets_.size()) return;
  Bucket& bucket = buckets_[l];
  bucket.credit = std::min(bucket.burst, bucket.credit + state_.bandwidth(link) * (now - bucket.idle_since));
}

/// What all links of the route let pass at once; all have been idle up to now.
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

void FairNetwork::begin(MessageId id, double now) {
  Message& m = messages_[id];
  const std::span<const LinkShare> shares = messages_.shares(id);
  bool alone = true;
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
    } else if (!buckets_.empty()) {
      earn_credit(link, now);
    }
  }
  ledger_.enter(m, now);
  if (!shares.empty()) {
    for (const LinkShare& share : shares) ++at(share.link).shares;
    ledger_.enter(shares, now);
    any_shares_ = true;
    demand_.resize(links_.size());
  }
  m.flowing = true;
  m.credit = alone && !buckets_.empty() ? take_credit(m) : 0;
  m.remaining = (m.wire - m.credit) * m.slowing;
  if (m.extra) {
    MessageExtra& extra = messages_.extra(id);
    extra.after = std::min(extra.behind, m.remaining);
    m.remaining -= extra.after;
  }
  m.since = now;
  m.rate = alone ? rate_alone(id) : 0;
  m.end = Calendar::never;
  if (alone) {
    m.end = now + m.remaining / m.rate;
    calendar_.add(m.end, {EventKind::message_end, id});
  }
}

void FairNetwork::prefetch(MessageId id) const {
  for (const std::int32_t link : messages_[id].links) {
    gradflight::prefetch(links_[static_cast<std::size_t>(link)]);
    gradflight::prefetch(ledger_.use()[static_cast<std::size_t>(link)]);
  }
}

/// Takes a flow off its links; the last flow of each list takes its seat.
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
    if (!flows.empty())
      mark(link);
    else if (static_cast<std::size_t>(link) < buckets_.size())
      buckets_[static_cast<std::size_t>(link)].idle_since = now;
  }
  for (const LinkShare& share : shares) --at(share.link).shares;
  m.flowing = false;
}

void FairNetwork::end(MessageId id, double now) {
  Message& m = messages_[id];
  if (!m.flowing || m.end != now) return;         // its rate has changed since this event was scheduled
  if (m.extra && messages_.extra(id).after > 0) { // they follow at the same rate; the sender is told
    m.remaining = std::exchange(messages_.extra(id).after, 0);
    m.since = now;
    m.end = now + m.remaining / m.rate;
    mark(m.links.front()); // solving anew schedules the end that is next here
    sink_.left(id, now);
    return;
  }
  ledger_.leave(m, now);
  ledger_.leave(messages_.shares(id), m.wire, now);
  leave(id, now);
  sink_.arrived(id, now);
}

/// Notes a link of the part being collected.
void FairNetwork::meet(std::int32_t link) {
  Link& l = at(link);
  if (l.visit == visit_) return;
  l.visit = visit_;
  part_links_.push_back(link);
}

/// All links and flows connected with link `from` through flows.
void FairNetwork::collect(std::int32_t from) {
  part_links_.clear();
  part_flows_.clear();
  meet(from);
  for (std::size_t i = 0; i < part_links_.size(); ++i) { // NOLINT(modernize-loop-convert): meet() adds to them
    for (const MessageId id : at(part_links_[i]).flows) {
      Message& m = messages_[id];
      if (m.visit == visit_) continue;
      m.visit = visit_;
      m.part = static_cast<std::uint32_t>(part_flows_.size());
      part_flows_.push_back(id);
      for (const std::int32_t link : m.links) meet(link);
      if (!any_shares_) continue;
      for (const LinkShare& share : messages_.shares(id)) meet(share.link);
    }
  }
}

/// Progressive filling: the tightest link fixes the rates of its flows, and so on until every flow has one.
void FairNetwork::solve(double now) {
  for (const std::int32_t link : part_links_) {
    Link& l = at(link);
    l.left = state_.bandwidth(link);
    l.open = static_cast<std::uint32_t>(l.flows.size());
    if (l.shares > 0) demand_[static_cast<std::size_t>(link)] = l.open - l.shares;
  }
  if (any_shares_)
    for (const MessageId id : part_flows_)
      for (const LinkShare& share : messages_.shares(id)) demand_[static_cast<std::size_t>(share.link)] += share.weight;
  constexpr double unset = -1;
  std::size_t open_flows = part_flows_.size();
  part_rates_.assign(open_flows, unset);
  double last_share = 0;
  while (open_flows > 0) {
    Link* tightest = nullptr;
    double share = Calendar::never;
    for (const std::int32_t link : part_links_) {
      Link& l = at(link);
      if (l.open == 0) continue;
      const double s = l.left / (l.shares == 0 ? l.open : demand_[static_cast<std::size_t>(link)]);
      if (s < share) {
        share = s;
        tightest = &l;
      }
    }
    if (tightest == nullptr) throw std::logic_error("a flow crosses no link");
    // Shares never shrink as filling goes on; what differs by rounding only is the same.
    if (share < last_share * (1 + 1e-12)) share = last_share;
    last_share = share;
    for (const MessageId id : tightest->flows) {
      Message& m = messages_[id];
      double& rate = part_rates_[m.part];
      if (rate != unset) continue;
      rate = share;
      --open_flows;
      for (const std::int32_t link : m.links) {
        Link& l = at(link);
        l.left = std::max(0.0, l.left - share);
        if (l.shares > 0) demand_[static_cast<std::size_t>(link)] -= 1;
        --l.open;
      }
      if (!any_shares_) continue;
      for (const auto& [link, weight] : messages_.shares(id)) {
        Link& l = at(link);
        l.left = std::max(0.0, l.left - weight * share);
        demand_[static_cast<std::size_t>(link)] -= weight;
        --l.open;
      }
    }
  }
  double first_end = Calendar::never;
  for (std::size_t i = 0; i < part_flows_.size(); ++i) {
    Message& m = messages_[part_flows_[i]];
    const double rate = part_rates_[i];
    if (rate != m.rate) {
      m.remaining = std::max(0.0, m.remaining - m.rate * (now - m.since));
      m.since = now;
      m.rate = rate;
      m.end = now + m.remaining / rate;
    }
    first_end = std::min(first_end, m.end);
  }
  // Later ends need no event: the first end changes the part, and it is solved anew.
  for (const MessageId id : part_flows_)
    if (messages_[id].end == first_end) calendar_.add(first_end, {EventKind::message_end, id});
}

void FairNetwork::settle(double now) {
  if (dirty_.empty()) return;
  for (const std::int32_t link : dirty_) at(link).dirty = false;
  const std::uint64_t before = ++visit_;
  for (const std::int32_t link : dirty_) {
    const Link& l = at(link);
    if (l.flows.empty() || l.visit >= before) continue; // solved with an earlier dirty link
    ++visit_;
    collect(link);
    solve(now);
  }
  dirty_.clear();
}

} // namespace gradflight
