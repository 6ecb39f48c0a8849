#include "models/schedules/operations/pipelined_trees.hpp"

#include "models/schedules/operations/parts/form_parts.hpp"

#include <algorithm>
#include <utility>

namespace gradflight {

PipelinedTrees::PipelinedTrees(int ranks, int members, std::int64_t chunk, std::vector<TreeFlow> flows)
    : ranks_(ranks), members_(members), chunk_(chunk), flows_(std::move(flows)) {
  for (std::size_t f = 0; f < flows_.size(); ++f) {
    const std::int64_t chunks = chunk_count(flows_[f].part.count, chunk);
    if (flows_[f].up) lanes_.push_back({f, true, -1, chunks});
    if (flows_[f].down) lanes_.push_back({f, false, flows_[f].up ? static_cast<int>(lanes_.size()) - 1 : -1, chunks});
  }
}

std::int64_t PipelinedTrees::steps(int lane, int member) const {
  const Lane& of = lanes_[static_cast<std::size_t>(lane)];
  const GroupTree& tree = *flows_[of.flow].tree;
  const std::int64_t children = tree.children(member);
  if (children == 0) return tree.parent(member) == no_rank ? 0 : of.chunks;
  return of.chunks * children + (tree.parent(member) == no_rank ? 0 : 1);
}

Range PipelinedTrees::chunk(const Lane& lane, std::int64_t c) const {
  const Range part = flows_[lane.flow].part;
  if (lane.chunks == 1) return part;
  return {part.first + c * chunk_, std::min(chunk_, part.count - c * chunk_)};
}

LaneStep PipelinedTrees::step(int lane, int member, std::int64_t index) const {
  const Lane& of = lanes_[static_cast<std::size_t>(lane)];
  return of.up ? up_step(of, member, index) : down_step(of, member, index);
}

LaneStep PipelinedTrees::up_step(const Lane& lane, int member, std::int64_t index) const {
  const GroupTree& tree = *flows_[lane.flow].tree;
  const int parent = tree.parent(member), children = tree.children(member);
  Step step;
  step.buffered = true;
  if (children == 0) {
    step.to = parent;
    step.out = chunk(lane, index);
    return {step};
  }
  const std::int64_t c = index / children;
  const int i = static_cast<int>(index % children);
  if (c < lane.chunks) {
    step.from = tree.child(member, i);
    step.in = chunk(lane, c);
    step.combine = member >= ranks_ && i == 0 ? Combine::take : Combine::reduce;
  }
  if (i == 0 && c > 0 && parent != no_rank) {
    step.to = parent;
    step.out = chunk(lane, c - 1);
  }
  step.wait_sent = i == children - 1 || c == lane.chunks;
  return {step};
}

LaneStep PipelinedTrees::down_step(const Lane& lane, int member, std::int64_t index) const {
  const GroupTree& tree = *flows_[lane.flow].tree;
  const int parent = tree.parent(member), children = tree.children(member);
  LaneStep next;
  Step& step = next.step;
  step.buffered = true;
  if (children == 0 || (parent != no_rank && index == 0)) {
    step.from = parent;
    step.in = chunk(lane, index);
    return next;
  }
  if (parent != no_rank) --index;
  const std::int64_t c = index / children;
  const int i = static_cast<int>(index % children);
  step.to = tree.child(member, i);
  step.out = chunk(lane, c);
  step.wait_sent = i == children - 1;
  if (step.wait_sent && parent != no_rank && c + 1 < lane.chunks) {
    step.from = parent;
    step.in = chunk(lane, c + 1);
  }
  if (parent == no_rank && lane.after >= 0) {
    next.after_lane = lane.after;
    next.after_steps = (c + 1) * children;
  }
  return next;
}

void PipelinedTrees::contents(int lane, int member, std::int64_t index, std::vector<Piece>& pieces) const {
  const Step sent = step(lane, member, index).step;
  if (sent.to != no_rank) pieces.push_back({no_rank, no_rank, sent.out});
}

TreeFlow tree_flow(Operation op, std::unique_ptr<GroupTree> tree, Range part) {
  return {std::move(tree), op != Operation::broadcast, op != Operation::reduce, part};
}

} // namespace gradflight
