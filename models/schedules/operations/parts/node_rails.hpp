// Ranks in nodes, and rails across the nodes.
#pragma once

#include <algorithm>

namespace gradflight {

/// `ranks` ranks in nodes of `size` consecutive ones; the last node may have fewer.
class NodeRails {
public:
  struct Seat {
    int node, local;
    int size; ///< ranks of the node
  };

  NodeRails(int ranks, int size) : ranks_(ranks), size_(std::min(size, ranks)) {}
  [[nodiscard]] int ranks() const { return ranks_; }
  [[nodiscard]] int size() const { return size_; } ///< of a whole node, and the number of rails
  [[nodiscard]] int nodes() const { return (ranks_ + size_ - 1) / size_; }
  [[nodiscard]] bool even() const { return ranks_ % size_ == 0; }
  [[nodiscard]] int size_of(int node) const { return std::min(size_, ranks_ - node * size_); }
  [[nodiscard]] int rank(int node, int local) const { return node * size_ + local; }
  [[nodiscard]] Seat seat(int rank) const { return {rank / size_, rank % size_, size_of(rank / size_)}; }
  /// The rank that serves a rail in a node: local rank rail mod size.
  [[nodiscard]] int holder(int node, int rail) const { return rank(node, rail % size_of(node)); }
  /// Number of rails that a rank serves: local, local + size, ...
  [[nodiscard]] int rails_of(const Seat& seat) const { return (size_ - seat.local + seat.size - 1) / seat.size; }

private:
  int ranks_, size_;
};

} // namespace gradflight
