// The constants of RCCL's tuning for MI300 (gfx942), microseconds and GB/s.
//
// Facts: RCCL of October 2024 (development after ROCm 6.2, on NCCL 2.21.5; BSD 3-Clause), src/graph/tuning.cc, model 5.
#pragma once

#include <array>

namespace gradflight::nccl::rccl_tables {

/// Rows: tree, ring; columns: LL, LL128, Simple.
using TreeAndRing = std::array<std::array<double, 3>, 2>;

inline constexpr TreeAndRing base_latency = {{{12, 12, 17}, {12, 12, 17}}};
/// Per hop over xGMI, PCIe, the network.
inline constexpr std::array<TreeAndRing, 3> hop_latency = {
    {{{{0.9, 0, 2.3}, {0.8, 0, 2.1}}}, {{{2.2, 2.2, 5.7}, {2.2, 2.2, 5.7}}}, {{{10.5, 0, 25}, {9.5, 0, 320}}}}};
/// Share of the links' rate; for one and two nodes, and for more.
inline constexpr std::array<TreeAndRing, 2> bandwidth_share = {
    {{{{0.06, 0, 0.11}, {0.08, 0, 1}}}, {{{0.06, 0, 0.59}, {0.08, 0, 1}}}}};
inline constexpr double ll_rooted = 1.65; ///< factor for LL of broadcast and reduce inside a node

/// By size: 64 B, 128 B, ... 4 GiB; rows LL, LL128, Simple. For rings only between nodes.
inline constexpr std::array<std::array<double, 27>, 3> tree_share = {
    {{.1, .1, .1, .1, .1, .1, 1, 1, 1, 1, 1, .6, 1, .9, 1, 1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1},
     {},
     {.1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .7, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, .8}}};
inline constexpr std::array<std::array<double, 27>, 3> ring_share = {
    {{.1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, 1, .2, 1, .4, .4, .1, .2, .2, .1, .1, .1, .1, .1, .1, .1, .1},
     {},
     {.1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .8, 1, 1, 1}}};

} // namespace gradflight::nccl::rccl_tables
