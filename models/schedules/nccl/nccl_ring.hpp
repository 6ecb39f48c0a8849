// All-reduce, all-gather and reduce-scatter on rings, cut as in NCCL: channels, loops, chunks, slices.
//
// A channel has its own ring and a share of the vector. Each loop moves one chunk of each rank around the ring; in the
// last loop the chunks are the rest. A rank forwards a slice as soon as it has it, while the next one is on its way:
// message k of a loop leaves as message k - (slices - 1) arrives. So with two slices a chunk's latency passes while the
// other slice moves. A loop's last steps only receive: one thread block carries out the primitives of all loops one
// after another, so the next loop begins once the last slice of this one has arrived. Channels of one ring run side by
// side in lockstep: they form one lane, with joint messages. A sender's eight steps of credit are HopCost::ahead.
// Source: NCCL 2.30.7 (Apache-2.0), src/device/all_reduce.h, all_gather.h, reduce_scatter.h, prims_simple.h.
#pragma once

#include "models/schedules/operations/parts/group_schedule.hpp"

namespace gradflight {

/// A ring and its data.
struct RingLane {
  std::vector<int> order;           ///< the ranks, each once
  std::vector<int> by{};            ///< of each rank: its relay to the network (Step::by); empty: none
  std::int64_t elements = 0;        ///< of the lane's share: of the vector (all-reduce), or of each rank's block
  std::int64_t chunk = 1;           ///< elements per chunk of all its channels together, >= 1
  std::int64_t offset = 0;          ///< where the share begins in the vector, or in each block
  int channels = 1;                 ///< number of channels side by side, >= 1
  std::vector<std::int16_t> nics{}; ///< of each rank: GroupSchedule::nic; empty: the platform chooses
};

class NcclRing final : public GroupSchedule {
public:
  /// `op`: all_reduce, all_gather or reduce_scatter. `slices` per chunk, >= 1. Shares must cover the vector.
  NcclRing(Operation op, int ranks, std::vector<RingLane> lanes, int slices);

  [[nodiscard]] int ranks() const override { return ranks_; }
  [[nodiscard]] int lanes() const override { return static_cast<int>(lanes_.size()); }
  [[nodiscard]] bool awaited(int) const override { return false; }
  [[nodiscard]] bool relayed() const override;
  [[nodiscard]] int together(int lane) const override { return lanes_[static_cast<std::size_t>(lane)].ring.channels; }
  [[nodiscard]] std::int16_t nic(int lane, int member) const override {
    const auto& nics = lanes_[static_cast<std::size_t>(lane)].ring.nics;
    return nics.empty() ? any_nic : nics[static_cast<std::size_t>(member)];
  }
  [[nodiscard]] std::int64_t steps(int lane, int member) const override;
  [[nodiscard]] std::int64_t periods() const override; ///< loops
  [[nodiscard]] std::int64_t period_steps(int lane, int member) const override;
  [[nodiscard]] std::unique_ptr<GroupSchedule> shortened(std::int64_t periods) const override;
  [[nodiscard]] std::unique_ptr<GroupSchedule> folded(int apart, int members) const override;
  [[nodiscard]] LaneStep step(int lane, int member, std::int64_t index) const override;
  void contents(int lane, int member, std::int64_t index, std::vector<Piece>& pieces) const override;

private:
  NcclRing(Operation op, int ranks, int blocks, std::vector<RingLane> lanes, int slices);
  struct Lane {
    RingLane ring;
    std::vector<int> position; ///< of each rank
    std::int64_t loops = 0;
  };
  /// Content of message k from a position: the block's owner, and its part.
  struct Part {
    int owner = 0;        ///< position in the ring
    Range range;          ///< of the share
    bool reduced = false; ///< the receiver adds it to its own
  };
  [[nodiscard]] std::int64_t loop_messages() const { return rounds_ * slices_; }
  [[nodiscard]] std::int64_t loop_steps() const { return loop_messages() + slices_ - 1; }
  [[nodiscard]] Primitive primitive(std::int64_t round) const; ///< that sends a round of a loop
  [[nodiscard]] Part part(const Lane& lane, int position, std::int64_t message) const;

  Operation op_;
  int ranks_, slices_;
  int blocks_;          ///< of a vector: one per rank, or per rank of the larger ring that this one replaces
  std::int64_t rounds_; ///< per loop
  std::vector<Lane> lanes_;
};

} // namespace gradflight
