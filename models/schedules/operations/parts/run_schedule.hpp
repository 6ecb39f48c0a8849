// Schedules with one lane, in which each message carries a run of blocks.
#pragma once

#include "models/schedules/operations/parts/group_blocks.hpp"

#include <memory>

namespace gradflight {

/// A step in terms of nodes and of runs of blocks, both counted from the root (node 0).
struct RunStep {
  int to = no_rank, from = no_rank;
  BlockRun out, in;
  Combine combine = Combine::take;
  bool buffered = false, wait_sent = true;
};

class RunSchedule : public GroupSchedule {
public:
  explicit RunSchedule(const GroupSpec& spec)
      : p_(spec.ranks), root_(has_root(spec.op) ? spec.root : 0), blocks_(spec) {}
  [[nodiscard]] int ranks() const final { return p_; }
  [[nodiscard]] std::int64_t steps(int, int member) const final { return node_steps(wrap(member - root_)); }
  [[nodiscard]] LaneStep step(int lane, int member, std::int64_t index) const final;
  void contents(int lane, int member, std::int64_t index, std::vector<Piece>& pieces) const final;

protected:
  [[nodiscard]] virtual std::int64_t node_steps(int node) const = 0;
  [[nodiscard]] virtual RunStep node_step(int node, std::int64_t index) const = 0;
  /// Returns i mod p for -p < i < 2p.
  [[nodiscard]] int wrap(int i) const { return i < 0 ? i + p_ : i >= p_ ? i - p_ : i; }
  [[nodiscard]] int p() const { return p_; }

private:
  [[nodiscard]] BlockRun of_ranks(BlockRun run) const { return {wrap(run.first + root_), run.count}; }
  int p_, root_;
  GroupBlocks blocks_;
};

/// An all-reduce of training as an operation of a group: `schedule` has spec.ranks workers and no helpers.
std::unique_ptr<GroupSchedule> as_group(const GroupSpec& spec, std::unique_ptr<Schedule> schedule);

} // namespace gradflight
