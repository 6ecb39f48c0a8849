#include "models/schedules/nccl/nccl_tree.hpp"

#include "models/schedules/parts/steps.hpp"

#include <algorithm>
#include <limits>

namespace gradflight {

NcclTree::NcclTree(Operation op, int ranks, std::vector<TreeLane> trees)
    : op_(op), ranks_(ranks), ways_(op == Operation::all_reduce ? 2 : 1) {
  for (TreeLane& lane : trees) {
    Tree& tree = trees_.emplace_back();
    tree.chunks = lane.elements > 0 ? (lane.elements - 1) / lane.chunk + 1 : 0;
    tree.first.assign(static_cast<std::size_t>(ranks) + 1, 0);
    for (const int parent : lane.parent)
      if (parent != no_rank) ++tree.first[static_cast<std::size_t>(parent) + 1];
    for (std::size_t r = 0; r < static_cast<std::size_t>(ranks); ++r) tree.first[r + 1] += tree.first[r];
    tree.child.resize(static_cast<std::size_t>(tree.first.back()));
    std::vector<int> next(tree.first.begin(), tree.first.end() - 1);
    for (int r = 0; r < ranks; ++r)
      if (const int parent = lane.parent[static_cast<std::size_t>(r)]; parent != no_rank)
        tree.child[static_cast<std::size_t>(next[static_cast<std::size_t>(parent)]++)] = r;
    tree.lane = std::move(lane);
  }
}

NcclTree::Seat NcclTree::seat(const Tree& tree, int member) {
  const auto m = static_cast<std::size_t>(member);
  return {tree.lane.parent[m], tree.first[m + 1] - tree.first[m], tree.child.data() + tree.first[m]};
}

Range NcclTree::chunk(const Tree& tree, std::int64_t number) {
  const std::int64_t first = number * tree.lane.chunk;
  return {first, std::min(tree.lane.chunk, tree.lane.elements - first)};
}

std::int64_t NcclTree::steps(int lane, int member) const {
  const Tree& tree = tree_of(lane);
  return tree.chunks * seat(tree, member).messages();
}

std::int64_t NcclTree::periods() const {
  auto fewest = std::numeric_limits<std::int64_t>::max();
  for (const Tree& tree : trees_) fewest = std::min(fewest, tree.lane.elements / tree.lane.chunk);
  return fewest;
}

std::int64_t NcclTree::period_steps(int lane, int member) const { return seat(tree_of(lane), member).messages(); }

std::unique_ptr<GroupSchedule> NcclTree::shortened(std::int64_t periods) const {
  std::vector<TreeLane> lanes;
  for (const Tree& tree : trees_) {
    lanes.push_back(tree.lane);
    lanes.back().elements -= periods * tree.lane.chunk;
  }
  return std::make_unique<NcclTree>(op_, ranks_, std::move(lanes));
}

bool NcclTree::same_messages(const GroupSchedule& other) const {
  const auto* tree = dynamic_cast<const NcclTree*>(&other);
  const auto same = [](const Tree& a, const Tree& b) {
    TreeLane there = b.lane;
    there.offset = a.lane.offset;
    return a.lane == there;
  };
  return tree != nullptr && op_ == tree->op_ && ranks_ == tree->ranks_ &&
         std::ranges::equal(trees_, tree->trees_, same);
}

/// Two trees match from the root down if each member has as many children as its counterpart, in their order.
std::vector<int> NcclTree::doing_alike(int lane, int model) const {
  const Tree &tree = tree_of(lane), &first = tree_of(model);
  if (goes_up(lane) != goes_up(model) || tree.lane.elements != first.lane.elements ||
      tree.lane.chunk != first.lane.chunk || tree.lane.channels != first.lane.channels || !tree.lane.by.empty() ||
      !first.lane.by.empty())
    return {};
  const auto root = [](const Tree& of) {
    return static_cast<int>(std::ranges::find(of.lane.parent, no_rank) - of.lane.parent.begin());
  };
  std::vector<int> alike(static_cast<std::size_t>(ranks_), no_rank), next{root(first)};
  alike[static_cast<std::size_t>(next.front())] = root(tree);
  while (!next.empty()) {
    const Seat here = seat(first, next.back()), there = seat(tree, alike[static_cast<std::size_t>(next.back())]);
    next.pop_back();
    if (here.children != there.children) return {};
    for (int c = 0; c < here.children; ++c) {
      alike[static_cast<std::size_t>(here.child[c])] = there.child[c];
      next.push_back(here.child[c]);
    }
  }
  return alike;
}

std::unique_ptr<GroupSchedule> NcclTree::with_lanes(const std::vector<int>& lanes) const {
  std::vector<TreeLane> kept;
  for (const int lane : lanes)
    if (lane % ways_ == 0) kept.push_back(tree_of(lane).lane);
  return std::make_unique<NcclTree>(op_, ranks_, std::move(kept));
}

/// src/device/all_reduce.h, reduce.h, broadcast.h: runTreeSplit, runRing.
Primitive NcclTree::primitive(const Seat& seat, bool up) const {
  if (up) return seat.children > 0 ? Primitive::reduce_send : Primitive::send;
  if (seat.parent != no_rank) return Primitive::copy_send;
  return ways_ == 2 ? Primitive::reduce_copy_send : Primitive::send;
}

/// Up: messages from every child, then one to the parent. Down: one from the parent, then one to every child.
LaneStep NcclTree::step(int lane, int member, std::int64_t index) const {
  const Tree& tree = tree_of(lane);
  const Seat seat = NcclTree::seat(tree, member);
  const bool up = goes_up(lane);
  const std::int64_t number = index / seat.messages();
  const auto turn = static_cast<int>(index % seat.messages());
  const Range range = chunk(tree, number);
  LaneStep next;
  next.primitive = primitive(seat, up);
  if (up) {
    next.step =
        turn < seat.children ? receive_step(seat.child[turn], range, Combine::reduce) : send_step(seat.parent, range);
  } else {
    const int child = turn - (seat.parent == no_rank ? 0 : 1);
    next.step =
        child < 0 ? receive_step(seat.parent, range) : send_step(seat.child[child], range, child + 1 == seat.children);
    if (ways_ == 2 && seat.parent == no_rank && child == 0) {
      next.after_lane = lane - 1;
      next.after_steps = (number + 1) * seat.children;
    }
  }
  next.step.buffered = next.step.streamed = next.step.to != no_rank;
  if (next.step.to != no_rank && !tree.lane.by.empty()) next.step.by = tree.lane.by[static_cast<std::size_t>(member)];
  return next;
}

void NcclTree::contents(int lane, int member, std::int64_t index, std::vector<Piece>& pieces) const {
  const Tree& tree = tree_of(lane);
  const LaneStep sends = step(lane, member, index);
  if (sends.step.out.count > 0)
    pieces.push_back({no_rank, no_rank, {tree.lane.offset + sends.step.out.first, sends.step.out.count}});
}

} // namespace gradflight
