// Max-min rates of the part of the network in which something changed, and the links that hold flows up.
#include "sim/engine/network/fair_network.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

namespace gradflight {

namespace {
/// Tolerance for a sum of up to 10^5 shares, relative to one of them.
constexpr double few = 1e-6;
/// After some rounds, a part with many links keeps their shares in a tournament tree. Few links, or links for few
/// rounds, are searched faster one by one.
constexpr std::size_t many_links = 64, searched_rounds = 8;
} // namespace

/// Adds a link to the part.
void FairNetwork::reach(std::int32_t link) {
  Link& l = at(link);
  if (l.visit == visit_) return;
  l.visit = visit_;
  l.within = 0;
  part_links_.push_back(link);
}

/// Adds a flow to the part, and its links.
void FairNetwork::add(MessageId id) {
  Message& m = messages_[id];
  if (m.visit == visit_) return;
  m.visit = visit_;
  m.part = static_cast<std::uint32_t>(part_flows_.size());
  part_flows_.push_back(id);
  const auto meet = [this](std::int32_t link) {
    reach(link);
    ++at(link).within;
  };
  for (const std::int32_t link : m.links) meet(link);
  if (!any_shares_) return;
  for (const LinkShare& share : messages_.shares(id)) meet(share.link);
}

/// Adds all flows of a link of the part.
void FairNetwork::add_flows_of(std::int32_t link) {
  Link& l = at(link);
  l.dirty = false;
  if (!l.has_others()) return;
  for (const MessageId id : l.flows) add(id);
}

/// Takes in the changed links of the part, or all that is connected with it: flows with weights or caps and other
/// traffic cannot be solved in parts.
void FairNetwork::add_changed_links(bool whole) {
  whole = whole || any_shares_ || any_caps_ || any_beside_;
  for (std::size_t i = 0; i < part_links_.size(); ++i) // NOLINT(modernize-loop-convert): add_flows_of() adds to them
    if (whole || at(part_links_[i]).dirty) add_flows_of(part_links_[i]);
}

/// Returns whether `link` holds up `m`, by the flow's own record.
bool FairNetwork::is_bottleneck_of(std::int32_t link, const Message& m) {
  if (m.tied == 0) return m.bottleneck == link;
  for (std::uint32_t rest = m.tied; rest != 0; rest &= rest - 1) {
    const auto k = static_cast<std::size_t>(std::countr_zero(rest));
    if (k < m.links.size() && m.links[k] == link) return true;
  }
  return false;
}

/// Returns whether the part's new rates change a rate of a flow outside it on this link, or leave the part more.
bool FairNetwork::changes_outside(std::int32_t link) const {
  const Link& l = links_[static_cast<std::size_t>(link)];
  if (!l.has_others()) return false;
  const double largest = others_[static_cast<std::size_t>(link)];
  return std::ranges::any_of(l.flows, [&](MessageId id) {
    const Message& m = messages_[id];
    if (m.visit != visit_) return is_bottleneck_of(link, m) != (l.left < 0 && l.left >= -m.rate * (1 + rounding));
    if (m.part >= part_rates_.size()) return false; // it has only just joined
    const Rate& rate = part_rates_[m.part];
    return rate.fixed_by == link && rate.rate < largest * (1 - rounding);
  });
}

/// If flows outside the part feel its new rates on some links, these links join with all of their flows, or, with
/// `whole`, all that is connected with them. Returns false if no flow feels them; then the rates hold.
bool FairNetwork::widen(bool whole) {
  if (alone_) return false;
  const std::size_t flows = part_flows_.size();
  const std::size_t known = part_links_.size();
  for (std::size_t i = 0; i < known; ++i) // NOLINT(modernize-loop-convert): add_flows_of() adds to them
    if (changes_outside(part_links_[i])) add_flows_of(part_links_[i]);
  if (part_flows_.size() == flows) return false;
  add_changed_links(whole);
  return true;
}

/// Subtracts the rates that flows outside the part have on a link.
void FairNetwork::subtract_others(std::int32_t link) {
  Link& l = at(link);
  double& largest = others_[static_cast<std::size_t>(link)];
  largest = 0;
  for (const MessageId id : l.flows) {
    const Message& m = messages_[id];
    if (m.visit == visit_) continue;
    l.left -= m.rate;
    largest = std::max(largest, m.rate);
  }
  l.left = std::max(0.0, l.left);
}

/// All flows of a link have their rates. Returns whether its bandwidth is used up; `share`: largest rate in the part.
bool FairNetwork::is_exhausted(std::int32_t link, double share) {
  Link& l = at(link);
  const double largest = l.has_others() ? std::max(share, others_[static_cast<std::size_t>(link)]) : share;
  if (l.left > few * largest) return false;
  l.left = -largest;
  return true;
}

/// Returns the links that hold up a flow: they are fully used, and no flow on them has a larger rate.
FairNetwork::MessageLimit FairNetwork::message_limit(MessageId id, double rate) {
  MessageLimit held{no_link, 0};
  std::uint32_t bit = 1;
  const double least = -rate * (1 + rounding);
  const auto look = [&](std::int32_t link) {
    const double left = at(link).left;
    if (left < 0 && left >= least) {
      if (held.by == no_link) held.by = link;
      held.tied |= bit;
    }
    bit <<= 1;
  };
  for (const std::int32_t link : messages_[id].links) look(link);
  if (any_shares_)
    for (const LinkShare& share : messages_.shares(id)) look(share.link);
  if (std::has_single_bit(held.tied)) held.tied = 0;
  return held;
}

/// Returns the rate that each flow of a link without a rate could have; infinite if all have one.
double FairNetwork::open_share(std::int32_t link) const {
  const Link& l = links_[static_cast<std::size_t>(link)];
  if (l.open == 0) return Calendar::never;
  return l.left / (l.shares == 0 ? l.open : demand_[static_cast<std::size_t>(link)]);
}

/// A flow of the part has its rate, so its links have less left for others.
void FairNetwork::give(MessageId id, double share, std::size_t& full) {
  const auto end = [&](std::int32_t link) {
    if (--at(link).open == 0 && is_exhausted(link, share)) ++full;
    if (ranked_) least_share_.set(positions_[static_cast<std::size_t>(link)], open_share(link));
  };
  for (const std::int32_t link : messages_[id].links) {
    Link& l = at(link);
    l.left = std::max(0.0, l.left - share);
    if (l.shares > 0) demand_[static_cast<std::size_t>(link)] -= 1;
    end(link);
  }
  if (!any_shares_) return;
  for (const auto& [link, weight] : messages_.shares(id)) {
    Link& l = at(link);
    l.left = std::max(0.0, l.left - weight * share);
    demand_[static_cast<std::size_t>(link)] -= weight;
    end(link);
  }
}

/// From now on, the shares of the part's links are in least_share_.
void FairNetwork::rank_links() {
  ranked_ = true;
  positions_.resize(links_.size());
  least_share_.start(part_links_.size());
  for (std::size_t i = 0; i < part_links_.size(); ++i) {
    positions_[static_cast<std::size_t>(part_links_[i])] = static_cast<std::uint32_t>(i);
    least_share_.set(i, open_share(part_links_[i]));
  }
}

/// Returns the link of the part with the smallest share; of equal ones the first.
std::int32_t FairNetwork::tightest_link() const {
  if (ranked_) return least_share_.share() < Calendar::never ? part_links_[least_share_.position()] : no_link;
  std::int32_t tightest = no_link;
  double least = Calendar::never;
  for (const std::int32_t link : part_links_) {
    const double share = open_share(link);
    if (share < least) {
      least = share;
      tightest = link;
    }
  }
  return tightest;
}

/// Progressive filling: the tightest link fixes the rates of its flows, until every flow has one.
void FairNetwork::fill() {
  alone_ = true;
  for (const std::int32_t link : part_links_) {
    Link& l = at(link);
    l.left = state_.bandwidth(link);
    l.open = l.within;
    first_ends_[static_cast<std::size_t>(link)] = Calendar::never;
    if (l.has_others()) {
      alone_ = false;
      subtract_others(link);
    }
    if (l.shares > 0) demand_[static_cast<std::size_t>(link)] = l.open - l.shares;
  }
  if (any_shares_)
    for (const MessageId id : part_flows_)
      for (const LinkShare& share : messages_.shares(id)) demand_[static_cast<std::size_t>(share.link)] += share.weight;
  constexpr double unset = -1;
  std::size_t open_flows = part_flows_.size();
  part_rates_.assign(open_flows, {unset, no_link});
  std::size_t rounds = 0, full = 0; // rounds of filling; fully used links
  std::size_t capped = 0;           // flows at their caps
  part_caps_.clear();
  if (any_caps_) {
    for (const MessageId id : part_flows_)
      if (cap(id) < unbounded) part_caps_.push_back(id);
    std::ranges::stable_sort(part_caps_, {}, [&](MessageId id) { return cap(id); });
  }
  ranked_ = false;
  double last_share = 0;
  while (open_flows > 0) {
    if (rounds == searched_rounds && !ranked_ && part_links_.size() >= many_links) rank_links();
    const std::int32_t tightest = tightest_link();
    if (tightest == no_link) throw std::logic_error("a flow crosses no link");
    double share = open_share(tightest);
    // Shares that differ only by rounding count as equal, and shares never shrink as filling proceeds.
    if (at(tightest).has_others()) {
      const double largest = others_[static_cast<std::size_t>(tightest)];
      if (std::abs(share - largest) <= rounding * largest) share = largest;
    }
    if (share < last_share * (1 + 1e-12)) share = last_share;
    // Flows with a cap below the share take no more than it; the others share what is left.
    const std::size_t capped_before = capped;
    for (; capped < part_caps_.size() && cap(part_caps_[capped]) <= share; ++capped) {
      const MessageId id = part_caps_[capped];
      Rate& rate = part_rates_[messages_[id].part];
      if (rate.rate != unset) continue;
      rate = {cap(id), no_link};
      --open_flows;
      give(id, rate.rate, full);
    }
    if (capped > capped_before) continue;
    ++rounds;
    last_share = share;
    for (const MessageId id : at(tightest).flows) {
      if (messages_[id].visit != visit_) continue;
      Rate& rate = part_rates_[messages_[id].part];
      if (rate.rate != unset) continue;
      rate = {share, tightest};
      --open_flows;
      give(id, share, full);
    }
  }
  one_each_ = alone_ && full == rounds && capped == 0;
}

/// Gives the part's flows their new rates.
void FairNetwork::take_rates(double now) {
  if (any_beside_) add_up_rates();
  for (std::size_t i = 0; i < part_flows_.size(); ++i) {
    Message& m = messages_[part_flows_[i]];
    const auto [rate, fixed_by] = part_rates_[i];
    const MessageLimit held = one_each_ ? MessageLimit{fixed_by, 0} : message_limit(part_flows_[i], rate);
    const double theirs = any_beside_ ? share_of_other_traffic(part_flows_[i], held, rate) : 0;
    TrafficOnLinks traffic;
    if (theirs > 0) traffic = other_traffic(part_flows_[i], held);
    const auto changed = [&](const Beside& known) { return theirs != known.share || traffic != known.traffic; };
    if (held.by != m.bottleneck || held.tied != m.tied || (any_beside_ && changed(beside(part_flows_[i])))) {
      tell(part_flows_[i], std::max(0.0, m.remaining - m.rate * (now - m.since)), now);
      m.bottleneck = held.by;
      m.tied = held.tied;
      if (any_beside_) {
        beside(part_flows_[i]).share = theirs;
        beside(part_flows_[i]).traffic = std::move(traffic);
      }
    }
    if (rate != m.rate) {
      m.remaining = std::max(0.0, m.remaining - m.rate * (now - m.since));
      m.since = now;
      m.rate = rate;
      m.end = end_at_rate(m, now);
      m.timed = false;
    }
    double& first = first_ends_[static_cast<std::size_t>(owner(m))];
    first = std::min(first, m.end);
  }
  add_first_ends();
}

/// Only the first end among a link's flows needs an event: it changes the link, which then looks at the others again.
void FairNetwork::add_first_ends() {
  const auto first = [this](const Message& m) -> double& { return first_ends_[static_cast<std::size_t>(owner(m))]; };
  const auto add_if_first = [&](MessageId id) {
    const Message& m = messages_[id];
    if (!m.timed && m.end == first(m)) add_end(id);
  };
  if (!alone_)
    for (const std::int32_t link : part_links_) {
      if (!at(link).has_others()) continue;
      const auto of_others = [&](auto look) {
        for (const MessageId id : at(link).flows)
          if (messages_[id].visit != visit_ && owner(messages_[id]) == link) look(id);
      };
      of_others([&](MessageId id) { first(messages_[id]) = std::min(first(messages_[id]), messages_[id].end); });
      of_others(add_if_first);
    }
  for (const MessageId id : part_flows_) add_if_first(id);
}

void FairNetwork::settle(double now) {
  constexpr int near = 3; // in links; an effect that reaches farther counts as reaching everywhere
  for (const std::int32_t link : dirty_) {
    if (!at(link).dirty) continue; // solved with an earlier one
    part_links_.clear();
    part_flows_.clear();
    ++visit_;
    reach(link);
    add_changed_links(false);
    at(link).dirty = false;
    if (part_flows_.empty()) continue;
    fill();
    for (int away = 0; widen(away == near); ++away) fill();
    take_rates(now);
  }
  dirty_.clear();
}

} // namespace gradflight
