// NCCL's tuning in each release: constants, and rules that were added or removed. Facts: src/graph/tuning.cc of the
// tags v2.8.4-1 to v2.30.7-1 (BSD 3-Clause, then Apache-2.0). Microseconds and GB/s.
#pragma once

#include "models/nccl/tuning_tables.hpp"

#include <optional>
#include <string_view>

namespace gradflight::nccl {

/// Minor numbers distinguish releases: 2.8 to 2.30.
inline constexpr int oldest_release = 8, newest_release = 30;

/// "2.18" or "2.18.3"; nothing if it is no release from the oldest to the newest.
std::optional<int> release_named(std::string_view name);

/// How a call is split among channels, and how their thread blocks learn their work.
struct ChannelRules {
  double least_traffic = 32 * 1024; ///< bytes of a channel; 0, to 2.21: all channels carry the same
  bool ll_spreads = true;           ///< from 2.26: a call of LL takes up to four times as many channels
  /// Microseconds between the starts of a call's first two thread blocks, and of each of these and the next. To 2.21,
  /// blocks read their work from the host's memory; to 2.12, all but the first, which gets it with the launch.
  double second_block = 0, next_block = 0;

  /// Returns the microseconds from the first block's start to the last one's.
  [[nodiscard]] double last_block(int channels) const {
    return channels < 2 ? 0 : second_block + (channels - 2) * next_block;
  }
};

struct ReleaseTables {
  ChannelRules channel_rules{};
  tables::ByAlgorithm base_latency = tables::base_latency;
  std::array<tables::ByAlgorithm, 3> hop_latency = tables::hop_latency; ///< over NVLink, PCIe, the network
  tables::ByGeneration most_ll = tables::most_ll, most_ring_ll128 = tables::most_ring_ll128,
                       most_tree_ll128 = tables::most_tree_ll128, most_tree = tables::most_tree;
  std::array<std::array<double, 24>, 3> tree_share = tables::tree_share;

  bool ll_rings_by_steps = false; ///< to 2.20: LL rings reach a quarter, within a node without sums a third
  bool ll128_alone_less = false;  ///< to 2.22: LL128 rings reach 0.7 with one GPU per node
  double most_ampere = 0;         ///< to 2.17: total of all of a machine's channels; 0: no such bound
  double ll_inside = 1;           ///< to 2.17: factor on LL hops inside a node if there are several nodes
  bool posts = true;              ///< from 2.18: a ring's hops wait for messages to be posted
  bool adds_nic_latency = true;   ///< from 2.18: a NIC's latency is added; before, it replaced the table's
  bool alone_as_tree = true;      ///< from 2.23: hops between nodes of one GPU use a tree's latency
  int more_between = 0;         ///< 2.12 to 2.22: additional hops between nodes of an all-reduce, besides 2 (nodes - 1)
  bool tree_shares_nics = true; ///< from 2.18: trees with both ends on one NIC reach 0.85
  int plateau = 18;             ///< the release with the rule that slows Simple rings: 8, 17 or 18
  bool nvls = true, nvls_links = true; ///< from 2.17; from 2.27 by the links' real rate, before by 5/6
  bool gathers_by_switch = true;       ///< from 2.19: NVLS supports gather and scatter
  bool ll128_hopper = true, ll128_pxn = true, ll128_c2c = true; ///< from 2.14, 2.17, 2.27
  bool ll128_bridge = true;                                     ///< from 2.18: NVLink by way of another GPU
  bool pat = true;                                              ///< from 2.23
  bool pxn = true; ///< from 2.12: a GPU may send through another GPU's NIC (src/graph/paths.cc)
};
ReleaseTables tables_of(int release);

/// For LL128 rings, to 2.9 by operation: broadcast, reduce, all-gather, reduce-scatter, all-reduce.
inline constexpr std::array<double, 5> ring_ll128_of_2_8 = {18.8, 12.0, 18.3, 15.2, 16.9};

} // namespace gradflight::nccl
