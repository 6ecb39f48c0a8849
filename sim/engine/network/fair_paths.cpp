// What holds flows up, told to their critical paths: links, other traffic, and changes.
#include "sim/engine/network/fair_network.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

namespace gradflight {

/// Tells the flow's path what has held it up until now, when `remaining` bytes are left. Without sharing, its narrowest
/// links hold it up, and the transport adds the time that its bytes take alone to them. While the job's own messages
/// leave it less, the shared links hold it up for all of the time: this moves the time alone to them. If links change,
/// the transport does so, since it knows what the bytes would have taken alone.
void FairNetwork::tell(MessageId id, double remaining, double now) {
  Message& m = messages_[id];
  const double time = now - std::exchange(m.traced_until, now);
  const double bytes = std::exchange(m.traced_remaining, remaining) - remaining;
  if (time <= 0 || m.beside()) return; // no path to tell
  if (delays_.watches_bandwidths()) note_costs(id, time, bytes);
  if (m.bottleneck == no_link && !tells_holders_) return;
  const LinkState::Narrowest narrowest = state_.narrowest(m.links);
  const double alone = m.extra || any_caps_ ? rate_alone(id) : narrowest.bandwidth;
  const std::uint32_t shared = m.bottleneck != no_link ? tell_shared(id, time, time - bytes / alone) : 0;
  if (!(bytes > 0)) return;
  const double seconds = bytes / alone / m.slowing;
  const std::uint32_t tiers = shared != 0 && alone == narrowest.bandwidth ? shared : narrowest.tiers;
  if (tells_holders_)
    sink_.held_up(id, tiers, seconds);
  else if (tiers != narrowest.tiers) {
    m.path.hold(tiers, seconds, m.links_share);
    m.path.hold(narrowest.tiers, -seconds, m.links_share);
  }
}

/// Tells the flow's path which shared links have held it up for `time`, of which sharing has cost `lost` seconds.
/// Returns the tiers of these links; 0 if only its narrowest links, or only other traffic, have held it up.
std::uint32_t FairNetwork::tell_shared(MessageId id, double time, double lost) {
  Message& m = messages_[id];
  if (!(lost > rounding * time)) {
    if (m.tied == 0) return 0;
    lost = 0;
  }
  double own = lost;
  if (any_beside_ && id < beside_.size()) {
    const double theirs = beside_[id].share * lost;
    beside_[id].seconds += theirs;
    gradflight::at(m.path, Part::traffic) += theirs;
    own -= theirs;
  }
  const auto traffic_on = [&](std::int32_t link) -> std::uint64_t { // its entries
    if (!any_beside_ || id >= beside_.size()) return 0;
    for (const auto& [own_link, entries] : beside_[id].traffic)
      if (own_link == link) return entries;
    return 0;
  };
  const auto add = [&](std::int32_t link) {
    if (!(lost > 0)) return;
    if (const std::uint64_t entries = traffic_on(link); entries != 0)
      m.path.last_delay = delays_.add_traffic(m.path.last_delay, link, entries);
    m.path.last_delay = delays_.add(m.path.last_delay, link, lost);
  };
  std::uint32_t tiers = 0;
  if (m.tied == 0) {
    tiers = state_.tier(m.bottleneck);
    add(m.bottleneck);
  } else {
    const std::span<const LinkShare> shares = messages_.shares(id);
    boost::container::small_vector<std::int32_t, 4> one_of_each; // kind and bandwidth
    for (std::uint32_t rest = m.tied; rest != 0; rest &= rest - 1) {
      const std::int32_t link = link_of(m, shares, static_cast<std::size_t>(std::countr_zero(rest)));
      tiers |= state_.tier(link);
      const auto alike = std::ranges::find_if(one_of_each, [&](std::int32_t other) {
        return delays_.kind(other) == delays_.kind(link) && state_.bandwidth(other) == state_.bandwidth(link);
      });
      if (alike == one_of_each.end())
        one_of_each.push_back(link);
      else if (traffic_on(*alike) == 0 && traffic_on(link) != 0)
        *alike = link;
    }
    for (const std::int32_t link : one_of_each) add(link);
  }
  m.path.hold(tiers, own, m.links_share);
  return lost == 0 || own > rounding * time ? tiers : 0;
}

/// Message `id` has come to a link that carries others.
void FairNetwork::note_meeting(std::int32_t link, MessageId id) {
  const auto plain = [](const Message& m, std::uint32_t plan) {
    return !m.extra && !m.streamed && m.slowing == 1 && m.plan == plan;
  };
  if (queue_of_.empty()) {
    queue_of_.resize(links_.size());
    queues_.resize(1);
  }
  std::uint32_t& index = queue_of_[static_cast<std::size_t>(link)];
  Message& m = messages_[id];
  m.met = true;
  if (index != 0) {
    Queue& queue = queues_[index];
    queue.bytes += m.wire;
    queue.plain = queue.plain && plain(m, queue.plan);
    return;
  }
  if (free_queue_ == 0) {
    index = static_cast<std::uint32_t>(queues_.size());
    queues_.emplace_back();
  } else {
    index = free_queue_;
    free_queue_ = queues_[index].next_free;
  }
  Message& first = messages_[at(link).flows.front()];
  first.met = true;
  // Its path has no delays of this message yet. If its rate changes, links cannot be told from one another.
  const bool known = buckets_.empty() && first.traced_until == first.begun;
  Queue& queue = queues_[index]; // filled in place: thousands of links may each have one
  queue.bytes = first.wire + m.wire;
  queue.plan = first.plan;
  queue.plain = known && plain(first, first.plan) && plain(m, first.plan) && first.links_share == 1 && !first.beside();
  queue.active = true;
  queue.looked_at = -1;
  queue.first.link = link;
  queue.first.path = first.path;
  queue.first.path.last_delay = delays_.append(first.path.last_delay, first.latencies);
  queue.first.launched = first.launched;
  queue.first.alpha = first.alpha;
  queue.first.outage = queue.carried = 0;
  queue.since = queue.first.begun();
}

/// A message of the queue has left the link at `now`. Returns whether all others end then, too.
bool FairNetwork::ends_with(std::int32_t link, Queue& queue, double now) const {
  const auto& flows = links_[static_cast<std::size_t>(link)].flows;
  if (queue.looked_at != now) {
    queue.looked_at = now;
    queue.ends = std::ranges::all_of(flows, [&](MessageId id) { return same_instant(now, messages_[id].end); });
  }
  return queue.ends || flows.empty();
}

/// Returns what changes of its bandwidth have cost a full link in its last `seconds`.
double FairNetwork::cost_of_changes(std::int32_t link, double seconds) const {
  if (!delays_.watches_bandwidths() || state_.bandwidth(link) == delays_.own_bandwidth(link)) return 0;
  return seconds * (1 - state_.bandwidth(link) / delays_.own_bandwidth(link));
}

/// A message has left its links. Ends their queues if it was the last one. If its end is that of a queue, returns
/// whether one of these links was full since clearly before the message began: full_link_.
bool FairNetwork::end_queues(const Message& m, std::span<const LinkShare> shares, double now) {
  constexpr double clearly = 1e-3; // of the time since: messages of one step begin a latency apart
  bool found = false;
  for (std::size_t k = 0; k < m.links.size() + shares.size(); ++k) {
    const std::int32_t link = link_of(m, shares, k);
    std::uint32_t& index = queue_of_[static_cast<std::size_t>(link)];
    if (index == 0) continue;
    Queue& queue = queues_[index];
    if (!ends_with(link, queue, now)) continue;
    const double begun = queue.first.begun(), full = queue.carried + state_.bandwidth(link) * (now - queue.since);
    if (queue.plain && m.links_share == 1 && m.begun - begun > clearly * (now - begun) &&
        std::abs(queue.bytes - full) <= rounding * full && (!found || begun < full_link_.begun())) {
      found = true;
      full_link_ = queue.first;
      full_link_.changes = cost_of_changes(link, now - queue.since);
    }
    if (!at(link).flows.empty()) continue;
    queue.active = false;
    queue.next_free = std::exchange(free_queue_, std::exchange(index, 0));
  }
  return found;
}

void FairNetwork::add_kept_delays(std::vector<DelayId*>& paths) {
  for (Queue& queue : queues_)
    if (queue.active) paths.push_back(&queue.first.path.last_delay);
}

/// Notes what changes of bandwidths have cost a flow whose `bytes` took `seconds`. With the platform's own bandwidths,
/// the links that hold it up would give it a rate in proportion, and no link would give it more than its bandwidth.
void FairNetwork::note_costs(MessageId id, double seconds, double bytes) {
  Message& m = messages_[id];
  if (!(m.rate > 0)) return; // an outage
  using Links = boost::container::small_vector<std::int32_t, 4>;
  Links by;
  if (m.tied != 0) {
    for (std::uint32_t rest = m.tied; rest != 0; rest &= rest - 1)
      by.push_back(link_of(m, messages_.shares(id), static_cast<std::size_t>(std::countr_zero(rest))));
  } else if (m.bottleneck != no_link) {
    by.push_back(m.bottleneck);
  } else {
    for (const std::int32_t link : m.links)
      if (state_.bandwidth(link) <= m.rate * (1 + rounding)) by.push_back(link);
  }
  if (by.empty()) return; // something else holds it up
  const auto own_per_present = [&](std::int32_t link) { return delays_.own_bandwidth(link) / state_.bandwidth(link); };
  double faster = own_per_present(by.front()), narrowest = std::numeric_limits<double>::infinity();
  for (const std::int32_t link : by) faster = std::min(faster, own_per_present(link));
  for (const std::int32_t link : m.links) narrowest = std::min(narrowest, delays_.own_bandwidth(link));
  const double shared = seconds / faster, alone = bytes / narrowest;
  const double cost = seconds - std::max(shared, alone);
  if (std::abs(cost) <= rounding * seconds) return;
  if (cost < 0) { // the links that changes have made faster would hold it up
    const bool by_share = shared >= alone;
    Links own;
    for (const std::int32_t link : by_share ? by : Links(m.links.begin(), m.links.end()))
      if (by_share ? own_per_present(link) == faster : delays_.own_bandwidth(link) == narrowest) own.push_back(link);
    by = own;
  }
  for (const std::int32_t link : by)
    m.path.last_delay =
        delays_.add_cost(m.path.last_delay, Delays::What::bandwidth, link, cost / static_cast<double>(by.size()));
}

/// Adds up the flows' rates on the part's links, and other traffic's part of them. Of other traffic, entries count that
/// have a flow with a thousandth of the link's rate: less holds nothing up.
void FairNetwork::add_up_rates() {
  constexpr double least = 1e-3;
  for (const std::int32_t link : part_links_) rates_[static_cast<std::size_t>(link)] = {};
  const auto on_each_link = [&](std::size_t i, auto&& add) {
    for (const std::int32_t link : messages_[part_flows_[i]].links)
      add(rates_[static_cast<std::size_t>(link)], part_rates_[i].rate);
    for (const LinkShare& share : messages_.shares(part_flows_[i]))
      add(rates_[static_cast<std::size_t>(share.link)], share.weight * part_rates_[i].rate);
  };
  for (std::size_t i = 0; i < part_flows_.size(); ++i) {
    const bool beside = messages_[part_flows_[i]].beside();
    on_each_link(i, [beside](Rates& rates, double rate) {
      rates.all += rate;
      if (beside) rates.beside += rate;
    });
  }
  for (std::size_t i = 0; i < part_flows_.size(); ++i) {
    const Message& m = messages_[part_flows_[i]];
    if (!m.beside() || m.bucket >= 64) continue;
    on_each_link(i, [&m](Rates& rates, double rate) {
      if (rate >= least * rates.all) rates.entries |= std::uint64_t{1} << static_cast<unsigned>(m.bucket);
    });
  }
}

/// Returns other traffic's share of the rates that others have on the link that holds up a flow.
double FairNetwork::share_of_other_traffic(MessageId id, const MessageLimit& held, double rate) const {
  if (held.by == no_link || messages_[id].beside()) return 0;
  const Rates& rates = rates_[static_cast<std::size_t>(held.by)];
  double own = rate;
  for (const LinkShare& share : messages_.shares(id))
    if (share.link == held.by) own = share.weight * rate;
  const double others = rates.all - own;
  return others > rounding * rates.all ? std::min(1.0, rates.beside / others) : 0;
}

FairNetwork::TrafficOnLinks FairNetwork::other_traffic(MessageId id, const MessageLimit& held) const {
  TrafficOnLinks found;
  const auto look = [&](std::int32_t link) {
    if (const std::uint64_t entries = rates_[static_cast<std::size_t>(link)].entries; entries != 0)
      found.emplace_back(link, entries);
  };
  if (held.tied == 0) look(held.by);
  const std::span<const LinkShare> shares = messages_.shares(id);
  for (std::uint32_t rest = held.tied; rest != 0; rest &= rest - 1)
    look(link_of(messages_[id], shares, static_cast<std::size_t>(std::countr_zero(rest))));
  return found;
}

} // namespace gradflight
