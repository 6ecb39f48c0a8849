#include "models/schedules/nccl/nccl_ring.hpp"

#include <algorithm>
#include <limits>

namespace gradflight {

namespace {

/// Returns the elements per loop: an all-reduce takes a chunk of each rank, other operations a chunk of each block.
std::int64_t of_a_loop(Operation op, const RingLane& ring, int blocks) {
  return op == Operation::all_reduce ? ring.chunk * blocks : ring.chunk;
}

} // namespace

NcclRing::NcclRing(Operation op, int ranks, std::vector<RingLane> lanes, int slices)
    : NcclRing(op, ranks, ranks, std::move(lanes), slices) {}

NcclRing::NcclRing(Operation op, int ranks, int blocks, std::vector<RingLane> lanes, int slices)
    : op_(op), ranks_(ranks), slices_(slices), blocks_(blocks),
      rounds_(std::int64_t{op == Operation::all_reduce ? 2 : 1} * (blocks - 1)) {
  for (RingLane& ring : lanes) {
    Lane& lane = lanes_.emplace_back();
    lane.loops = ring.elements > 0 ? (ring.elements - 1) / of_a_loop(op, ring, blocks) + 1 : 0;
    lane.position.resize(static_cast<std::size_t>(ranks));
    for (int i = 0; i < ranks; ++i)
      lane.position[static_cast<std::size_t>(ring.order[static_cast<std::size_t>(i)])] = i;
    lane.ring = std::move(ring);
  }
}

bool NcclRing::relayed() const {
  const auto forwards = [](int by) { return by != no_rank; };
  return std::ranges::any_of(lanes_, [&](const Lane& lane) { return std::ranges::any_of(lane.ring.by, forwards); });
}

std::int64_t NcclRing::steps(int lane, int /*member*/) const {
  return lanes_[static_cast<std::size_t>(lane)].loops * loop_steps();
}

std::int64_t NcclRing::periods() const {
  auto fewest = std::numeric_limits<std::int64_t>::max();
  for (const Lane& lane : lanes_) fewest = std::min(fewest, lane.ring.elements / of_a_loop(op_, lane.ring, blocks_));
  return fewest;
}

std::int64_t NcclRing::period_steps(int /*lane*/, int /*member*/) const { return loop_steps(); }

std::unique_ptr<GroupSchedule> NcclRing::shortened(std::int64_t periods) const {
  std::vector<RingLane> rings;
  for (const Lane& lane : lanes_) {
    rings.push_back(lane.ring);
    rings.back().elements -= periods * of_a_loop(op_, lane.ring, blocks_);
  }
  return std::unique_ptr<GroupSchedule>(new NcclRing(op_, ranks_, blocks_, std::move(rings), slices_));
}

/// Requires blocks of one size, and rings that repeat after `apart` positions.
std::unique_ptr<GroupSchedule> NcclRing::folded(int apart, int members) const {
  const auto same_later = [&](int number, int other) {
    return number == no_rank || (number + apart) % ranks_ == other;
  };
  const auto near = [&](int from, int to) { // the member that replaces `to`, seen from one that replaces `from`
    const int way = (to - from + ranks_ + ranks_ / 2) % ranks_ - ranks_ / 2;
    return [=](int stand_in) { return ((stand_in + way) % members + members) % members; };
  };
  std::vector<RingLane> rings;
  for (const Lane& lane : lanes_) {
    const RingLane& ring = lane.ring;
    if (op_ == Operation::all_reduce && ring.elements % blocks_ != 0) return nullptr;
    for (std::size_t i = 0; i < ring.order.size(); ++i) {
      const std::size_t later = (i + static_cast<std::size_t>(apart)) % ring.order.size();
      if (!same_later(ring.order[i], ring.order[later])) return nullptr;
      if (!ring.by.empty() && (ring.by[i] == no_rank) != (ring.by[later] == no_rank)) return nullptr;
      if (!ring.by.empty() && !same_later(ring.by[i], ring.by[later])) return nullptr;
      if (!ring.nics.empty() && ring.nics[i] != ring.nics[later]) return nullptr;
    }
    RingLane& fewer = rings.emplace_back(ring);
    fewer.order.assign(static_cast<std::size_t>(members), ring.order.front() % apart);
    for (std::size_t i = 1; i < fewer.order.size(); ++i)
      fewer.order[i] = near(ring.order[i - 1], ring.order[i])(fewer.order[i - 1]);
    if (!ring.by.empty()) fewer.by.resize(fewer.order.size());
    for (std::size_t m = 0; m < fewer.by.size(); ++m)
      if (const auto own = static_cast<int>(m); ring.by[m] != no_rank) fewer.by[m] = near(own, ring.by[m])(own);
    if (!ring.nics.empty()) fewer.nics.resize(fewer.order.size());
  }
  return std::unique_ptr<GroupSchedule>(new NcclRing(op_, members, blocks_, std::move(rings), slices_));
}

NcclRing::Part NcclRing::part(const Lane& lane, int position, std::int64_t message) const {
  const std::int64_t slice = message % slices_, turn = message / slices_;
  const auto round = static_cast<int>(turn % rounds_);
  const std::int64_t first = turn / rounds_ * of_a_loop(op_, lane.ring, blocks_);
  const std::int64_t taken = std::min(of_a_loop(op_, lane.ring, blocks_), lane.ring.elements - first);
  const bool reduces = op_ == Operation::reduce_scatter || (op_ == Operation::all_reduce && round < blocks_ - 1);
  // Reduce-scatter leaves block i at position i, so a block starts at the position after its owner's; the all-gather
  // part of an all-reduce starts at its owner.
  const int gone = op_ == Operation::all_reduce && !reduces ? round - (blocks_ - 1) : round;
  const int owner = ((position - gone - (reduces ? 1 : 0)) % blocks_ + blocks_) % blocks_;
  const Range chunk = op_ == Operation::all_reduce ? Blocks(taken, blocks_).range(owner) : Range{0, taken};
  const Range range = Blocks(chunk.count, slices_).range(slice);
  return {owner, {first + chunk.first + range.first, range.count}, reduces};
}

/// src/device/all_reduce.h, all_gather.h, reduce_scatter.h. An all-gather is out of place, as nccl-tests measures it:
/// each rank also copies its own block.
Primitive NcclRing::primitive(std::int64_t round) const {
  if (round == 0) return op_ == Operation::all_gather ? Primitive::copy_send : Primitive::send;
  if (op_ == Operation::all_gather || round >= blocks_) return Primitive::copy_send;
  return round + 1 < blocks_ ? Primitive::reduce_send : Primitive::reduce_copy_send;
}

LaneStep NcclRing::step(int lane, int member, std::int64_t index) const {
  const Lane& l = lanes_[static_cast<std::size_t>(lane)];
  const int position = l.position[static_cast<std::size_t>(member)];
  const std::int64_t in_loop = index % loop_steps(), first = index / loop_steps() * loop_messages();
  const std::int64_t received = in_loop - (slices_ - 1); // of this loop
  LaneStep next;
  Step& step = next.step;
  step.buffered = step.streamed = true;
  if (in_loop < loop_messages()) {
    step.to = l.ring.order[static_cast<std::size_t>((position + 1) % ranks_)];
    if (!l.ring.by.empty()) step.by = l.ring.by[static_cast<std::size_t>(member)];
    step.out = part(l, position, first + in_loop).range;
    next.primitive = primitive(in_loop / slices_);
  }
  if (received >= 0) {
    const int before = (position + ranks_ - 1) % ranks_;
    step.from = l.ring.order[static_cast<std::size_t>(before)];
    const Part part = this->part(l, before, first + received);
    step.in = part.range;
    step.combine = part.reduced ? Combine::reduce : Combine::take;
    next.is_destination = received / slices_ == rounds_ - 1;
  }
  return next;
}

void NcclRing::contents(int lane, int member, std::int64_t index, std::vector<Piece>& pieces) const {
  const Lane& l = lanes_[static_cast<std::size_t>(lane)];
  const std::int64_t in_loop = index % loop_steps();
  if (in_loop >= loop_messages()) return;
  const std::int64_t message = index / loop_steps() * loop_messages() + in_loop;
  const Part sent = part(l, l.position[static_cast<std::size_t>(member)], message);
  if (sent.range.count == 0) return;
  const int owner = l.ring.order[static_cast<std::size_t>(sent.owner)];
  Piece piece{no_rank, no_rank, {l.ring.offset + sent.range.first, sent.range.count}};
  if (op_ == Operation::all_gather) piece.source = owner;
  if (op_ == Operation::reduce_scatter) piece.target = owner;
  pieces.push_back(piece);
}

} // namespace gradflight
