// Binomial trees: reduce to a root and broadcast from it, any number of nodes.
//
// Thakur et al. 2005: at distance d = 1, 2, 4, ... node v with v mod 2d = 0 absorbs v + d if it exists; the broadcast
// runs the same tree backwards. ceil(log2 m) rounds each over m nodes.
#pragma once

#include "models/schedules/parts/schedule.hpp"
#include "models/schedules/parts/steps_form.hpp"

#include <algorithm>
#include <bit>

namespace gradflight {

/// The tree over nodes 0..size-1 with root 0, from one node's view.
struct BinomialNode {
  int node, size;

  [[nodiscard]] int parent() const { return node & (node - 1); }
  /// Children are node + 2^j for j = 0..children()-1.
  [[nodiscard]] int children() const {
    const auto after = static_cast<int>(std::bit_width(static_cast<unsigned>(size - 1 - node)));
    return node == 0 ? after : std::min(after, std::countr_zero(static_cast<unsigned>(node)));
  }
  /// Number of steps of the reduction, or of the broadcast.
  [[nodiscard]] int steps() const { return children() + (node == 0 ? 0 : 1); }

  /// Receive from the children, nearest first, then send to the parent. to and from are nodes.
  [[nodiscard]] Step reduce(Range range, int index, Combine combine) const;
  /// Receive from the parent, then send to the children, farthest first.
  [[nodiscard]] Step broadcast(Range range, int index) const;
};

/// Reduce to worker 0 and broadcast. Time, p = 2^k: log2 p (2 alpha + 2 n beta + n gamma). For other p, ceil(log2 p)
/// replaces log2 p if no leaf sends before its round; a leaf that does shares its parent's link.
class BinomialTree final : public Schedule {
public:
  /// Throws std::invalid_argument unless workers >= 1.
  explicit BinomialTree(int workers);

  [[nodiscard]] int participants() const override { return workers_; }
  [[nodiscard]] int workers() const override { return workers_; }
  [[nodiscard]] int steps(int participant) const override;
  [[nodiscard]] Step step(std::int64_t n, int participant, int index) const override;

private:
  int workers_;
};

/// gTop-k sparse all-reduce (gTop-k Alg. 3; docs/codecs.md, "Selections without a byte format"). It uses the same tree:
/// each parent merges two lists by top-k, then a binomial broadcast sends the root's list. Any p. Every rank works on
/// one list, its list 0. Time: 2 ceil(log2 p) (alpha + L beta) without merges, with L the bytes of a list (8k). The
/// paper has, for p = 2^k: 2 log2 p alpha + 4 k log2 p beta, k in bytes of values.
class GTopK final : public Schedule {
public:
  /// Throws std::invalid_argument unless workers >= 1.
  explicit GTopK(int workers);

  [[nodiscard]] int participants() const override { return workers_; }
  [[nodiscard]] int workers() const override { return workers_; }
  [[nodiscard]] int steps(int participant) const override;
  [[nodiscard]] Step step(std::int64_t n, int participant, int index) const override;

private:
  int workers_;
};

extern const StepsForm binomial_tree_form, gtopk_form;

} // namespace gradflight
