// Rooted trees over the members of a group. Each query takes O(log p).
#pragma once

#include "models/schedules/parts/schedule.hpp"

#include <memory>

namespace gradflight {

class GroupTree {
public:
  virtual ~GroupTree() = default;
  /// no_rank: the member is the root.
  [[nodiscard]] virtual int parent(int member) const = 0;
  [[nodiscard]] virtual int children(int member) const = 0;
  /// i in 0..children()-1.
  [[nodiscard]] virtual int child(int member, int i) const = 0;
};

/// root, root + 1, ..., root - 1 (modulo p), each the parent of the next.
std::unique_ptr<GroupTree> chain_tree(int p, int root);
/// Nodes are counted from the root; node v is above 2v + 1 and 2v + 2. All levels are full but the last.
std::unique_ptr<GroupTree> heap_tree(int p, int root);
/// NCCL's trees over all ranks (trees.cc; Sanders, Speck and Traeff 2009). Tree 0 has rank 0 on top and its even ranks
/// inside. Tree 1 is the same, mirrored if p is even, shifted by one if it is odd, so that leaves of one are inner
/// nodes of the other.
std::unique_ptr<GroupTree> double_tree(int p, int which);
/// The same over all ranks but `root`, which is above both trees. p >= 2.
std::unique_ptr<GroupTree> double_tree_below(int p, int root, int which);
/// The switch, member p, above all ranks.
std::unique_ptr<GroupTree> switch_tree(int p);
/// `root` above the switch, member p, above all other ranks. p >= 2.
std::unique_ptr<GroupTree> switch_tree_below(int p, int root);

} // namespace gradflight
