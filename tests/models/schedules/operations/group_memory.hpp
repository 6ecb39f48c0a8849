// The memory of a group's members during an operation: for every element, the set of contributing ranks.
#pragma once

#include "models/schedules/operations/parts/group_schedule.hpp"
#include "models/schedules/operations/parts/group_spec.hpp"

#include <cstdint>
#include <vector>

namespace gradflight::test {

using Bits = std::uint64_t;
constexpr Bits all_ranks(int ranks) { return ranks == 64 ? ~Bits{0} : (Bits{1} << ranks) - 1; }

class GroupMemory {
public:
  GroupMemory(const GroupSpec& spec, int members);
  /// Appends the piece's cells; returns a description of a violation, or null.
  const char* read(int member, const Piece& piece, std::vector<Bits>& cells) const;
  /// Writes from cells[at] on, and advances `at`; returns a description of a violation, or null.
  const char* write(int member, const Piece& piece, const std::vector<Bits>& cells, std::size_t& at, Combine combine);
  /// Throws std::runtime_error unless all data is where the operation puts it.
  void check_end() const;

private:
  /// The operation's blocks; a vector without blocks is one block.
  struct MemoryBlock {
    int source, target;
    std::int64_t first, count;
  };
  [[nodiscard]] const MemoryBlock* find(const Piece& piece) const;
  [[nodiscard]] bool reduces() const;
  [[nodiscard]] bool starts_with(int rank, const MemoryBlock& block) const;
  [[nodiscard]] bool ends_with(int rank, const MemoryBlock& block) const;

  GroupSpec spec_;
  std::vector<MemoryBlock> blocks_;
  std::vector<std::vector<Bits>> cells_; // by member
};

} // namespace gradflight::test
