// All-reduce, reduce and broadcast along trees, cut as in NCCL: channels and chunks. A chain is a tree, too.
//
// A channel has its own tree and a share of the vector. Each chunk goes up, with every rank's part added, and down
// again from the root. Both ways run side by side (NCCL splits a channel's threads between them), and chunk k+1 arrives
// while chunk k leaves. A reduction only goes up, a broadcast only down. A rank adds its children's messages in the
// order in which they are listed. Channels of one tree run side by side: they form one pair of lanes, up and down, with
// joint messages. Source: NCCL 2.30.7 (Apache-2.0), src/device/all_reduce.h; trees: models/nccl.
#pragma once

#include "models/schedules/operations/parts/group_schedule.hpp"

namespace gradflight {

/// A tree and its data.
struct TreeLane {
  std::vector<int> parent;          ///< of each rank; no_rank: the only root
  std::vector<int> by{};            ///< see RingLane
  std::int64_t elements = 0;        ///< of the lane's share
  std::int64_t chunk = 1;           ///< elements per chunk of all its channels together, >= 1
  std::int64_t offset = 0;          ///< where the share begins in the vector
  int channels = 1;                 ///< number of channels side by side, >= 1
  std::vector<std::int16_t> nics{}; ///< see RingLane
  friend bool operator==(const TreeLane&, const TreeLane&) = default;
};

class NcclTree final : public GroupSchedule {
public:
  /// `op`: all_reduce, reduce or broadcast. Shares must cover the vector. A rank's children are ordered by number.
  NcclTree(Operation op, int ranks, std::vector<TreeLane> trees);

  [[nodiscard]] int ranks() const override { return ranks_; }
  [[nodiscard]] int lanes() const override { return ways_ * static_cast<int>(trees_.size()); }
  [[nodiscard]] bool awaited(int lane) const override { return ways_ == 2 && goes_up(lane); }
  [[nodiscard]] int together(int lane) const override { return tree_of(lane).lane.channels; }
  [[nodiscard]] std::int16_t nic(int lane, int member) const override {
    const auto& nics = tree_of(lane).lane.nics;
    return nics.empty() ? any_nic : nics[static_cast<std::size_t>(member)];
  }
  [[nodiscard]] std::int64_t steps(int lane, int member) const override;
  [[nodiscard]] std::int64_t periods() const override; ///< chunks
  [[nodiscard]] std::int64_t period_steps(int lane, int member) const override;
  [[nodiscard]] std::unique_ptr<GroupSchedule> shortened(std::int64_t periods) const override;
  [[nodiscard]] bool same_messages(const GroupSchedule& other) const override;
  [[nodiscard]] std::vector<int> doing_alike(int lane, int model) const override;
  [[nodiscard]] std::unique_ptr<GroupSchedule> with_lanes(const std::vector<int>& lanes) const override;
  [[nodiscard]] LaneStep step(int lane, int member, std::int64_t index) const override;
  void contents(int lane, int member, std::int64_t index, std::vector<Piece>& pieces) const override;

private:
  struct Tree {
    TreeLane lane;
    std::vector<int> first, child; ///< rank r's children: child[first[r]] .. child[first[r + 1] - 1]
    std::int64_t chunks = 0;
  };
  /// A rank's part in a tree, per lane: the number of messages for each chunk.
  struct Seat {
    int parent = no_rank, children = 0;
    const int* child = nullptr;
    [[nodiscard]] int messages() const { return children + (parent == no_rank ? 0 : 1); }
  };
  [[nodiscard]] static Seat seat(const Tree& tree, int member);
  [[nodiscard]] Primitive primitive(const Seat& seat, bool up) const;
  [[nodiscard]] bool goes_up(int lane) const { return ways_ == 2 ? lane % 2 == 0 : op_ == Operation::reduce; }
  [[nodiscard]] const Tree& tree_of(int lane) const { return trees_[static_cast<std::size_t>(lane / ways_)]; }
  [[nodiscard]] static Range chunk(const Tree& tree, std::int64_t number);

  Operation op_;
  int ranks_, ways_; ///< lanes of a tree: up and down, or one of them
  std::vector<Tree> trees_;
};

} // namespace gradflight
