// One round of NCCL's search: as many channels of one speed as a node's links can carry, for one pattern.
//
// The search goes depth first over the orders of GPUs, with NCCL's preferences and its budget of steps. On machines
// with many equal links the result depends on both. Facts: NCCL 2.30.7 (Apache-2.0), src/graph/search.cc.
#pragma once

#include "models/nccl/graph.hpp"
#include "models/nccl/topology.hpp"

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <vector>

namespace gradflight::nccl {

/// The requirements of a round.
struct SearchRequest {
  Pattern pattern = Pattern::ring;
  double intra = 0, inter = 0;                                         ///< GB/s of each channel
  PathType intra_type = PathType::local, inter_type = PathType::local; ///< the farthest paths allowed
  bool same_channels = true;
  int cross_nic = 0;
  bool collnet = false;
  int least = 1, most = most_channels / 2; ///< channels
};

struct SearchResult {
  Graph graph{};
  int hops = 0; ///< number of links over all channels
};

class ChannelSearch {
public:
  /// `between`: channels lead to other nodes.
  ChannelSearch(const Machine& machine, const Topology& topology, bool between);

  /// Improves `best`. Returns the remaining budget of steps; -1: all wanted channels are found, 0: the budget is spent.
  int round(const SearchRequest& wanted, SearchResult& best);

private:
  static constexpr std::size_t usual_gpus = 8; ///< of a node; up to this many, a step of the search allocates nothing
  using Gpus = boost::container::small_vector<int, usual_gpus>;
  enum class Order : std::uint8_t { free, pci, replay };
  struct Way {
    int back_to_nic, back_to_first; ///< steps at which the channel returns to the NIC, or to its first GPU; -1: none
    Order order;
  };

  void next_channel(SearchResult& best, int& budget);
  void from_nics(SearchResult& best, int& budget, Way way);
  void from_nic(SearchResult& best, int& budget, Way way, int nic);
  void try_gpu(SearchResult& best, int& budget, Way way, int step, int from, int gpu);
  void at_gpu(SearchResult& best, int& budget, Way way, int step, int gpu);
  void to_nic(SearchResult& best, int& budget, Way way, int step, int gpu);
  void by_nvswitch(SearchResult& best, int& budget, int head);
  void by_collnet_direct(SearchResult& best, int& budget, int head);
  void channel_done(SearchResult& best, int& budget);
  [[nodiscard]] Gpus next_gpus(int gpu, int step, const Way& way) const;
  [[nodiscard]] const std::vector<int>& nics_for(int gpu) const {
    return nics_for_[static_cast<std::size_t>(std::int64_t{gpu} + 1)];
  }
  [[nodiscard]] std::vector<int> list_nics(PathType farthest, int gpu) const;
  [[nodiscard]] bool may_return_by(int nic, int step) const;
  [[nodiscard]] bool better(const SearchResult& best) const;

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
  std::vector<Link> links_;       ///< with the remaining rates
  std::vector<double> nic_rates_; ///< the remaining rates
  SearchRequest wanted_{};
  std::vector<std::vector<int>> nics_for_; ///< NICs for leaving, best first: for all GPUs, then for each
  std::vector<SearchedChannel> building_;
  std::vector<char> used_; ///< GPUs used by the channel under construction
  std::vector<std::vector<char>> used_before_;
  int count_ = 0, hops_ = 0;
  double latency_us_ = 0;
};

} // namespace gradflight::nccl
