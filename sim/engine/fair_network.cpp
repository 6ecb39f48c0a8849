#include "sim/engine/fair_network.hpp"

#include <algorithm>
#include <stdexcept>

namespace gradflight {

FairNetwork::FairNetwork(const Platform& platform, Calendar& calendar, MessagePool& messages, LinkLedger& ledger,
                         ArrivalSink& sink)
    : calendar_(calendar), messages_(messages), ledger_(ledger), sink_(sink), links_(platform.links().size()) {
  for (std::size_t l = 0; l < links_.size(); ++l) links_[l].capacity = platform.links()[l].bandwidth;
}

void FairNetwork::mark(std::int32_t link) {
  Link& l = links_[static_cast<std::size_t>(link)];
  if (l.dirty) return;
  l.dirty = true;
  dirty_.push_back(link);
}

void FairNetwork::begin(MessageId id, double now) {
  Message& m = messages_[id];
  m.seats.clear();
  bool alone = true;
  for (const std::int32_t link : m.links) {
    auto& flows = links_[static_cast<std::size_t>(link)].flows;
    m.seats.push_back(static_cast<std::uint32_t>(flows.size()));
    flows.push_back(id);
    if (flows.size() > 1) {
      alone = false;
      mark(link);
    }
  }
  ledger_.enter(m.links, now);
  m.flowing = true;
  m.remaining = m.wire;
  m.since = now;
  m.rate = alone ? m.bandwidth : 0;
  m.end = Calendar::never;
  if (alone) {
    m.end = now + m.wire / m.bandwidth;
    calendar_.add(m.end, {EventKind::message_end, id});
  }
}

/// Takes a flow off its links; the last flow of each list takes its seat.
void FairNetwork::leave(MessageId id) {
  Message& m = messages_[id];
  for (std::size_t k = 0; k < m.links.size(); ++k) {
    const std::int32_t link = m.links[k];
    auto& flows = links_[static_cast<std::size_t>(link)].flows;
    const MessageId moved = flows.back();
    flows.pop_back();
    if (moved != id) {
      flows[m.seats[k]] = moved;
      Message& other = messages_[moved];
      const auto at = std::find(other.links.begin(), other.links.end(), link) - other.links.begin();
      other.seats[static_cast<std::size_t>(at)] = m.seats[k];
    }
    if (!flows.empty()) mark(link);
  }
  m.flowing = false;
}

void FairNetwork::end(MessageId id, double now) {
  Message& m = messages_[id];
  if (!m.flowing || m.end != now) return; // its rate has changed since this event was scheduled
  ledger_.leave(m.links, m.wire, now);
  leave(id);
  sink_.arrived(id, now);
}

/// All links and flows connected with link `from` through flows.
void FairNetwork::collect(std::int32_t from) {
  part_links_.clear();
  part_flows_.clear();
  part_links_.push_back(from);
  links_[static_cast<std::size_t>(from)].visit = visit_;
  for (std::size_t i = 0; i < part_links_.size(); ++i) {
    for (const MessageId id : links_[static_cast<std::size_t>(part_links_[i])].flows) {
      Message& m = messages_[id];
      if (m.visit == visit_) continue;
      m.visit = visit_;
      part_flows_.push_back(id);
      for (const std::int32_t link : m.links) {
        Link& l = links_[static_cast<std::size_t>(link)];
        if (l.visit == visit_) continue;
        l.visit = visit_;
        part_links_.push_back(link);
      }
    }
  }
}

/// Progressive filling: the tightest link fixes the rates of its flows, and so on until every flow has one.
void FairNetwork::solve(double now) {
  for (const std::int32_t link : part_links_) {
    Link& l = links_[static_cast<std::size_t>(link)];
    l.left = l.capacity;
    l.open = static_cast<std::uint32_t>(l.flows.size());
  }
  constexpr double unset = -1;
  std::size_t open_flows = part_flows_.size();
  part_rates_.assign(open_flows, unset);
  for (std::size_t i = 0; i < part_flows_.size(); ++i) messages_[part_flows_[i]].part = static_cast<std::uint32_t>(i);
  double last_share = 0;
  while (open_flows > 0) {
    Link* tightest = nullptr;
    double share = Calendar::never;
    for (const std::int32_t link : part_links_) {
      Link& l = links_[static_cast<std::size_t>(link)];
      if (l.open == 0) continue;
      const double s = l.left / l.open;
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
        Link& l = links_[static_cast<std::size_t>(link)];
        l.left = std::max(0.0, l.left - share);
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
  for (const std::int32_t link : dirty_) links_[static_cast<std::size_t>(link)].dirty = false;
  const std::uint64_t before = ++visit_;
  for (const std::int32_t link : dirty_) {
    Link& l = links_[static_cast<std::size_t>(link)];
    if (l.flows.empty() || l.visit >= before) continue; // solved with an earlier dirty link
    ++visit_;
    collect(link);
    solve(now);
  }
  dirty_.clear();
}

} // namespace gradflight
