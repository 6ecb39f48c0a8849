// gTop-k (Shi et al. 2019, Definition 1 and Algorithms 3 and 4) as pure functions on selections.
//
// The merge is not associative, so the tree's result is not the exact top-k of the sum. An entry that an inner node
// drops can be lost: if the same index survives in another branch, the worker does not put its entry back.
#pragma once

#include "models/codecs/selection/selection.hpp"

namespace gradflight::codec::gtopk {

/// Returns the k largest entries of the union of both; indices ascend. If an index is in both, its value is receiver +
/// sender in float32. Zeros from cancellation count as entries. If the union has fewer than k entries, returns all.
SparseVector merge(const SparseVector& receiver, const SparseVector& sender, std::size_t k);

/// One merge of the tree: `receiver` merges the selection of `sender` into its own.
struct Merge {
  std::size_t receiver = 0, sender = 0;
  friend bool operator==(const Merge&, const Merge&) = default;
};
/// Returns the merges of each round (distances d = 1, 2, 4, ...): rank r with r mod 2d = 0 merges the selection of r +
/// d, if that rank exists. Works for any number of ranks; rank 0 has the result. "step = i" in Algorithm 3 is read as
/// 2^(i-1).
std::vector<std::vector<Merge>> tree(std::size_t ranks);

/// Returns the tree's result: a sum over the workers, not a mean (Algorithm 4).
SparseVector reduce(std::vector<SparseVector> selections, std::size_t k);

/// Algorithm 4, line 10: entries that this worker selected but the final set lacks return to its residual.
void put_back(const SparseVector& local, const SparseVector& result, std::span<float> residual);

} // namespace gradflight::codec::gtopk
