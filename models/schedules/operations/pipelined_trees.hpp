// Vectors in chunks up and down trees, one chunk behind another.
//
// Each direction of each tree has a lane. Up: a member receives a chunk from its children in turn, adds each to its own
// (a switch takes the first unchanged), and sends the sum to its parent while the next chunk arrives. Down: it receives
// a chunk and sends it to its children at once. Sends are buffered, so that messages to several children overlap. A
// member sends the next chunk when the last one has arrived everywhere, so at most one chunk is under way on a
// connection. Both: the root sends a chunk down when its sum is complete.
#pragma once

#include "models/schedules/operations/parts/group_schedule.hpp"
#include "models/schedules/operations/parts/group_spec.hpp"
#include "models/schedules/operations/parts/group_trees.hpp"

#include <memory>
#include <vector>

namespace gradflight {

/// A part of the vector through a tree: up to its root, down from it, or both in this order.
struct TreeFlow {
  std::unique_ptr<GroupTree> tree;
  bool up = false, down = false;
  Range part;
};

class PipelinedTrees final : public GroupSchedule {
public:
  /// `members` may be ranks + 1: a switch. Lanes are in the order of the flows, up before down.
  PipelinedTrees(int ranks, int members, std::int64_t chunk, std::vector<TreeFlow> flows);

  [[nodiscard]] int ranks() const override { return ranks_; }
  [[nodiscard]] int members() const override { return members_; }
  [[nodiscard]] int lanes() const override { return static_cast<int>(lanes_.size()); }
  [[nodiscard]] std::int64_t steps(int lane, int member) const override;
  [[nodiscard]] LaneStep step(int lane, int member, std::int64_t index) const override;
  void contents(int lane, int member, std::int64_t index, std::vector<Piece>& pieces) const override;

private:
  struct Lane {
    std::size_t flow;
    bool up;
    int after; ///< the lane that computes the sum that this one sends down; -1: none
    std::int64_t chunks;
  };
  [[nodiscard]] Range chunk(const Lane& lane, std::int64_t c) const;
  [[nodiscard]] LaneStep up_step(const Lane& lane, int member, std::int64_t index) const;
  [[nodiscard]] LaneStep down_step(const Lane& lane, int member, std::int64_t index) const;

  int ranks_, members_;
  std::int64_t chunk_;
  std::vector<TreeFlow> flows_;
  std::vector<Lane> lanes_;
};

/// Returns an operation's directions in a tree: reduce up, broadcast down, all_reduce and barrier both.
TreeFlow tree_flow(Operation op, std::unique_ptr<GroupTree> tree, Range part);

} // namespace gradflight
