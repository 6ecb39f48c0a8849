#include "models/nccl/channel_search.hpp"
#include "models/nccl/graph.hpp"
#include "models/nccl/machine.hpp"
#include "models/nccl/nic_rates.hpp"
#include "models/nccl/search_speeds.hpp"
#include "models/nccl/topology.hpp"

#include <algorithm>
#include <span>

namespace gradflight::nccl {

namespace {

constexpr int whole_budget = 1 << 19, most_nvls_heads = 32, most_direct_heads = 8;
constexpr double no_path_rate = 0.1; ///< of the single channel that is used if the search found none

void set_relays(const Topology& topology, Graph& ring) {
  for (SearchedChannel& channel : ring.channels)
    if (channel.nic_out >= 0) channel.relay = topology.relay(channel.gpus.back(), channel.nic_out).value_or(-1);
}

/// The search for one pattern: rounds with easier and easier settings, then with higher speeds again.
class PatternSearch {
public:
  PatternSearch(const Machine& machine, const Topology& topology, Pattern pattern, int least, int most, bool collnet)
      : machine_(machine), topology_(topology), between_(machine.nodes > 1), search_(machine, topology, between_),
        speeds_(speeds_of(machine.generation, between_)) {
    wanted_.pattern = machine.gpu_count() == 1 && pattern != Pattern::ring ? Pattern::tree : pattern;
    wanted_.least = least;
    wanted_.most = most;
    wanted_.collnet = collnet;
  }

  Graph run() {
    const bool nvls = wanted_.pattern == Pattern::nvls;
    if (nvls && (!topology_.nvswitch() || machine_.generation < Generation::hopper)) return {};
    find_ranges();
    limit_channels();
    best_.graph.pattern = wanted_.pattern;
    try_same_ = !nvls;
    wanted_.same_channels = try_same_;
    speed_ = 0;
    const int gpus = topology_.gpus();
    total_ = between_ || gpus > 1 ? topology_.total_rate() : 5000;
    // A pattern that need not close has one sending GPU fewer.
    const double reach = gpus > 1 && wanted_.pattern != Pattern::ring ? total_ * gpus / (gpus - 1) : total_;
    while ((speeds_[speed_] > widest_ || speeds_[speed_] * wanted_.least > reach) && speed_ + 1 < speeds_.size())
      ++speed_;
    wanted_.intra = wanted_.inter = speeds_[speed_];
    relax_until_found();
    duplicate();
    faster_if_possible();
    if (best_.graph.channels.empty() && !wanted_.collnet && !nvls) fall_back();
    set_out_rates(machine_, topology_, best_.graph);
    return best_.graph;
  }

private:
  void find_ranges() {
    const int gpus = topology_.gpus();
    nearest_inside_ = PathType::local;
    farthest_inside_ = PathType::sockets;
    nearest_nic_ = PathType::pcie_switch;
    farthest_nic_ = PathType::sockets;
    const auto range = [&](bool nics, PathType& nearest, PathType& farthest) {
      nearest = PathType::sockets;
      farthest = PathType::local;
      for (int gpu = 0; gpu < gpus; ++gpu)
        for (int i = 0; i < (nics ? topology_.nics() : gpus); ++i)
          if (const int to = nics ? topology_.nic(i) : i; to != gpu) {
            nearest = std::min(nearest, topology_.path(gpu, to).type);
            farthest = std::max(farthest, topology_.path(gpu, to).type);
          }
    };
    if (gpus > 1) range(false, nearest_inside_, farthest_inside_);
    if (between_) range(true, nearest_nic_, farthest_nic_);
    // Balanced trees on Ampere sometimes return through the CPU.
    if (machine_.generation < Generation::hopper) farthest_nic_ = PathType::sockets;
    wanted_.intra_type = nearest_inside_;
    wanted_.inter_type = nearest_nic_;
    widest_ = !between_ && gpus == 1 ? 5000 : topology_.widest_path(between_);
    may_cross_ =
        topology_.nics() > 1 && (wanted_.pattern == Pattern::ring || wanted_.pattern == Pattern::balanced_tree);
  }

  void limit_channels() {
    const int gpus = topology_.gpus();
    if (wanted_.pattern == Pattern::nvls) {
      wanted_.most = std::min(most_nvls_heads, gpus);
      if (!between_) wanted_.least = wanted_.most; // all GPUs read evenly
    }
    if (wanted_.pattern == Pattern::collnet_direct) wanted_.most = std::min(most_direct_heads, gpus);
    if (wanted_.pattern == Pattern::ring && wanted_.least == 1 && wanted_.most >= 2 && topology_.split_nvlink())
      wanted_.least = 2; // trees serve such a machine better, and need two
  }

  void relax_until_found() {
    int left = whole_budget;
    while (true) {
      left -= wanted_.same_channels ? 1 << 8 : 1 << 14;
      const int steps = search_.round(wanted_, best_);
      if (steps == -1 || best_.graph.count() * best_.graph.inter >= total_) return;
      if (wanted_.same_channels && !(machine_.vendor == Vendor::amd && wanted_.intra_type == PathType::sockets)) {
        wanted_.same_channels = false;
        continue;
      }
      wanted_.same_channels = try_same_;
      left += steps;
      if (left < 0 && best_.graph.count() > 0) return;
      if (!relaxed()) return;
    }
  }

  /// Selects the next settings, depending on the result so far; returns false if none are left.
  bool relaxed() {
    const Graph& found = best_.graph;
    const bool none = found.channels.empty();
    if (machine_.generation >= Generation::hopper && wanted_.pattern == Pattern::balanced_tree) {
      wanted_.pattern = Pattern::tree;
      return true;
    }
    wanted_.pattern = found.pattern;
    if (wanted_.intra_type < (between_ ? wanted_.inter_type : farthest_inside_) &&
        (none || wanted_.intra_type < found.intra_type)) {
      wanted_.intra_type = next_path_type(wanted_.intra_type);
      return true;
    }
    wanted_.intra_type = nearest_inside_;
    if (between_ && wanted_.inter_type < farthest_nic_ &&
        (none || wanted_.inter_type < found.inter_type || wanted_.inter_type < PathType::pxn)) {
      wanted_.inter_type = next_path_type(wanted_.inter_type);
      return true;
    }
    wanted_.inter_type = nearest_nic_;
    if (may_cross_ && wanted_.cross_nic == 0 &&
        (found.pattern == Pattern::ring || found.pattern == Pattern::balanced_tree)) {
      wanted_.cross_nic = 2;
      return true;
    }
    wanted_.cross_nic = 0;
    if (speed_ + 1 < speeds_.size() && (none || speeds_[speed_ + 1] / found.inter > 0.49)) {
      wanted_.intra = wanted_.inter = speeds_[++speed_];
      return true;
    }
    return false;
  }

  static PathType next_path_type(PathType type) { return static_cast<PathType>(static_cast<int>(type) + 1); }

  /// Splits fast channels in two halves, because one channel's threads could not keep them busy.
  void duplicate() {
    Graph& found = best_.graph;
    if (found.channels.empty() || wanted_.pattern == Pattern::nvls || found.intra < 25) return;
    if (machine_.generation >= Generation::hopper && found.intra < 50 && found.count() > 4) return;
    const int before = found.count(), after = std::min(2 * before, wanted_.most);
    for (int c = before; c < after; ++c) found.channels.push_back(found.channels[static_cast<std::size_t>(c - before)]);
    const int parts = (after + before - 1) / before;
    found.intra /= parts;
    found.inter /= parts;
  }

  void faster_if_possible() {
    const Graph& found = best_.graph;
    if (found.channels.empty()) return;
    wanted_.pattern = found.pattern;
    wanted_.same_channels = found.same_channels;
    wanted_.cross_nic = found.cross_nic;
    wanted_.intra_type = found.intra_type;
    wanted_.inter_type = found.inter_type;
    for (speed_ = 0; speeds_[speed_] > found.inter && speed_ + 1 < speeds_.size();) ++speed_;
    wanted_.intra = wanted_.inter = speeds_[speed_];
    wanted_.least = found.count();
    for (int steps = -1; steps != 0 && speed_ > 0;) {
      if (found.pattern == Pattern::ring) {
        wanted_.intra = wanted_.inter = speeds_[--speed_];
      } else if (found.pattern == Pattern::nvls && wanted_.inter == found.inter && wanted_.inter < 2 * wanted_.intra) {
        wanted_.least = wanted_.most = found.count();
        wanted_.inter = speeds_[--speed_];
      } else if (wanted_.intra == found.intra && wanted_.intra < 2 * wanted_.inter) {
        wanted_.intra = speeds_[--speed_];
      } else {
        return;
      }
      steps = search_.round(wanted_, best_);
    }
  }

  void fall_back() {
    Graph& graph = best_.graph;
    SearchedChannel simple;
    for (int gpu = 0; gpu < topology_.gpus(); ++gpu) simple.gpus.push_back(gpu);
    if (between_) {
      simple.nic_in = topology_.nic_of(0, 0);
      simple.nic_out = topology_.nic_of(topology_.gpus() - 1, 0);
      graph.inter = no_path_rate;
    }
    graph.intra = no_path_rate;
    graph.intra_type = graph.inter_type = PathType::sockets;
    graph.channels = {simple};
  }

  const Machine& machine_;
  const Topology& topology_;
  const bool between_;
  ChannelSearch search_;
  std::span<const double> speeds_;
  std::size_t speed_ = 0;
  SearchRequest wanted_;
  SearchResult best_;
  bool try_same_ = true, may_cross_ = false;
  double widest_ = 0, total_ = 0;
  PathType nearest_inside_ = PathType::local, farthest_inside_ = PathType::sockets;
  PathType nearest_nic_ = PathType::pcie_switch, farthest_nic_ = PathType::sockets;
};

int nvls_channels(const Machine& machine) {
  if (machine.generation < Generation::blackwell) return 16;
  if (machine.nodes == 1) return 24;
  double nic = machine.nics.front().rate;
  for (const Nic& each : machine.nics) nic = std::min(nic, each.rate);
  if (machine.nodes == 2 && nic >= 48) return 32;
  if (nic >= 96) return machine.gpu_count() <= 8 ? 24 : 32;
  return nic >= 48 ? 24 : 32;
}

} // namespace

Graphs search(const Machine& machine) {
  const Topology topology(machine);
  const auto find = [&](Pattern pattern, int least, int most, bool collnet = false) {
    return PatternSearch(machine, topology, pattern, least, most, collnet).run();
  };
  Graphs graphs;
  graphs.ring = find(Pattern::ring, 1, most_channels / 2);
  set_relays(topology, graphs.ring);
  const int rings = graphs.ring.count();
  graphs.tree = find(Pattern::balanced_tree, rings, rings);
  if (machine.collnet && machine.nodes > 1) {
    graphs.collnet_chain = find(Pattern::tree, rings, rings, true);
    if (graphs.collnet_chain.count() > 0) graphs.collnet_direct = find(Pattern::collnet_direct, 1, most_channels, true);
  }
  if (machine.nvls && machine.gpu_count() > 1) graphs.nvls = find(Pattern::nvls, 1, most_channels);
  const int both = std::min(rings, graphs.tree.count());
  graphs.ring.channels.resize(static_cast<std::size_t>(both));
  graphs.tree.channels.resize(static_cast<std::size_t>(both));
  graphs.channels = std::min(most_channels, 2 * both);
  if (graphs.collnet_chain.count() > 0 && graphs.collnet_chain.intra > graphs.collnet_chain.inter &&
      machine.gpu_count() > 1)
    graphs.channels = std::min(most_channels, graphs.channels + graphs.channels / 2);
  if (machine.generation >= Generation::hopper && machine.nodes > 1 && graphs.ring.intra > 45 && graphs.channels < 16)
    graphs.channels *= 2;
  if (graphs.nvls.count() > 0) graphs.nvls_channels = nvls_channels(machine);
  return graphs;
}

} // namespace gradflight::nccl
