// The constants of NCCL's tuning, release 2.30.7 (Apache-2.0), src/graph/tuning.cc. Microseconds and GB/s.
#pragma once

#include <array>

namespace gradflight::nccl::tables {

/// Rows: tree, ring, CollNet direct, chain, NVLS, NVLS tree, PAT; columns: LL, LL128, Simple.
using ByAlgorithm = std::array<std::array<double, 3>, 7>;

inline constexpr ByAlgorithm base_latency = {
    {{6.8, 14, 8.4}, {6.6, 14, 8.4}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {8, 8, 8}}};

/// Per hop over NVLink, PCIe, the network.
inline constexpr std::array<ByAlgorithm, 3> hop_latency = {
    {{{{0.6, 1.25, 4}, {0.6, 1.9, 3.4}, {0, 0, 3.7}, {0, 0, 2.8}, {0, 0, 25}, {0, 0, 25}, {0, 0, 4}}},
     {{{1, 1.9, 4}, {1, 2.5, 5.7}, {0, 0, 3.7}, {0, 0, 2.8}, {0, 0, 0}, {0, 0, 0}, {0, 0, 4}}},
     {{{5, 8.5, 14}, {2.7, 4, 14}, {0, 0, 31}, {0, 0, 30}, {0, 0, 18}, {0, 0, 20.9}, {0, 0, 14}}}}};

/// A line of LL: bytes of data, and the microseconds of a load from the GPU's memory, for which a thread waits before
/// its next one (general knowledge: 0.45 to 0.6 on Volta to Hopper; NCCL has no figure for it).
inline constexpr double ll_line = 8, ll_load_us = 0.5;

/// Rows: Volta, Ampere, Hopper, Blackwell; columns: one, two, more nodes.
using ByGeneration = std::array<std::array<double, 3>, 4>;

/// For LL on all channels; beyond one node the rows are Intel (the first) and AMD (the second).
inline constexpr ByGeneration most_ll = {{{39, 39, 20.4}, {87.7, 22.5, 19}, {141, 45, 35}, {282, 90, 70}}};
/// Channels over all NVLinks of a GPU, by generation: 6, 12, 18 and 18 links.
inline constexpr std::array<double, 4> node_channels = {12, 24, 24, 24};
/// Per channel.
inline constexpr ByGeneration most_ring_ll128 = {{{20, 20, 20}, {20, 20, 20}, {36.7, 36.7, 36.7}, {40, 40, 40}}};
inline constexpr ByGeneration most_tree_ll128 = {{{20, 20, 20}, {20, 20, 20}, {36.7, 36.7, 29}, {55.6, 31.67, 20}}};
inline constexpr ByGeneration most_tree = {{{26.5, 18.5, 10}, {24, 23.6, 17.8}, {38.7, 41.4, 36}, {70, 42.8, 24}}};
inline constexpr ByGeneration most_nvls_tree = {{{26.5, 18.5, 10}, {24, 23.6, 17.8}, {0, 57.7, 45.5}, {0, 96, 80}}};

inline constexpr std::array<double, 4> nvls_efficiency = {0, 0, 0.85, 0.74};

/// Share of their bandwidth that trees reach, by size: 64 B, 128 B, ... 512 MB; rows LL, LL128, Simple.
inline constexpr std::array<std::array<double, 24>, 3> tree_share = {
    {{1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1, 1},
     {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1, 1},
     {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9, .9}}};

} // namespace gradflight::nccl::tables
