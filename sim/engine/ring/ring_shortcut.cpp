#include "sim/engine/ring/ring_shortcut.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>

namespace gradflight {

std::optional<RingShortcut> RingShortcut::prove(const Plan& plan, const Platform& platform, const LinkState& state,
                                                double slowing) {
  std::optional<Rings> rings = plan.rings();
  if (!rings || !LinkState::constant()) return std::nullopt;
  // The passes' ends must be known when a rank enters.
  if (slowing > 1 && !rings->passes_foreseen) return std::nullopt;
  const std::vector<std::int32_t>& place = plan.shape().place;
  const std::size_t p = place.size();
  RingShortcut shortcut(plan, state, std::move(rings->gamma));
  shortcut.links_.resize(p);
  std::vector<bool> used(platform.links().size(), false);
  for (std::size_t i = 0; i < p; ++i) {
    const int from = place[i], to = place[(i + 1) % p];
    Route& links = shortcut.links_[i];
    platform.route(from, to, links);
    if (from == to || links.empty()) return std::nullopt; // free transfers follow other rules
    double alpha = platform.message_overhead();
    for (const std::int32_t l : links) {
      if (used[static_cast<std::size_t>(l)]) return std::nullopt; // two edges would share it
      used[static_cast<std::size_t>(l)] = true;
      alpha += platform.link(l).latency;
    }
    shortcut.alpha_.push_back(alpha);
  }
  shortcut.reduces_ = std::ranges::any_of(shortcut.seconds_per_byte_, [](double gamma) { return gamma > 0; });
  shortcut.bandwidth_.resize(p);
  shortcut.ranks_.resize(p);
  for (auto* lanes : {&shortcut.states_, &shortcut.messages_}) lanes->resize(p + 1);
  for (auto* times : {&shortcut.send_, &shortcut.reduce_}) {
    times->small.resize(p);
    times->large.resize(p);
  }
  for (auto* each : {&shortcut.beta_, &shortcut.gamma_, &shortcut.slowed_, &shortcut.computing_}) each->resize(p);
  return shortcut;
}

bool RingShortcut::enter(int rank, double now, const Path& path) {
  ranks_[static_cast<std::size_t>(rank)] = {now, path};
  return ++entered_ == ranks_.size();
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

/// What all steps of a bucket's exchange have in common.
void RingShortcut::lay_out(int bucket) {
  vector_ = plan_->ring_vector(bucket);
  const Blocks blocks(vector_.elements, static_cast<int>(links_.size()));
  small_bytes_ = static_cast<double>(blocks.base) * element_bytes;
  large_bytes_ = static_cast<double>(blocks.base + 1) * element_bytes;
  large_blocks_ = static_cast<std::size_t>(blocks.extra);
  for (std::size_t i = 0; i < links_.size(); ++i) {
    bandwidth_[i] = state_->bottleneck(links_[i]);
    send_.small[i] = vector_.bytes(small_bytes_) / bandwidth_[i];
    send_.large[i] = vector_.bytes(large_bytes_) / bandwidth_[i];
    reduce_.small[i] = small_bytes_ * seconds_per_byte_[i];
    reduce_.large[i] = large_bytes_ * seconds_per_byte_[i];
    states_.time[i] = ranks_[i].time;
    states_.alpha[i] = states_.gamma[i] = states_.interference[i] = 0;
    states_.origin[i] = static_cast<std::int64_t>(i);
  }
  states_.copy(0, links_.size());
}

/// In step `index` rank i sends block i - index (mod p) to its right.
void RingShortcut::step(std::size_t index, const RingStep& times) {
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
  const RingExtent all = send_ring(times, states_, messages_, slowed_.data());
  const bool added = flights_.add_together(all.earliest_sent, all.latest_sent, all.earliest_there, all.latest_there);
  for (std::size_t i = 0; i < p && !added; ++i) // ranks far out of step
    flights_.add({std::max(states_.time[i], states_.time[i + 1]), messages_.time[i + 1]});
  receive_ring(times, messages_, states_);
}

const std::vector<RingShortcut::Rank>& RingShortcut::finish(int bucket, Accounts& accounts, LinkLedger& ledger,
                                                            double slowing,
                                                            const std::vector<double>& computing_until) {
  const std::size_t p = links_.size();
  lay_out(bucket);
  flights_.clear();
  std::ranges::fill(slowed_, 0);
  for (std::size_t i = 0; i < p && slowing > 1; ++i)
    computing_[i] = std::max(computing_until[i], computing_until[(i + 1) % p]);
  const RingStep times{p, alpha_.data(), beta_.data(), reduces_ ? gamma_.data() : nullptr, computing_.data(), slowing};
  for (std::size_t s = 0; s < 2 * (p - 1); ++s) step(s, times);

  const std::vector<Rank> entered = ranks_;
  for (std::size_t i = 0; i < p; ++i) {
    const Rank& origin = entered[static_cast<std::size_t>(states_.origin[i])];
    Path path = origin.path;
    at(path, Part::alpha) += states_.alpha[i];
    const double beta = states_.time[i] - origin.time - states_.alpha[i] - states_.gamma[i] - states_.interference[i];
    at(path, Part::beta) += std::max(0.0, beta); // less than none: rounded
    at(path, Part::interference) += states_.interference[i];
    at(path, Part::gamma) += states_.gamma[i];
    ranks_[i] = {states_.time[i], path};
  }
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
  const double payload = static_cast<double>(messages_each) * static_cast<double>(n) * element_bytes;
  const double beside = static_cast<double>(messages_each) * vector_.beside;
  double wire = payload / ratio + beside * p;
  if (!vector_.wire.empty())
    wire = static_cast<double>(messages_each) * std::accumulate(vector_.wire.begin(), vector_.wire.end(), 0.0);
  accounts.settled(messages_each * p, payload, wire, flights_);
  for (int i = 0; i < p; ++i) {
    // Two rounds of all blocks, but for the two that would come next.
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
