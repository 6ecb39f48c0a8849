// The parameters of a schedule for an operation on a process group.
#pragma once

#include "models/collectives/operation.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gradflight {

struct GroupSpec {
  Operation op = Operation::all_reduce;
  int ranks = 1;
  int root = 0; ///< used if has_root(op)
  /// Elements of the vector that every rank holds (all_reduce, reduce, broadcast), of all blocks together (all_gather,
  /// gather, reduce_scatter, scatter), of what each rank gives (alltoall), of a message (sendrecv); a barrier has none.
  /// Blocks are cut evenly: the first (elements mod p) blocks have one more.
  std::int64_t elements = 0;
  /// Elements per message if an algorithm sends in chunks (GroupAlgorithm::chunks); of its share of each block if
  /// messages have parts of several blocks (nvls; in_switch's all_gather, reduce_scatter); 0: one chunk.
  std::int64_t chunk = 0;
  /// two_level: number of consecutive ranks per node; the last node may have fewer.
  int group_size = 1;
};

/// Returns mistakes, one line each: ranks below 1, a root outside, negative sizes. Empty: none.
std::vector<std::string> problems(const GroupSpec& spec);

} // namespace gradflight
