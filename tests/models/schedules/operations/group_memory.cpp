#include "tests/models/schedules/operations/group_memory.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace gradflight::test {

namespace {

/// Independent of the product's own arithmetic: element i of n goes to the blocks in turn, so the first blocks get one
/// more.
std::int64_t even_count(std::int64_t n, int p, int b) {
  std::int64_t count = 0;
  for (std::int64_t i = b; i < n; i += p) ++count;
  return count;
}

} // namespace

GroupMemory::GroupMemory(const GroupSpec& spec, int members) : spec_(spec) {
  const int p = spec.ranks;
  const auto count = [&](int block) { return even_count(spec.elements, p, block); };
  std::int64_t cells = 0;
  const auto add = [&](int source, int target, std::int64_t size) {
    blocks_.push_back({source, target, cells, size});
    cells += size;
  };
  for (int b = 0; b < p; ++b) {
    switch (spec.op) {
    case Operation::all_gather:
    case Operation::gather: add(b, no_rank, count(b)); break;
    case Operation::reduce_scatter:
    case Operation::scatter: add(no_rank, b, count(b)); break;
    case Operation::sendrecv: add(b, (b + 1) % p, spec.elements); break;
    case Operation::alltoall:
      for (int t = 0; t < p; ++t) add(b, t, count(t));
      break;
    default:
      if (b == 0) add(no_rank, no_rank, spec.elements);
    }
  }
  for (int member = 0; member < members; ++member) {
    auto& mine = cells_.emplace_back(static_cast<std::size_t>(cells), 0);
    if (member >= p) continue;
    for (const MemoryBlock& block : blocks_)
      for (std::int64_t i = 0; i < block.count && starts_with(member, block); ++i)
        mine[static_cast<std::size_t>(block.first + i)] = reduces() ? Bits{1} << member : 1;
  }
}

bool GroupMemory::reduces() const {
  return spec_.op == Operation::all_reduce || spec_.op == Operation::reduce || spec_.op == Operation::reduce_scatter;
}

bool GroupMemory::starts_with(int rank, const MemoryBlock& block) const {
  if (reduces()) return true;
  if (spec_.op == Operation::broadcast || spec_.op == Operation::scatter) return rank == spec_.root;
  return block.source == rank;
}

bool GroupMemory::ends_with(int rank, const MemoryBlock& block) const {
  switch (spec_.op) {
  case Operation::reduce:
  case Operation::gather: return rank == spec_.root;
  case Operation::reduce_scatter:
  case Operation::scatter:
  case Operation::alltoall:
  case Operation::sendrecv: return rank == block.target;
  default: return true;
  }
}

const GroupMemory::MemoryBlock* GroupMemory::find(const Piece& piece) const {
  std::size_t number = 0;
  const auto p = static_cast<std::size_t>(spec_.ranks);
  const auto source = static_cast<std::size_t>(piece.source), target = static_cast<std::size_t>(piece.target);
  if (spec_.op == Operation::alltoall)
    number = piece.source < 0 || piece.target < 0 ? p * p : source * p + target;
  else if (piece.source >= 0)
    number = source;
  else if (piece.target >= 0)
    number = target;
  if (number >= blocks_.size()) return nullptr;
  const MemoryBlock& block = blocks_[number];
  if (block.source != piece.source || block.target != piece.target) return nullptr;
  const bool inside =
      piece.range.first >= 0 && piece.range.count >= 0 && piece.range.first + piece.range.count <= block.count;
  return inside ? &block : nullptr;
}

const char* GroupMemory::read(int member, const Piece& piece, std::vector<Bits>& cells) const {
  const MemoryBlock* block = find(piece);
  if (block == nullptr) return "sends a piece that the operation does not have";
  for (std::int64_t i = 0; i < piece.range.count; ++i) {
    cells.push_back(
        cells_[static_cast<std::size_t>(member)][static_cast<std::size_t>(block->first + piece.range.first + i)]);
    if (cells.back() == 0) return "sends what it does not have";
  }
  return nullptr;
}

const char* GroupMemory::write(int member, const Piece& piece, const std::vector<Bits>& cells, std::size_t& at,
                               Combine combine) {
  const MemoryBlock* block = find(piece);
  if (block == nullptr) return "gets a piece that the operation does not have";
  for (std::int64_t i = 0; i < piece.range.count; ++i) {
    Bits& mine =
        cells_[static_cast<std::size_t>(member)][static_cast<std::size_t>(block->first + piece.range.first + i)];
    const Bits theirs = cells[at++];
    if (combine == Combine::reduce) {
      if (!reduces()) return "adds up what is only moved";
      if ((mine & theirs) != 0) return "adds a contribution twice";
      if (mine == 0) return "adds to nothing";
      mine |= theirs;
    } else {
      if (mine == theirs && member < spec_.ranks) return "gets what it has"; // a switch stores nothing
      if ((mine & ~theirs) != 0) return "loses a contribution";
      mine = theirs;
    }
  }
  return nullptr;
}

void GroupMemory::check_end() const {
  const Bits wanted = reduces() ? all_ranks(spec_.ranks) : 1;
  for (int rank = 0; rank < spec_.ranks; ++rank)
    for (const MemoryBlock& block : blocks_)
      for (std::int64_t i = 0; i < block.count && ends_with(rank, block); ++i)
        if (cells_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(block.first + i)] != wanted)
          throw std::runtime_error(fmt::format("rank {} lacks element {} of block {} -> {} at the end", rank, i,
                                               block.source, block.target));
}

} // namespace gradflight::test
