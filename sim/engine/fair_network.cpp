#include "sim/engine/fair_network.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace gradflight {

FairNetwork::FairNetwork(std::span<const double> capacities, Calendar& calendar, MessagePool& messages,
                         LinkLedger& ledger, ArrivalSink& sink)
    : calendar_(calendar), messages_(messages), ledger_(ledger), sink_(sink), links_(capacities.size()) {
  for (std::size_t l = 0; l < links_.size(); ++l) links_[l].capacity = capacities[l];
}

void FairNetwork::mark(std::int32_t link) {
  Link& l = at(link);
  if (l.dirty) return;
  l.dirty = true;
  dirty_.push_back(link);
}

/// Takes a seat on a link; false where others are there.
bool FairNetwork::enter(Message& m, MessageId id, std::int32_t link, double now) {
  Link& l = at(link);
  m.seats.push_back(static_cast<std::uint32_t>(l.flows.size()));
  l.flows.push_back(id);
  if (l.flows.size() > 1) {
    mark(link);
    return false;
  }
  if (l.burst > 0) l.credit = std::min(l.burst, l.credit + l.capacity * (now - l.idle_since));
  return true;
}

double FairNetwork::rate_alone(const Message& m) const {
  double rate = m.bandwidth;
  for (const LinkShare& share : m.shares)
    rate = std::min(rate, links_[static_cast<std::size_t>(share.link)].capacity / share.weight);
  return rate;
}

void FairNetwork::set_burst(std::int32_t link, double bytes) {
  at(link).burst = at(link).credit = bytes;
  bursts_ = true;
}

/// What all links of the route let pass at once. They have been idle up to now.
double FairNetwork::take_credit(const Message& m) {
  double taken = m.wire;
  for (const std::int32_t link : m.links) taken = std::min(taken, at(link).credit);
  for (const std::int32_t link : m.links) at(link).credit -= taken;
  return taken;
}

void FairNetwork::begin(MessageId id, double now) {
  Message& m = messages_[id];
  m.seats.clear();
  bool alone = true;
  for (const std::int32_t link : m.links) alone &= enter(m, id, link, now);
  for (const LinkShare& share : m.shares) {
    alone &= enter(m, id, share.link, now);
    ++at(share.link).shares;
  }
  ledger_.enter(m, now);
  m.flowing = true;
  m.credit = alone && bursts_ ? take_credit(m) : 0;
  m.remaining = m.wire - m.credit;
  m.after = std::min(m.tail, m.remaining);
  m.remaining -= m.after;
  m.since = now;
  m.rate = alone ? rate_alone(m) : 0;
  m.end = Calendar::never;
  if (alone) {
    m.end = now + m.remaining / m.rate;
    calendar_.add(m.end, {EventKind::message_end, id});
  }
}

/// Gives up a seat on a link; the last flow of its list takes it.
void FairNetwork::vacate(Message& m, MessageId id, std::size_t seat, std::int32_t link, double now) {
  auto& flows = at(link).flows;
  const MessageId moved = flows.back();
  flows.pop_back();
  if (moved != id) {
    flows[m.seats[seat]] = moved;
    Message& other = messages_[moved];
    auto place =
        static_cast<std::size_t>(std::find(other.links.begin(), other.links.end(), link) - other.links.begin());
    if (place == other.links.size())
      place += static_cast<std::size_t>(std::ranges::find(other.shares, link, &LinkShare::link) - other.shares.begin());
    other.seats[place] = m.seats[seat];
  }
  if (!flows.empty())
    mark(link);
  else
    at(link).idle_since = now;
}

void FairNetwork::leave(MessageId id, double now) {
  Message& m = messages_[id];
  for (std::size_t k = 0; k < m.links.size(); ++k) vacate(m, id, k, m.links[k], now);
  for (std::size_t k = 0; k < m.shares.size(); ++k) {
    vacate(m, id, m.links.size() + k, m.shares[k].link, now);
    --at(m.shares[k].link).shares;
  }
  m.flowing = false;
}

void FairNetwork::end(MessageId id, double now) {
  Message& m = messages_[id];
  if (!m.flowing || m.end != now) return; // its rate has changed since this event was scheduled
  if (m.after > 0) {                      // the tail follows at the same rate; the sender is told
    m.remaining = std::exchange(m.after, 0);
    m.since = now;
    m.end = now + m.remaining / m.rate;
    mark(m.links.front()); // solving anew schedules the end that is next here
    sink_.left(id, now);
    return;
  }
  ledger_.leave(m, now);
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
  for (std::size_t i = 0; i < part_links_.size(); ++i) {
    for (const MessageId id : at(part_links_[i]).flows) {
      Message& m = messages_[id];
      if (m.visit == visit_) continue;
      m.visit = visit_;
      part_flows_.push_back(id);
      for (const std::int32_t link : m.links) meet(link);
      for (const LinkShare& share : m.shares) meet(share.link);
    }
  }
}

/// Progressive filling: the tightest link fixes the rates of its flows, and so on until every flow has one.
void FairNetwork::solve(double now) {
  bool weighted = false;
  for (const std::int32_t link : part_links_) {
    Link& l = at(link);
    l.left = l.capacity;
    l.open = static_cast<std::uint32_t>(l.flows.size());
    l.demand = l.open - l.shares;
    weighted |= l.shares > 0;
  }
  if (weighted)
    for (const MessageId id : part_flows_)
      for (const LinkShare& share : messages_[id].shares) at(share.link).demand += share.weight;
  constexpr double unset = -1;
  std::size_t open_flows = part_flows_.size();
  part_rates_.assign(open_flows, unset);
  for (std::size_t i = 0; i < part_flows_.size(); ++i) messages_[part_flows_[i]].part = static_cast<std::uint32_t>(i);
  double last_share = 0;
  while (open_flows > 0) {
    Link* tightest = nullptr;
    double share = Calendar::never;
    for (const std::int32_t link : part_links_) {
      Link& l = at(link);
      if (l.open == 0) continue;
      const double s = l.left / l.demand;
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
        l.demand -= 1;
        --l.open;
      }
      for (const auto& [link, weight] : m.shares) {
        Link& l = at(link);
        l.left = std::max(0.0, l.left - weight * share);
        l.demand -= weight;
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
