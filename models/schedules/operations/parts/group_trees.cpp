#include "models/schedules/operations/parts/group_trees.hpp"

#include <algorithm>
#include <bit>

namespace gradflight {

namespace {

class Chain final : public GroupTree {
public:
  Chain(int p, int root) : p_(p), root_(root) {}
  [[nodiscard]] int parent(int member) const override { return member == root_ ? no_rank : (member + p_ - 1) % p_; }
  [[nodiscard]] int children(int member) const override { return (member + 1) % p_ == root_ ? 0 : 1; }
  [[nodiscard]] int child(int member, int) const override { return (member + 1) % p_; }

private:
  int p_, root_;
};

class Heap final : public GroupTree {
public:
  Heap(int p, int root) : p_(p), root_(root) {}
  [[nodiscard]] int parent(int member) const override {
    return member == root_ ? no_rank : rank((node(member) - 1) / 2);
  }
  [[nodiscard]] int children(int member) const override { return std::clamp(p_ - 1 - 2 * node(member), 0, 2); }
  [[nodiscard]] int child(int member, int i) const override { return rank(2 * node(member) + 1 + i); }

private:
  [[nodiscard]] int node(int rank) const { return (rank + p_ - root_) % p_; }
  [[nodiscard]] int rank(int node) const { return (node + root_) % p_; }
  int p_, root_;
};

/// NCCL's tree 0 over nodes 0..size-1.
struct BitTree {
  int size;
  [[nodiscard]] static int low_bit(int node) { return node & -node; }
  [[nodiscard]] int parent(int node) const {
    if (node == 0) return no_rank;
    const int bit = low_bit(node), up = (node ^ bit) | (2 * bit);
    return up < size ? up : node ^ bit;
  }
  /// Node 0 has one child, others have two; the second one may be missing.
  [[nodiscard]] int child(int node, int i) const {
    if (node == 0)
      return i == 0 && size > 1 ? static_cast<int>(std::bit_floor(static_cast<unsigned>(size - 1))) : no_rank;
    int bit = low_bit(node) / 2;
    if (bit == 0) return no_rank;
    if (i == 0) return node - bit;
    while (bit > 0 && node + bit >= size) bit /= 2;
    return bit > 0 ? node + bit : no_rank;
  }
};

class DoubleTree final : public GroupTree {
public:
  /// Over all ranks but `above`, the root's parent; no_rank: over all ranks.
  DoubleTree(int ranks, int above, int which)
      : ranks_(ranks), above_(above), which_(which), tree_{above == no_rank ? ranks : ranks - 1} {}

  [[nodiscard]] int parent(int member) const override {
    if (member == above_) return no_rank;
    const int parent = tree_.parent(node(member));
    return parent == no_rank ? above_ : rank(parent);
  }
  [[nodiscard]] int children(int member) const override {
    if (member == above_) return 1;
    const int v = node(member);
    return tree_.child(v, 0) == no_rank ? 0 : tree_.child(v, 1) == no_rank ? 1 : 2;
  }
  [[nodiscard]] int child(int member, int i) const override {
    return member == above_ ? rank(0) : rank(tree_.child(node(member), i));
  }

private:
  // Places are ranks in order from the one after `above`. A tree's nodes are places, mirrored or shifted.
  [[nodiscard]] int node(int rank) const {
    const int n = tree_.size, place = above_ == no_rank ? rank : (rank + ranks_ - above_ - 1) % ranks_;
    if (which_ == 0) return place;
    return n % 2 == 0 ? n - 1 - place : (place + n - 1) % n;
  }
  [[nodiscard]] int rank(int node) const {
    const int n = tree_.size, place = which_ == 0 ? node : n % 2 == 0 ? n - 1 - node : (node + 1) % n;
    return above_ == no_rank ? place : (place + above_ + 1) % ranks_;
  }
  int ranks_, above_, which_;
  BitTree tree_;
};

class SwitchTree final : public GroupTree {
public:
  SwitchTree(int ranks, int root) : ranks_(ranks), root_(root) {}
  [[nodiscard]] int parent(int member) const override {
    if (member == ranks_) return root_;
    return member == root_ ? no_rank : ranks_;
  }
  [[nodiscard]] int children(int member) const override {
    if (member == ranks_) return root_ == no_rank ? ranks_ : ranks_ - 1;
    return member == root_ ? 1 : 0;
  }
  [[nodiscard]] int child(int member, int i) const override {
    if (member != ranks_) return ranks_;
    return root_ == no_rank || i < root_ ? i : i + 1;
  }

private:
  int ranks_, root_;
};

} // namespace

std::unique_ptr<GroupTree> chain_tree(int p, int root) { return std::make_unique<Chain>(p, root); }
std::unique_ptr<GroupTree> heap_tree(int p, int root) { return std::make_unique<Heap>(p, root); }
std::unique_ptr<GroupTree> double_tree(int p, int which) { return std::make_unique<DoubleTree>(p, no_rank, which); }
std::unique_ptr<GroupTree> double_tree_below(int p, int root, int which) {
  return std::make_unique<DoubleTree>(p, root, which);
}
std::unique_ptr<GroupTree> switch_tree(int p) { return std::make_unique<SwitchTree>(p, no_rank); }
std::unique_ptr<GroupTree> switch_tree_below(int p, int root) { return std::make_unique<SwitchTree>(p, root); }

} // namespace gradflight
