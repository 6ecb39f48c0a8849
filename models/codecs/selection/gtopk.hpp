// gTop-k (Shi et al. 2019, Definition 1 and Algorithms 3 and 4) as pure functions on selections.
//
// The merge is not associative: the tree's result is not the exact top-k of the sum, and what an inner node drops can
// be lost (a worker whose entry was dropped while the index survived through another branch does not put it back).
#pragma once

#include "models/codecs/selection/selection.hpp"

namespace gradflight::codec::gtopk {

/// Union of both, with float32 receiver + sender where an index is in both; its k largest (zeros from cancellation
/// count as entries), indices ascending. Exactly k entries where the union has as many, else all of it.
SparseVector merge(const SparseVector& receiver, const SparseVector& sender, std::size_t k);

/// A merge of the tree: `receiver` takes in `sender`'s selection.
struct Merge {
  std::size_t receiver = 0, sender = 0;
  friend bool operator==(const Merge&, const Merge&) = default;
};
/// Round by round (distances 1, 2, 4, ...): rank r with r mod 2d = 0 takes in r + d where there is one. Any number of
/// ranks; rank 0 ends with the result. Algorithm 3's "step = i" is read as 2^(i-1).
std::vector<std::vector<Merge>> tree(std::size_t ranks);

/// The tree's result: a sum over the workers, not a mean (Algorithm 4).
SparseVector reduce(std::vector<SparseVector> selections, std::size_t k);

/// Algorithm 4, line 10: entries that this worker selected and the final set lacks return to its residual.
void put_back(const SparseVector& local, const SparseVector& result, std::span<float> residual);

} // namespace gradflight::codec::gtopk
