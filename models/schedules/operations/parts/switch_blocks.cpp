#include "models/schedules/operations/parts/switch_blocks.hpp"

#include "models/schedules/operations/parts/form_parts.hpp"

#include <algorithm>
#include <utility>

namespace gradflight {

SwitchBlocks::SwitchBlocks(const GroupSpec& spec, std::vector<SwitchTurn> turns)
    : p_(spec.ranks), blocks_(spec), turns_(std::move(turns)) {
  const std::int64_t longest = blocks_.largest();
  chunks_ = chunk_count(longest, spec.chunk);
  chunk_ = chunks_ == 1 ? longest : spec.chunk;
}

Range SwitchBlocks::part(int block, std::int64_t c) const {
  const std::int64_t first = std::min(c * chunk_, blocks_.count(block));
  return {first, std::min(chunk_, blocks_.count(block) - first)};
}

std::int64_t SwitchBlocks::count(SwitchLoad load, int rank, std::int64_t c) const {
  const std::int64_t own = part(rank, c).count;
  if (load == SwitchLoad::own) return own;
  return blocks_.in_window({c * chunk_, chunk_}) - (load == SwitchLoad::others ? own : 0);
}

LaneStep SwitchBlocks::step(int lane, int member, std::int64_t index) const {
  const SwitchTurn& turn = turns_[static_cast<std::size_t>(lane)];
  const bool is_switch = member == p_, sends = turn.up != is_switch;
  const std::int64_t c = is_switch ? index / p_ : index;
  const int rank = is_switch ? static_cast<int>(index % p_) : member;
  const int other = is_switch ? rank : p_;
  LaneStep next;
  Step& step = next.step;
  step.buffered = true;
  (sends ? step.to : step.from) = other;
  (sends ? step.out : step.in) = {0, count(turn.load, rank, c)};
  if (!sends) {
    step.combine = turn.sums && rank > 0 ? Combine::reduce : Combine::take;
    return next;
  }
  step.wait_sent = !is_switch || rank == p_ - 1;
  if (lane > 0) {
    next.after_lane = lane - 1;
    next.after_steps = is_switch ? (c + 1) * p_ : c + 1;
  }
  return next;
}

void SwitchBlocks::contents(int lane, int member, std::int64_t index, std::vector<Piece>& pieces) const {
  const SwitchTurn& turn = turns_[static_cast<std::size_t>(lane)];
  const bool is_switch = member == p_;
  if (turn.up == is_switch) return;
  const std::int64_t c = is_switch ? index / p_ : index;
  const int rank = is_switch ? static_cast<int>(index % p_) : member;
  for (int b = 0; b < p_; ++b) {
    if (turn.load == SwitchLoad::own ? b != rank : turn.load == SwitchLoad::others && b == rank) continue;
    pieces.push_back(blocks_.piece(b, part(b, c)));
  }
}

} // namespace gradflight
