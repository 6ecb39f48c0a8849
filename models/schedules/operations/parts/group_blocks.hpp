// The blocks of an operation: their numbers of elements, and how a message refers to them.
#pragma once

#include "models/schedules/operations/parts/group_schedule.hpp"
#include "models/schedules/operations/parts/group_spec.hpp"

#include <vector>

namespace gradflight {

/// Blocks first .. first + count - 1, modulo their number.
struct BlockRun {
  int first = 0, count = 0;
};

/// The p blocks of one vector (all operations but alltoall); block b belongs to rank b.
class GroupBlocks {
public:
  explicit GroupBlocks(const GroupSpec& spec);
  [[nodiscard]] std::int64_t elements() const { return begin(ranks_); }
  [[nodiscard]] std::int64_t begin(int b) const { return even_.begin(b); }
  [[nodiscard]] std::int64_t count(int b) const { return begin(b + 1) - begin(b); }
  [[nodiscard]] std::int64_t count(BlockRun run) const;
  [[nodiscard]] std::int64_t largest() const { return count(0); }
  /// Returns the number of elements of all blocks together, counting only those in `window` of each.
  [[nodiscard]] std::int64_t in_window(Range window) const;
  /// `range` counts from the beginning of block b.
  [[nodiscard]] Piece piece(int b, Range range) const;
  [[nodiscard]] Piece piece(int b) const { return piece(b, {0, count(b)}); }
  /// Appends the pieces of a run of blocks: one per block, but adjacent blocks of one vector as one piece.
  void pieces(BlockRun run, std::vector<Piece>& out) const;

private:
  Operation op_;
  int ranks_;
  Blocks even_;
};

/// The blocks of alltoall: one for each pair.
class PairBlocks {
public:
  explicit PairBlocks(const GroupSpec& spec) : even_(spec.elements, spec.ranks) {}
  [[nodiscard]] std::int64_t count(int target) const { return even_.range(target).count; }
  [[nodiscard]] bool equal() const { return even_.extra == 0; }
  [[nodiscard]] Piece piece(int source, int target) const { return {source, target, {0, count(target)}}; }

private:
  Blocks even_;
};

} // namespace gradflight
