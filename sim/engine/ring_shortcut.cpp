#include "sim/engine/ring_shortcut.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>

namespace gradflight {

std::optional<RingShortcut> RingShortcut::prove(const Job& job, const Platform& platform) {
  const ExchangeSpec& x = job.training.exchange;
  if (job.training.compression.placement || x.algorithm != Algorithm::ring || x.pieces > 1 || job.streams() > 1 ||
      job.has_message_costs() || job.workers < 2)
    return std::nullopt;
  // The passes' ends are known when a rank enters only where nothing else takes up the GPU before then.
  const auto uses_gpu = [](const CostSpec& cost) { return cost.on == CostResource::gpu; };
  if (job.rate_while_computing < 1 && (job.depth > 1 || std::ranges::any_of(job.training.costs, uses_gpu)))
    return std::nullopt;
  const auto p = static_cast<std::size_t>(job.workers);
  RingShortcut shortcut(job);
  shortcut.links_.resize(p);
  std::vector<bool> used(platform.links().size(), false);
  for (std::size_t i = 0; i < p; ++i) {
    const int from = job.place[i], to = job.place[(i + 1) % p];
    Route& links = shortcut.links_[i];
    platform.route(from, to, links);
    if (from == to || links.empty()) return std::nullopt; // free transfers follow other rules
    double alpha = platform.message_overhead(), bandwidth = std::numeric_limits<double>::infinity();
    for (const std::int32_t l : links) {
      if (used[static_cast<std::size_t>(l)]) return std::nullopt; // two edges would share it
      used[static_cast<std::size_t>(l)] = true;
      const DirectedLink& link = platform.links()[static_cast<std::size_t>(l)];
      alpha += link.latency;
      bandwidth = std::min(bandwidth, link.bandwidth);
    }
    shortcut.alpha_.push_back(alpha);
    shortcut.bandwidth_.push_back(bandwidth);
  }
  shortcut.reduces_ = std::ranges::any_of(job.gamma, [](double gamma) { return gamma > 0; });
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
  const int p = job_->workers;
  const Blocks blocks(job_->plans[static_cast<std::size_t>(bucket)].elements, p);
  const auto weight = job_->weights.even(bucket);
  small_bytes_ = static_cast<double>(blocks.base) * element_bytes;
  large_bytes_ = static_cast<double>(blocks.base + 1) * element_bytes;
  large_blocks_ = static_cast<std::size_t>(blocks.extra);
  wire_.clear();
  for (int b = 0; b < p && !job_->weights.blocks().even(); ++b)
    wire_.push_back(job_->weights.bytes(bucket, blocks.range(b)));
  for (std::size_t i = 0; i < links_.size(); ++i) {
    send_.small[i] = weight.bytes(small_bytes_) / bandwidth_[i];
    send_.large[i] = weight.bytes(large_bytes_) / bandwidth_[i];
    reduce_.small[i] = small_bytes_ * job_->gamma[i];
    reduce_.large[i] = large_bytes_ * job_->gamma[i];
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
  if (wire_.empty()) {
    send_.of_blocks_from(first_block, large_blocks_, beta_);
  } else {
    for (std::size_t i = 0; i < p; ++i) beta_[i] = wire_[(first_block + i) % p] / bandwidth_[i];
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
    path[static_cast<std::size_t>(Part::alpha)] += states_.alpha[i];
    path[static_cast<std::size_t>(Part::beta)] +=
        states_.time[i] - origin.time - states_.alpha[i] - states_.gamma[i] - states_.interference[i];
    path[static_cast<std::size_t>(Part::interference)] += states_.interference[i];
    path[static_cast<std::size_t>(Part::gamma)] += states_.gamma[i];
    ranks_[i] = {states_.time[i], path};
  }
  entered_ = 0;
  book(bucket, accounts, ledger);
  return ranks_;
}

void RingShortcut::book(int bucket, Accounts& accounts, LinkLedger& ledger) {
  const int p = job_->workers;
  const std::int64_t n = job_->plans[static_cast<std::size_t>(bucket)].elements;
  const Blocks blocks(n, p);
  const auto [ratio, message_bytes] = job_->weights.even(bucket);
  const std::int64_t messages_each = 2 * (static_cast<std::int64_t>(p) - 1);
  const double payload = static_cast<double>(messages_each) * static_cast<double>(n) * element_bytes;
  const double beside = static_cast<double>(messages_each) * message_bytes;
  double wire = payload / ratio + beside * p;
  if (!wire_.empty()) wire = static_cast<double>(messages_each) * std::accumulate(wire_.begin(), wire_.end(), 0.0);
  accounts.settled(messages_each * p, payload, wire, flights_);
  for (int i = 0; i < p; ++i) {
    // Two rounds of all blocks, but for the two that would come next.
    const auto e = static_cast<std::size_t>(i);
    if (!wire_.empty()) {
      const double bytes = 2 * wire / static_cast<double>(messages_each) -
                           wire_[static_cast<std::size_t>((i + 1) % p)] - wire_[static_cast<std::size_t>((i + 2) % p)];
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
