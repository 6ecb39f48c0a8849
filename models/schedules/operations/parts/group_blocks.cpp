#include "models/schedules/operations/parts/group_blocks.hpp"

#include <algorithm>

namespace gradflight {

GroupBlocks::GroupBlocks(const GroupSpec& spec) : op_(spec.op), ranks_(spec.ranks), even_(spec.elements, spec.ranks) {}

std::int64_t GroupBlocks::count(BlockRun run) const {
  const int end = run.first + run.count;
  if (end <= ranks_) return begin(end) - begin(run.first);
  return elements() - begin(run.first) + begin(end - ranks_);
}

std::int64_t GroupBlocks::in_window(Range window) const {
  const auto of = [&](std::int64_t size) { return std::clamp<std::int64_t>(size - window.first, 0, window.count); };
  return even_.extra * of(even_.base + 1) + (ranks_ - even_.extra) * of(even_.base);
}

Piece GroupBlocks::piece(int b, Range range) const {
  switch (op_) {
  case Operation::all_gather:
  case Operation::gather:
  case Operation::sendrecv: return {b, no_rank, range};
  case Operation::reduce_scatter:
  case Operation::scatter: return {no_rank, b, range};
  default: return {no_rank, no_rank, {begin(b) + range.first, range.count}};
  }
}

void GroupBlocks::pieces(BlockRun run, std::vector<Piece>& out) const {
  const std::size_t before = out.size();
  for (int i = 0; i < run.count; ++i) {
    const int b = run.first + i < ranks_ ? run.first + i : run.first + i - ranks_;
    const Piece next = piece(b);
    if (out.size() > before && next.source == no_rank && next.target == no_rank &&
        out.back().range.first + out.back().range.count == next.range.first)
      out.back().range.count += next.range.count;
    else
      out.push_back(next);
  }
}

} // namespace gradflight
