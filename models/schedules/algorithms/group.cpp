#include "models/schedules/algorithms/group.hpp"

#include "models/schedules/algorithms/binomial.hpp"
#include "models/schedules/algorithms/ring.hpp"
#include "models/schedules/parts/steps.hpp"

namespace gradflight {

namespace {

// A dedicated master is the tree's node 0, before the members.
BinomialNode tree_node(const GroupSeat& seat) {
  if (!seat.dedicated) return {seat.position, seat.members};
  return {seat.is_master() ? 0 : seat.position + 1, seat.members + 1};
}

Step seated(Step step, const GroupSeat& seat) {
  if (!seat.dedicated) return step;
  for (int* node : {&step.to, &step.from})
    if (*node >= 0) *node = *node == 0 ? seat.master() : *node - 1;
  return step;
}

int ring_rounds(const GroupSeat& seat, GroupReduce how) {
  if (!seat.is_member()) return 0;
  if (how == GroupReduce::ring) return seat.members - 1;
  return how == GroupReduce::allreduce ? 2 * (seat.members - 1) : 0;
}

} // namespace

int GroupSeat::reduce_steps(GroupReduce how) const {
  if (how == GroupReduce::binomial) return tree_node(*this).steps();
  if (how == GroupReduce::allreduce && !dedicated) return ring_rounds(*this, how);
  return ring_rounds(*this, how) + (is_master() ? partners() : 1);
}

Step GroupSeat::reduce_step(GroupReduce how, std::int64_t n, int index) const {
  const Range all{0, n};
  if (how == GroupReduce::binomial) {
    const BinomialNode tree = tree_node(*this);
    const bool first_operand = dedicated && is_master() && index == 0;
    return seated(tree.reduce(all, index, first_operand ? Combine::take : Combine::reduce), *this);
  }
  if (how == GroupReduce::flat) {
    if (!is_master()) return buffered_send_step(master(), all);
    const bool first_operand = dedicated && index == 0;
    return receive_step(partner(index), all, first_operand ? Combine::take : Combine::reduce);
  }
  const Blocks blocks(n, members);
  const int rounds = ring_rounds(*this, how);
  if (index < rounds) {
    const Combine combine = index < members - 1 ? Combine::reduce : Combine::take;
    return ring_round(blocks, members, position, index, combine);
  }
  if (!is_master()) return buffered_send_step(master(), blocks.range(ring_finished_block(members, position)));
  const int sender = partner(index - rounds);
  return receive_step(sender, blocks.range(ring_finished_block(members, sender)));
}

int GroupSeat::broadcast_steps(GroupBroadcast how) const {
  if (how == GroupBroadcast::binomial) return tree_node(*this).steps();
  const int handed = is_master() ? partners() : 1;
  return how == GroupBroadcast::flat ? handed : handed + (is_member() ? members - 1 : 0);
}

Step GroupSeat::broadcast_step(GroupBroadcast how, std::int64_t n, int index) const {
  const Range all{0, n};
  if (how == GroupBroadcast::binomial) return seated(tree_node(*this).broadcast(all, index), *this);
  const bool scatter = how == GroupBroadcast::ring;
  const Blocks blocks(n, members);
  const int handed = is_master() ? partners() : 1;
  if (index >= handed) {
    Step step = ring_round(blocks, members, position, index - handed, Combine::take);
    if (!dedicated && step.to == 0) step.to = no_rank; // a master among the members already has every block
    if (!dedicated && position == 0) step.from = no_rank;
    return step;
  }
  const int receiver = is_master() ? partner(index) : position;
  const Range part = scatter ? blocks.range(receiver) : all;
  return is_master() ? buffered_send_step(receiver, part, index == handed - 1) : receive_step(master(), part);
}

Span GroupSeat::span(GroupPart part, GroupReduce reduce, GroupBroadcast broadcast) const {
  const int rounds = ring_rounds(*this, reduce);
  const int ring_down = broadcast == GroupBroadcast::ring && is_member() ? members - 1 : 0;
  const int down = broadcast_steps(broadcast) - ring_down;
  switch (part) {
  case GroupPart::ring_up: return {0, rounds};
  case GroupPart::up: return {rounds, reduce_steps(reduce) - rounds};
  case GroupPart::down: return {0, down};
  case GroupPart::ring_down: return {down, ring_down};
  }
  return {};
}

} // namespace gradflight
