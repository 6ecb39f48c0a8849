// One round of NCCL's search: as many channels of one speed as a node's links carry, for one pattern.
//
// Depth first over the orders of GPUs, with the same preferences and the same budget of steps, since what is found on
// machines with many equal links depends on both. Facts: NCCL 2.30.7 (Apache-2.0), src/graph/search.cc.
#pragma once

#include "models/nccl/graph.hpp"
#include "models/nccl/topology.hpp"

#include <cstdint>
#include <vector>

namespace gradflight::nccl {

/// What a round looks for.
struct Wanted {
  Pattern pattern = Pattern::ring;
  double intra = 0, inter = 0;                                         ///< GB/s of each channel
  PathType intra_type = PathType::local, inter_type = PathType::local; ///< no farther paths than these
  bool same_channels = true;
  int cross_nic = 0;
  bool collnet = false;
  int least = 1, most = most_channels / 2; ///< channels
};

struct Found {
  Graph graph{};
  int hops = 0; ///< links that all channels pass
};

class ChannelSearch {
public:
  /// `between`: channels go to other nodes.
  ChannelSearch(const Machine& machine, const Topology& topology, bool between);

  /// Betters `best`. Budget of steps that are left; -1: it has as many channels as wanted, 0: the budget is spent.
  int round(const Wanted& wanted, Found& best);

private:
  enum class Order : std::uint8_t { free, pci, replay };
  struct Way {
    int back_to_nic, back_to_first; ///< steps at which the channel goes back to the NIC, or to its first GPU; -1: none
    Order order;
  };

  void next_channel(Found& best, int& budget);
  void from_nics(Found& best, int& budget, Way way);
  void from_nic(Found& best, int& budget, Way way, int nic);
  void try_gpu(Found& best, int& budget, Way way, int step, int from, int gpu);
  void at_gpu(Found& best, int& budget, Way way, int step, int gpu);
  void to_nic(Found& best, int& budget, Way way, int step, int gpu);
  void by_nvswitch(Found& best, int& budget, int head);
  void by_collnet_direct(Found& best, int& budget, int head);
  void channel_done(Found& best, int& budget);
  [[nodiscard]] std::vector<int> next_gpus(int gpu, int step, const Way& way) const;
  [[nodiscard]] const std::vector<int>& nics_for(int gpu) const {
    return nics_for_[static_cast<std::size_t>(std::int64_t{gpu} + 1)];
  }
  [[nodiscard]] std::vector<int> list_nics(PathType farthest, int gpu) const;
  [[nodiscard]] bool may_return_by(int nic, int step) const;
  [[nodiscard]] bool better(const Found& best) const;

  bool take(int from, int to, double share = 1);
  void give(int from, int to, double share = 1);
  double rate_for(int from, int to) const;
  bool move(const Path& path, int from, std::size_t count, double rate);

  SearchedChannel& channel(int back = 0) { return building_[static_cast<std::size_t>(count_ - back)]; }
  [[nodiscard]] const SearchedChannel& channel(int back = 0) const {
    return building_[static_cast<std::size_t>(count_ - back)];
  }

  const Machine& machine_;
  const Topology& topology_;
  const bool between_;
  std::vector<Link> links_;       ///< with the rates that are left
  std::vector<double> nic_rates_; ///< likewise
  Wanted wanted_{};
  std::vector<std::vector<int>> nics_for_; ///< to leave by, best first: of all GPUs, then of each
  std::vector<SearchedChannel> building_;
  std::vector<char> used_; ///< GPUs by the channel that is built
  std::vector<std::vector<char>> used_before_;
  int count_ = 0, hops_ = 0;
  double latency_us_ = 0;
};

} // namespace gradflight::nccl
