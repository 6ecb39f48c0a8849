#include "sim/engine/ring_shortcut.hpp"

#include <algorithm>
#include <limits>

namespace gradflight {

std::optional<RingShortcut> RingShortcut::prove(const Job& job, const Platform& platform) {
  const ExchangeSpec& x = job.training.exchange;
  if (job.training.compression.placement || x.algorithm != Algorithm::ring || x.pieces > 1 || job.streams() > 1 ||
      job.has_message_costs() || job.workers < 2)
    return std::nullopt;
  RingShortcut shortcut(job);
  std::vector<bool> used(platform.links().size(), false);
  for (int i = 0; i < job.workers; ++i) {
    Edge edge;
    const int from = job.place[static_cast<std::size_t>(i)];
    const int to = job.place[static_cast<std::size_t>((i + 1) % job.workers)];
    platform.route(from, to, edge.links);
    if (from == to || edge.links.empty()) return std::nullopt; // free transfers follow other rules
    edge.alpha = platform.message_overhead();
    edge.bandwidth = std::numeric_limits<double>::infinity();
    for (const std::int32_t l : edge.links) {
      if (used[static_cast<std::size_t>(l)]) return std::nullopt; // two edges would share it
      used[static_cast<std::size_t>(l)] = true;
      const DirectedLink& link = platform.links()[static_cast<std::size_t>(l)];
      edge.alpha += link.latency;
      edge.bandwidth = std::min(edge.bandwidth, link.bandwidth);
    }
    shortcut.edges_.push_back(std::move(edge));
  }
  shortcut.ranks_.resize(shortcut.edges_.size());
  shortcut.states_.resize(shortcut.edges_.size());
  shortcut.messages_.resize(shortcut.edges_.size());
  return shortcut;
}

bool RingShortcut::enter(int rank, double now, const Path& path) {
  ranks_[static_cast<std::size_t>(rank)] = {now, path};
  return ++entered_ == ranks_.size();
}

/// One step of all ranks. In it rank i sends block i - index (mod p) to its right.
void RingShortcut::step(int index, bool reduces) {
  const std::size_t p = states_.size();
  const std::size_t first_block = (2 * p - static_cast<std::size_t>(index)) % p;
  double earliest_sent = std::numeric_limits<double>::infinity(), latest_sent = 0;
  double earliest_there = earliest_sent, latest_there = 0;
  std::size_t block = first_block;
  for (std::size_t i = 0; i < p; ++i) {
    const State& left = states_[i];
    const State& right = states_[i + 1 == p ? 0 : i + 1];
    const Edge& edge = edges_[i];
    const double beta = block < large_blocks_ ? edge.large : edge.small;
    State message = right.time > left.time ? right : left; // the path leads through whom the other has waited for
    const double sent = message.time;
    message.time = sent + edge.alpha + beta;
    message.alpha += edge.alpha;
    messages_[i] = message;
    earliest_sent = std::min(earliest_sent, sent);
    latest_sent = std::max(latest_sent, sent);
    earliest_there = std::min(earliest_there, message.time);
    latest_there = std::max(latest_there, message.time);
    if (++block == p) block = 0;
  }
  if (latest_sent <= earliest_there) {
    flights_.add({earliest_sent, latest_there});
  } else { // ranks far out of step: there may be gaps
    block = first_block;
    for (std::size_t i = 0; i < p; ++i) {
      const double beta = block < large_blocks_ ? edges_[i].large : edges_[i].small;
      flights_.add({messages_[i].time - edges_[i].alpha - beta, messages_[i].time});
      if (++block == p) block = 0;
    }
  }
  std::size_t received_block = first_block == 0 ? p - 1 : first_block - 1;
  for (std::size_t j = 0; j < p; ++j) {
    State received = messages_[j == 0 ? p - 1 : j - 1];
    if (reduces) {
      const double gamma = (received_block < large_blocks_ ? large_bytes_ : small_bytes_) * job_->gamma[j];
      received.time += gamma;
      received.gamma += gamma;
    }
    states_[j] = messages_[j].time > received.time ? messages_[j] : received;
    if (++received_block == p) received_block = 0;
  }
}

const std::vector<RingShortcut::Rank>& RingShortcut::finish(std::int64_t n, Accounts& accounts, LinkLedger& ledger) {
  const int p = job_->workers;
  const Blocks blocks(n, p);
  const double ratio = job_->training.compression.ratio;
  small_bytes_ = static_cast<double>(blocks.base) * element_bytes;
  large_bytes_ = static_cast<double>(blocks.base + 1) * element_bytes;
  large_blocks_ = static_cast<std::size_t>(blocks.extra);
  for (Edge& edge : edges_) {
    edge.small = small_bytes_ / ratio / edge.bandwidth;
    edge.large = large_bytes_ / ratio / edge.bandwidth;
  }
  for (std::size_t i = 0; i < states_.size(); ++i) states_[i] = {ranks_[i].time, 0, 0, static_cast<std::int64_t>(i)};
  flights_.clear();
  for (int s = 0; s < 2 * (p - 1); ++s) step(s, s < p - 1);

  const std::vector<Rank> entered = ranks_;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const State& state = states_[i];
    const Rank& origin = entered[static_cast<std::size_t>(state.origin)];
    Path path = origin.path;
    path[static_cast<std::size_t>(Part::alpha)] += state.alpha;
    path[static_cast<std::size_t>(Part::beta)] += state.time - origin.time - state.alpha - state.gamma;
    path[static_cast<std::size_t>(Part::gamma)] += state.gamma;
    ranks_[i] = {state.time, path};
  }
  entered_ = 0;
  book(n, accounts, ledger);
  return ranks_;
}

void RingShortcut::book(std::int64_t n, Accounts& accounts, LinkLedger& ledger) {
  const int p = job_->workers;
  const Blocks blocks(n, p);
  const double ratio = job_->training.compression.ratio;
  const std::int64_t messages_each = 2 * (static_cast<std::int64_t>(p) - 1);
  const double payload = static_cast<double>(messages_each) * static_cast<double>(n) * element_bytes;
  accounts.settled(messages_each * p, payload, payload / ratio, flights_);
  for (int i = 0; i < p; ++i) {
    // Two rounds of all blocks, but for the two that would come next.
    const Edge& edge = edges_[static_cast<std::size_t>(i)];
    std::int64_t large = 2 * blocks.extra;
    for (const int left_out : {(i + 1) % p, (i + 2) % p}) large -= left_out < blocks.extra ? 1 : 0;
    const auto small = static_cast<double>(messages_each - large), larges = static_cast<double>(large);
    ledger.carried(edge.links, (larges * large_bytes_ + small * small_bytes_) / ratio,
                   larges * edge.large + small * edge.small);
  }
}

} // namespace gradflight
