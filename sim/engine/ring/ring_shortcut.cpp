#include "sim/engine/ring/ring_shortcut.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>

namespace gradflight {

std::optional<RingEdges> ring_edges(const Rings& rings, const std::vector<std::int32_t>& place,
                                    const Platform& platform, double slowing) {
  // The ends of the passes must be known when a rank enters.
  if (slowing > 1 && !rings.passes_foreseen) return std::nullopt;
  constexpr std::int32_t none = -1;
  const std::vector<std::int32_t>& members = rings.members;
  const std::size_t p = members.size();
  if (p < 2) return std::nullopt;
  const auto place_of = [&](std::int32_t rank) { return place[static_cast<std::size_t>(rank)]; };
  RingEdges edges;
  edges.links.resize(p);
  std::vector<std::int32_t> edge_on(platform.links().size(), none);
  for (std::size_t i = 0; i < p; ++i) {
    const int from = place_of(members[i]), to = place_of(members[(i + 1) % p]);
    Route& links = edges.links[i];
    platform.route(from, to, links);
    if (from == to || links.empty()) return std::nullopt; // free transfers follow other rules
    double alpha = platform.message_overhead();
    for (const std::int32_t l : links) {
      std::int32_t& edge = edge_on[static_cast<std::size_t>(l)];
      if (edge != none) return std::nullopt; // two edges would share it
      edge = static_cast<std::int32_t>(i);
      alpha += platform.link(l).latency;
    }
    edges.alpha.push_back(alpha);
  }
  Route links;
  for (const auto& [from, to] : rings.others) {
    if (place_of(from) == place_of(to)) continue;
    platform.route(place_of(from), place_of(to), links);
    for (const std::int32_t l : links) {
      const std::int32_t edge = edge_on[static_cast<std::size_t>(l)];
      if (edge == none) continue;
      const auto i = static_cast<std::size_t>(edge);
      const std::int32_t left = members[i], right = members[(i + 1) % p];
      if (from != left && from != right && to != left && to != right) return std::nullopt; // it may interfere
    }
  }
  return edges;
}

std::optional<RingShortcut> RingShortcut::prove(const Plan& plan, const Platform& platform, const LinkState& state,
                                                double slowing) {
  std::optional<Rings> rings = plan.rings();
  if (!rings) return std::nullopt;
  std::optional<RingEdges> edges = ring_edges(*rings, plan.shape().place, platform, slowing);
  if (!edges) return std::nullopt;
  const std::size_t p = edges->links.size();
  RingShortcut shortcut(plan, state, std::move(rings->gamma));
  shortcut.member_.resize(plan.shape().place.size());
  for (std::size_t i = 0; i < p; ++i)
    shortcut.member_[static_cast<std::size_t>(rings->members[i])] = static_cast<std::uint32_t>(i);
  shortcut.members_ = std::move(rings->members);
  shortcut.links_ = std::move(edges->links);
  shortcut.alpha_ = std::move(edges->alpha);
  shortcut.message_overhead_ = platform.message_overhead();
  shortcut.reduces_ = std::ranges::any_of(shortcut.seconds_per_byte_, [](double gamma) { return gamma > 0; });
  shortcut.bandwidth_.resize(p);
  shortcut.tiers_.resize(p);
  shortcut.ranks_.resize(p);
  for (auto* lanes : {&shortcut.states_, &shortcut.messages_}) lanes->resize(p + 1);
  for (auto* times : {&shortcut.send_, &shortcut.reduce_}) {
    times->small.resize(p);
    times->large.resize(p);
  }
  for (auto* each : {&shortcut.beta_, &shortcut.gamma_, &shortcut.slowed_, &shortcut.computing_}) each->resize(p);
  return shortcut;
}

bool RingShortcut::enter(int rank, double now, const TracedPath& path) {
  ranks_[member_[static_cast<std::size_t>(rank)]] = {now, path};
  return ++entered_ == ranks_.size();
}

double RingShortcut::first_entry() const { return std::ranges::min_element(ranks_, {}, &Rank::time)->time; }

std::vector<bool> RingShortcut::marked_links(std::size_t links) const {
  std::vector<bool> marked(links, false);
  for (const Route& edge : links_)
    for (const std::int32_t link : edge) marked[static_cast<std::size_t>(link)] = true;
  return marked;
}

bool RingShortcut::any_link_down() const {
  const auto down = [&](std::int32_t link) { return !state_->up(link); };
  return std::ranges::any_of(links_, [&](const Route& edge) { return std::ranges::any_of(edge, down); });
}

void RingShortcut::BlockTimes::of_blocks_from(std::size_t first, std::size_t large_blocks,
                                              std::vector<double>& out) const {
  const std::size_t p = small.size();
  std::size_t i = 0, block = first;
  for (const std::size_t end : {p - first, p}) { // blocks first ... p - 1, then 0 ... first - 1
    const std::size_t larger = block < large_blocks ? std::min(end - i, large_blocks - block) : 0;
    std::ranges::copy(std::span(large).subspan(i, larger), out.data() + i);
    std::ranges::copy(std::span(small).subspan(i + larger, end - i - larger), out.data() + i + larger);
    i = end;
    block = 0;
  }
}

/// Computes what all steps of a bucket's exchange have in common.
void RingShortcut::lay_out(int bucket) {
  vector_ = plan_->ring_vector(bucket);
  const Blocks blocks(vector_.elements, static_cast<int>(links_.size()));
  small_bytes_ = static_cast<double>(blocks.base) * vector_.element_bytes;
  large_bytes_ = static_cast<double>(blocks.base + 1) * vector_.element_bytes;
  large_blocks_ = static_cast<std::size_t>(blocks.extra);
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const LinkState::Narrowest narrowest = state_->narrowest(links_[i]);
    bandwidth_[i] = narrowest.bandwidth;
    tiers_[i] = narrowest.tiers;
    alpha_[i] = message_overhead_;
    for (const std::int32_t link : links_[i]) alpha_[i] += state_->latency(link);
    send_.small[i] = vector_.bytes(small_bytes_) / bandwidth_[i];
    send_.large[i] = vector_.bytes(large_bytes_) / bandwidth_[i];
    reduce_.small[i] = small_bytes_ * seconds_per_byte_[i];
    reduce_.large[i] = large_bytes_ * seconds_per_byte_[i];
    states_.time[i] = ranks_[i].time;
    states_.alpha[i] = states_.gamma[i] = states_.interference[i] = 0;
    states_.origin[i] = static_cast<std::int64_t>(i);
  }
  states_.copy(0, links_.size());
  lay_out_tiers();
}

/// In step `index` rank i sends block i - index (mod p) to its right. Returns when the last message has arrived; with
/// times alone, when one of them has.
double RingShortcut::step(std::size_t index, const RingStep& times) {
  const std::size_t p = links_.size();
  const std::size_t first_block = (2 * p - index) % p;
  if (vector_.wire.empty()) {
    send_.of_blocks_from(first_block, large_blocks_, beta_);
  } else {
    for (std::size_t i = 0; i < p; ++i) beta_[i] = vector_.wire[(first_block + i) % p] / bandwidth_[i];
  }
  if (reduces_) {
    if (index + 1 < p)
      reduce_.of_blocks_from((first_block + p - 1) % p, large_blocks_, gamma_);
    else
      std::ranges::fill(gamma_, 0);
  }
  if (only_times_) {
    time_ring(times, states_, messages_);
    return messages_.time.front();
  }
  hold_messages();
  const RingExtent all = send_ring(times, states_, messages_, slowed_.data());
  take_origins(messages_, 1);
  const bool added = flights_.add_together(all.earliest_sent, all.latest_sent, all.earliest_there, all.latest_there);
  for (std::size_t i = 0; i < p && !added; ++i) // ranks are far out of step
    flights_.add({std::max(states_.time[i], states_.time[i + 1]), messages_.time[i + 1]});
  hold_ranks();
  receive_ring(times, messages_, states_);
  take_origins(states_, 0);
  return all.latest_there;
}

/// Returns what all edges and ranks have in common in this exchange; nothing if they differ or the ring is small.
std::optional<UniformSteps> RingShortcut::uniform() const {
  constexpr std::size_t worth_it = 64;
  const auto same = [](const std::vector<double>& all) {
    return std::ranges::all_of(all, [&](double one) { return one == all.front(); });
  };
  if (links_.size() < worth_it || !vector_.wire.empty() || !(same_tiers_ || only_times_) || !same(alpha_) ||
      !same(bandwidth_) || !same(seconds_per_byte_))
    return std::nullopt;
  return UniformSteps{links_.size(),  large_blocks_,    alpha_[0],       send_.small[0],
                      send_.large[0], reduce_.small[0], reduce_.large[0]};
}

/// Returns whether no message is sent during compute.
bool RingShortcut::computes_alone(double slowing) const {
  if (slowing <= 1) return true;
  const auto first = std::ranges::min_element(ranks_, {}, &Rank::time);
  return *std::ranges::max_element(computing_) <= first->time;
}

bool RingShortcut::work_out_uniform(const UniformSteps& steps, double slowing) {
  if (!computes_alone(slowing)) return only_times_ && work_out_overlapped(steps, slowing);
  const auto entered = std::span(states_.time).first(steps.ranks);
  if (only_times_)
    uniform_.work_out(steps, entered, ends_);
  else if (!uniform_.work_out(steps, entered, ends_, flights_))
    return false;
  take_ends(steps);
  return true;
}

/// Computes the exchange if every message is sent during compute; returns false if some are not.
bool RingShortcut::work_out_overlapped(UniformSteps steps, double slowing) {
  for (double* of_message : {&steps.alpha, &steps.small_beta, &steps.large_beta}) *of_message *= slowing;
  uniform_.work_out(steps, std::span(states_.time).first(steps.ranks), ends_);
  const double last = std::ranges::max_element(ends_, {}, &UniformRing::End::time)->time;
  if (last > *std::ranges::min_element(computing_)) return false;
  take_ends(steps);
  return true;
}

void RingShortcut::take_ends(const UniformSteps& steps) {
  double alpha = 0;
  for (std::size_t s = 0; s < 2 * (steps.ranks - 1); ++s) alpha += steps.alpha;
  for (std::size_t i = 0; i < steps.ranks; ++i) {
    states_.time[i] = ends_[i].time;
    states_.alpha[i] = alpha;
    states_.gamma[i] = ends_[i].gamma;
    states_.origin[i] = static_cast<std::int64_t>(ends_[i].origin);
  }
}

void RingShortcut::work_out_steps(double slowing, const Pulse& pulse) {
  const std::size_t p = links_.size();
  RingStep times{p, alpha_.data(), beta_.data(), reduces_ ? gamma_.data() : nullptr, computing_.data(), slowing};
  constexpr std::size_t between_pulses = 1 << 16, between_looks = 16;
  std::size_t sent = 0;
  for (std::size_t s = 0; s < 2 * (p - 1); ++s) {
    if (only_times_ && times.slowing > 1 && s % between_looks == 0 &&
        *std::ranges::min_element(states_.time) >= *std::ranges::max_element(computing_))
      times.slowing = 1; // no further message is sent during compute
    const double reached = step(s, times);
    sent += p;
    if (sent % between_pulses < p) pulse(reached, static_cast<std::int64_t>(sent));
  }
}

const std::vector<RingShortcut::Rank>& RingShortcut::finish(int bucket, Accounts& accounts, LinkLedger& ledger,
                                                            double slowing, const std::vector<double>& computing_until,
                                                            const Pulse& pulse) {
  const std::size_t p = links_.size();
  lay_out(bucket);
  flights_.clear();
  std::ranges::fill(slowed_, 0);
  const auto until = [&](std::size_t i) { return computing_until[static_cast<std::size_t>(members_[i])]; };
  for (std::size_t i = 0; i < p && slowing > 1; ++i) computing_[i] = std::max(until(i), until((i + 1) % p));
  find_changed_edges();
  const std::optional<UniformSteps> steps = uniform();
  if (!steps || !work_out_uniform(*steps, slowing)) work_out_steps(slowing, pulse);

  double last = 0;
  const std::vector<Rank> entered = ranks_;
  for (std::size_t i = 0; i < p; ++i) {
    const Rank& origin = entered[static_cast<std::size_t>(states_.origin[i])];
    TracedPath path = origin.path;
    at(path, Part::alpha) += states_.alpha[i];
    const double rest = states_.time[i] - origin.time - states_.alpha[i] - states_.gamma[i] - states_.interference[i];
    const double beta = std::max(0.0, rest); // below 0 only by rounding
    at(path, Part::beta) += beta;
    note_costs(path, states_.alpha[i], beta);
    if (same_tiers_) path.hold(tiers_.front(), beta);
    double others = 0; // all tiers but the first
    for (const TierLane& lane : tier_lanes_) {
      path.held[lane.tier] += lane.ranks[i];
      others += lane.ranks[i];
    }
    if (!same_tiers_) path.held.front() += std::max(0.0, beta - others);
    at(path, Part::interference) += states_.interference[i];
    at(path, Part::gamma) += states_.gamma[i];
    ranks_[i] = {states_.time[i], path};
    last = std::max(last, states_.time[i]);
  }
  pulse(last, 2 * static_cast<std::int64_t>(p - 1) * static_cast<std::int64_t>(p));
  entered_ = 0;
  book(accounts, ledger);
  return ranks_;
}

void RingShortcut::book(Accounts& accounts, LinkLedger& ledger) {
  const int p = static_cast<int>(links_.size());
  const std::int64_t n = vector_.elements;
  const Blocks blocks(n, p);
  const double ratio = vector_.ratio;
  const std::int64_t messages_each = 2 * (static_cast<std::int64_t>(p) - 1);
  const double payload = static_cast<double>(messages_each) * static_cast<double>(n) * vector_.element_bytes;
  const double beside = static_cast<double>(messages_each) * vector_.beside;
  double wire = payload / ratio + beside * p;
  if (!vector_.wire.empty())
    wire = static_cast<double>(messages_each) * std::accumulate(vector_.wire.begin(), vector_.wire.end(), 0.0);
  accounts.settled(messages_each * p, payload, wire, flights_);
  for (int i = 0; i < p; ++i) {
    // Two rounds of all blocks, except the two that would come next.
    const auto e = static_cast<std::size_t>(i);
    if (!vector_.wire.empty()) {
      const double bytes = 2 * wire / static_cast<double>(messages_each) -
                           vector_.wire[static_cast<std::size_t>((i + 1) % p)] -
                           vector_.wire[static_cast<std::size_t>((i + 2) % p)];
      ledger.carried(links_[e], bytes, bytes / bandwidth_[e] + slowed_[e]);
      continue;
    }
    std::int64_t large = 2 * blocks.extra;
    for (const int left_out : {(i + 1) % p, (i + 2) % p}) large -= left_out < blocks.extra ? 1 : 0;
    const auto small = static_cast<double>(messages_each - large), larges = static_cast<double>(large);
    ledger.carried(links_[e], (larges * large_bytes_ + small * small_bytes_) / ratio + beside,
                   larges * send_.large[e] + small * send_.small[e] + slowed_[e]);
  }
}

} // namespace gradflight
