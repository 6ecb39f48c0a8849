#include "models/schedules/nccl/nvls_tree.hpp"

#include "models/schedules/operations/parts/group_trees.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace gradflight {

NvlsTree::NvlsTree(NvlsTreeSpec spec)
    : spec_(std::move(spec)), head_of_(static_cast<std::size_t>(spec_.gpus), no_rank) {
  const auto heads = static_cast<int>(spec_.heads.size());
  for (int head = 0; head < heads; ++head)
    head_of_[static_cast<std::size_t>(spec_.heads[static_cast<std::size_t>(head)])] = head;
  for (int which = 0; which < 2; ++which) {
    Half half;
    const Range range = Blocks(spec_.elements, 2).range(which);
    if (range.count == 0) continue;
    half.first = range.first;
    half.elements = range.count;
    half.chunks = (Blocks(range.count, heads).range(0).count - 1) / spec_.chunk + 1;
    const auto tree = double_tree(spec_.nodes, which);
    for (int node = 0; node < spec_.nodes; ++node) {
      half.parent.push_back(tree->parent(node));
      std::array<int, 2> child{no_rank, no_rank};
      for (int i = 0; i < tree->children(node); ++i) child[static_cast<std::size_t>(i)] = tree->child(node, i);
      half.child.push_back(child);
      half.children.push_back(static_cast<std::uint8_t>(tree->children(node)));
    }
    halves_.push_back(std::move(half));
  }
}

NvlsTree::Seat NvlsTree::seat(int member) const {
  if (member >= ranks()) return {member - ranks(), spec_.gpus, no_rank};
  const int gpu = member % spec_.gpus;
  return {member / spec_.gpus, gpu, head_of_[static_cast<std::size_t>(gpu)]};
}

Range NvlsTree::part(const Half& half, int head, std::int64_t chunk) const {
  const Range block = Blocks(half.elements, static_cast<int>(spec_.heads.size())).range(head);
  const std::int64_t first = std::min(chunk * spec_.chunk, block.count);
  return {half.first + block.first + first, std::min(spec_.chunk, block.count - first)};
}

std::int64_t NvlsTree::all_parts(const Half& half, std::int64_t chunk) const {
  const auto heads = static_cast<std::int64_t>(spec_.heads.size());
  const Blocks blocks(half.elements, static_cast<int>(heads));
  const auto cut = [&](std::int64_t count) {
    return std::clamp<std::int64_t>(count - chunk * spec_.chunk, 0, spec_.chunk);
  };
  return blocks.extra * cut(blocks.base + 1) + (heads - blocks.extra) * cut(blocks.base);
}

int NvlsTree::messages(const Half& half, Turn turn, const Seat& seat) const {
  const bool is_switch = seat.gpu == spec_.gpus;
  const auto node = static_cast<std::size_t>(seat.node);
  switch (turn) {
  case gather:
  case multicast: return is_switch ? spec_.gpus : 1;
  case to_head:
  case from_head: return is_switch ? static_cast<int>(spec_.heads.size()) : seat.head == no_rank ? 0 : 1;
  case up:
  case down: return seat.head == no_rank ? 0 : half.children[node] + (half.parent[node] == no_rank ? 0 : 1);
  }
  return 0;
}

std::int16_t NvlsTree::nic(int /*lane*/, int member) const {
  return spec_.nics.empty() || member >= ranks() ? any_nic : spec_.nics[static_cast<std::size_t>(member % spec_.gpus)];
}

std::int64_t NvlsTree::steps(int lane, int member) const {
  return half(lane).chunks * messages(half(lane), static_cast<Turn>(lane % turns), seat(member));
}

std::int64_t NvlsTree::periods() const {
  auto fewest = std::numeric_limits<std::int64_t>::max();
  for (const Half& half : halves_)
    fewest = std::min(fewest, Blocks(half.elements, static_cast<int>(spec_.heads.size())).base / spec_.chunk);
  return fewest;
}

std::int64_t NvlsTree::period_steps(int lane, int member) const {
  return messages(half(lane), static_cast<Turn>(lane % turns), seat(member));
}

std::unique_ptr<GroupSchedule> NvlsTree::shortened(std::int64_t periods) const {
  NvlsTreeSpec less = spec_;
  less.elements -= 2 * periods * spec_.chunk * std::ssize(spec_.heads);
  return std::make_unique<NvlsTree>(std::move(less));
}

bool NvlsTree::same_messages(const GroupSchedule& other) const {
  const auto* tree = dynamic_cast<const NvlsTree*>(&other);
  return tree != nullptr && tree->spec_ == spec_;
}

/// The switch receives all messages of a chunk, then sends those of the next turn.
void NvlsTree::step_of_switch(const Half& half, int lane, const Seat& seat, std::int64_t index, LaneStep& next) const {
  const auto turn = static_cast<Turn>(lane % turns);
  const int each = std::max(1, messages(half, turn, seat)); // a member without messages has no steps
  const std::int64_t chunk = index / each;
  const auto number = static_cast<int>(index % each);
  const bool heads = turn == to_head || turn == from_head;
  const int gpu = heads ? spec_.heads[static_cast<std::size_t>(number)] : number;
  const int head = head_of_[static_cast<std::size_t>(gpu)], other = seat.node * spec_.gpus + gpu;
  const std::int64_t own = head == no_rank ? 0 : part(half, head, chunk).count;
  Step& step = next.step;
  if (turn == gather || turn == from_head) {
    step.from = other;
    step.in.count = turn == gather ? all_parts(half, chunk) : own;
    step.combine = turn == gather && number > 0 ? Combine::reduce : Combine::take;
    if (turn == gather && number == 0) { // the head reads the sum of a chunk from the GPUs' buffers
      next.after_lane = lane + 1;
      next.after_steps = chunk * messages(half, to_head, seat);
    }
    return;
  }
  step.to = other;
  step.out.count = turn == to_head ? own : all_parts(half, chunk) - own;
  step.wait_sent = number + 1 == each;
  next.after_lane = lane - 1;
  next.after_steps = (chunk + 1) * messages(half, static_cast<Turn>(turn - 1), seat);
}

/// Up: messages from every child, then one to the parent. Down: one from the parent, then one to every child.
void NvlsTree::step_in_tree(const Half& half, int lane, const Seat& seat, std::int64_t index, LaneStep& next) const {
  const auto turn = static_cast<Turn>(lane % turns);
  const auto node = static_cast<std::size_t>(seat.node);
  const int parent = half.parent[node], children = half.children[node];
  const int each = std::max(1, messages(half, turn, seat)); // a member without messages has no steps
  const std::int64_t chunk = index / each;
  const auto number = static_cast<int>(index % each);
  const Range range{0, part(half, seat.head, chunk).count};
  const int child = turn == up ? number : number - (parent == no_rank ? 0 : 1);
  const bool with_parent = turn == up ? number == children : child < 0;
  const int other = rank(with_parent ? parent : half.child[node][static_cast<std::size_t>(child)], seat.head);
  Step& step = next.step;
  if ((turn == up) == with_parent) {
    step.to = other;
    step.out = range;
    step.wait_sent = number + 1 == each;
  } else {
    step.from = other;
    step.in = range;
    step.combine = turn == up ? Combine::reduce : Combine::take;
  }
  if (number > 0 || (turn == down && parent != no_rank)) return;
  next.after_lane = lane - 1; // its node's sum is complete; at the root, the sum of all
  next.after_steps = turn == up ? chunk + 1 : (chunk + 1) * children;
}

LaneStep NvlsTree::step(int lane, int member, std::int64_t index) const {
  const Half& half = this->half(lane);
  const Seat seat = this->seat(member);
  const auto turn = static_cast<Turn>(lane % turns);
  LaneStep next;
  Step& step = next.step;
  if (seat.gpu == spec_.gpus) {
    step_of_switch(half, lane, seat, index, next);
  } else if (turn == up || turn == down) {
    step_in_tree(half, lane, seat, index, next);
  } else {
    const int nvswitch = ranks() + seat.node;
    const std::int64_t own = seat.head == no_rank ? 0 : part(half, seat.head, index).count;
    const std::int64_t count = turn == gather      ? all_parts(half, index)
                               : turn == multicast ? all_parts(half, index) - own
                                                   : own;
    if (turn == gather || turn == from_head) {
      step.to = nvswitch;
      step.out.count = count;
    } else {
      step.from = nvswitch;
      step.in.count = count;
    }
    if (turn == to_head) { // what the head reads it sends up at once
      next.after_lane = lane + 1;
      next.after_steps = index * messages(half, up, seat);
    }
    if (turn == from_head) { // the root has the sum when all children have sent; other nodes when their parent has
      const auto node = static_cast<std::size_t>(seat.node);
      const bool root = half.parent[node] == no_rank;
      next.after_lane = root ? lane - 2 : lane - 1;
      next.after_steps = root ? (index + 1) * half.children[node] : index * messages(half, down, seat) + 1;
    }
  }
  step.buffered = step.streamed = step.to != no_rank;
  return next;
}

void NvlsTree::contents(int lane, int member, std::int64_t index, std::vector<Piece>& pieces) const {
  const Half& half = this->half(lane);
  const Seat seat = this->seat(member);
  const auto turn = static_cast<Turn>(lane % turns);
  const LaneStep sends = step(lane, member, index);
  if (sends.step.to == no_rank || sends.step.out.count == 0) return;
  const std::int64_t chunk = index / std::max(1, messages(half, turn, seat));
  const Seat other = this->seat(sends.step.to);
  const int own = turn == gather ? no_rank : seat.gpu == spec_.gpus ? other.head : seat.head;
  for (int head = 0; head < static_cast<int>(spec_.heads.size()); ++head) {
    const bool goes = turn == gather || (turn == multicast ? head != own : head == own);
    if (const Range range = part(half, head, chunk); goes && range.count > 0)
      pieces.push_back({no_rank, no_rank, range});
  }
}

} // namespace gradflight
