#include "analysis/evidence/boards/leave_one_out.hpp"

#include <algorithm>
#include <iterator>

namespace gradflight {

namespace {

BoardPack left_out_pack(const BoardPack& pack, const TypicalSources& all) {
  BoardPack left = pack;
  left.pack.fitted.reset();
  if (std::ranges::any_of(pack.tables, has_typical_spread))
    left.spread = typical_spread(pack.pack.name.text, all.spreads);
  for (BoardTable& table : left.tables)
    if (table.is_collective())
      table.role = MeasuredRole::scored;
    else if (!has_typical_spread(table) || !left.spread)
      table.cases.clear();
  for (MeasuredEntry& entry : left.pack.tables)
    if (entry.role == MeasuredRole::fitted) entry.role = MeasuredRole::scored;
  const auto own = std::ranges::find(all.networks, pack.pack.name.text, &NetworkNumbers::pack);
  if (own == all.networks.end()) return left;
  left.typical = typical_network(*own, all.networks);
  if (auto set = typical_assignments(left.typical, own->line_rate); !set.empty())
    left.pack.fitted = MeasuredFit{"other machines", std::move(set)};
  return left;
}

/// Whether the pack left out is simulated with the same values as in place.
bool alike(const BoardPack& left_out, const BoardPack& in_place) {
  const bool varies = left_out.spread && left_out.spread->value > 0;
  return !varies && left_out.pack.settings() == in_place.pack.settings();
}

/// Copies the results of the tables with cases.
void take_results(BoardPack& left, const BoardPack& in_place) {
  for (std::size_t i = 0; i < left.tables.size(); ++i)
    if (!left.tables[i].cases.empty()) left.tables[i].cases = in_place.tables[i].cases;
}

} // namespace

TypicalSources typical_sources(const std::filesystem::path& directory, const std::vector<BoardPack>& packs, int jobs) {
  TypicalSources all{all_network_numbers(directory), {}};
  const auto trains = [](const BoardPack& pack) { return std::ranges::any_of(pack.tables, has_typical_spread); };
  if (std::ranges::any_of(packs, trains)) all.spreads = all_compute_spreads(directory, jobs);
  return all;
}

std::vector<BoardPack> leave_one_out(const std::vector<BoardPack>& packs, const TypicalSources& all) {
  std::vector<BoardPack> left;
  for (const BoardPack& pack : packs) left.push_back(left_out_pack(pack, all));
  return left;
}

const BoardCase* left_out_case(const MeasuredBoards& measured, std::size_t pack, std::size_t table, std::size_t one) {
  if (pack >= measured.left_out.size()) return nullptr;
  const auto& cases = measured.left_out[pack].tables[table].cases;
  return cases.empty() ? nullptr : &cases[one];
}

MeasuredBoards simulate_measured(std::vector<BoardPack> packs, const TypicalSources& all, int jobs,
                                 const BatchProgress& progress) {
  MeasuredBoards boards;
  boards.left_out = leave_one_out(packs, all);
  const std::size_t count = packs.size();
  std::vector<std::size_t> simulated; // indices into left_out
  for (std::size_t i = 0; i < count; ++i)
    if (!alike(boards.left_out[i], packs[i])) simulated.push_back(i);
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
