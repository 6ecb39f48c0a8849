// The constants of RCCL's tuning for MI300 (gfx942), microseconds and GB/s.
//
// Facts: RCCL of October 2024 (development after ROCm 6.2, on NCCL 2.21.5; BSD 3-Clause), src/graph/tuning.cc, model 5;
// tools/msccl-algorithms.
#pragma once

#include "models/collectives/operation.hpp"

#include <array>
#include <cstdint>

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

/// MSCCL's schedules for 8 GPUs, out of place: vectors up to `most_bytes` with a multiple of `chunks` elements.
struct MscclRow {
  Operation op;
  double most_bytes;
  bool ll; ///< else Simple
  int blocks, chunks;
};
inline constexpr int msccl_ranks = 8;
inline constexpr std::array<MscclRow, 8> msccl_rows = {{{Operation::all_reduce, 65536, true, 4, 256},
                                                        {Operation::all_reduce, 524287, true, 8, 512},
                                                        {Operation::all_reduce, 16777216, false, 8, 512},
                                                        {Operation::alltoall, 9216, true, 1, 8},
                                                        {Operation::alltoall, 194560, true, 2, 16},
                                                        {Operation::alltoall, 524288, true, 4, 32},
                                                        {Operation::alltoall, 7340032, false, 4, 32},
                                                        {Operation::alltoall, 45088768, false, 8, 64}}};
inline constexpr int block_threads = 256;
inline constexpr int reduced_bytes = 16; ///< that a thread loads from each peer's block at a time

} // namespace gradflight::nccl::rccl_tables
