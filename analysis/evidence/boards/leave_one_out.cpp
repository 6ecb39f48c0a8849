#include "analysis/evidence/boards/leave_one_out.hpp"

#include <algorithm>
#include <iterator>

namespace gradflight {

namespace {

BoardPack left_out_pack(const BoardPack& pack, const std::vector<NetworkNumbers>& all) {
  BoardPack left = pack;
  left.pack.fitted.reset();
  left.pack.training.clear();
  left.training_rows.clear();
  std::erase_if(left.tables, [](const BoardTable& table) { return !table.is_collective(); });
  for (BoardTable& table : left.tables) table.role = MeasuredRole::scored;
  for (MeasuredEntry& entry : left.pack.tables)
    if (entry.role == MeasuredRole::fitted) entry.role = MeasuredRole::scored;
  const auto own = std::ranges::find(all, pack.pack.name.text, &NetworkNumbers::pack);
  if (own == all.end()) return left;
  left.typical = typical_network(*own, all);
  if (auto set = typical_assignments(left.typical, own->line_rate); !set.empty())
    left.pack.fitted = MeasuredFit{"other machines", std::move(set)};
  return left;
}

/// Copies the results of the same tables with the same settings.
void take_results(BoardPack& left, const BoardPack& in_place) {
  auto table = left.tables.begin();
  for (const BoardTable& same : in_place.tables)
    if (same.is_collective()) (table++)->cases = same.cases;
}

} // namespace

std::vector<BoardPack> leave_one_out(const std::vector<BoardPack>& packs, const std::vector<NetworkNumbers>& all) {
  std::vector<BoardPack> left;
  for (const BoardPack& pack : packs) left.push_back(left_out_pack(pack, all));
  return left;
}

MeasuredBoards simulate_measured(std::vector<BoardPack> packs, const std::vector<NetworkNumbers>& all, int jobs,
                                 const BatchProgress& progress) {
  MeasuredBoards boards;
  boards.left_out = leave_one_out(packs, all);
  const std::size_t count = packs.size();
  const auto differs = [&](std::size_t i) { return boards.left_out[i].pack.settings() != packs[i].pack.settings(); };
  std::vector<std::size_t> simulated; // indices into left_out
  for (std::size_t i = 0; i < count; ++i)
    if (differs(i)) simulated.push_back(i);
  for (const std::size_t i : simulated) packs.push_back(std::move(boards.left_out[i]));
  simulate_boards(packs, jobs, progress);
  for (std::size_t k = 0; k < simulated.size(); ++k) boards.left_out[simulated[k]] = std::move(packs[count + k]);
  packs.erase(packs.begin() + static_cast<std::ptrdiff_t>(count), packs.end());
  for (std::size_t i = 0; i < count; ++i)
    if (std::ranges::find(simulated, i) == simulated.end()) take_results(boards.left_out[i], packs[i]);
  boards.in_place = std::move(packs);
  return boards;
}

} // namespace gradflight
