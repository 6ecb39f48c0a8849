#include "analysis/evidence/boards/leave_one_out.hpp"

#include "analysis/evidence/boards/board_packs.hpp"

#include <algorithm>
#include <iterator>

namespace gradflight {

namespace {

BoardPack left_out_pack(const BoardPack& pack, const std::vector<NetworkNumbers>& all) {
  BoardPack left = pack;
  left.pack.fitted.reset();
  for (BoardTable& table : left.tables)
    if (table.is_collective())
      table.role = MeasuredRole::scored;
    else
      table.cases.clear();
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
  for (std::size_t i = 0; i < left.tables.size(); ++i)
    if (in_place.tables[i].is_collective()) left.tables[i].cases = in_place.tables[i].cases;
}

/// Keeps only the cases of tables that have a typical spread.
void keep_jobs(BoardPack& pack) {
  for (BoardTable& table : pack.tables)
    if (!has_typical_spread(table)) table.cases.clear();
}

bool trains(const BoardPack& pack) { return std::ranges::any_of(pack.tables, has_typical_spread); }

} // namespace

TypicalSources typical_sources(const std::filesystem::path& directory, const std::vector<BoardPack>& packs) {
  TypicalSources all{all_network_numbers(directory), {}};
  if (std::ranges::none_of(packs, trains)) return all;
  for (BoardPack& other : load_boards(directory, {})) {
    const auto same = [&](const BoardPack& pack) { return pack.pack.name.text == other.pack.name.text; };
    if (!trains(other) || std::ranges::any_of(packs, same)) continue;
    keep_jobs(other);
    all.trainers.push_back(std::move(other));
  }
  return all;
}

std::vector<BoardPack> leave_one_out(const std::vector<BoardPack>& packs, const std::vector<NetworkNumbers>& all) {
  std::vector<BoardPack> left;
  for (const BoardPack& pack : packs) left.push_back(left_out_pack(pack, all));
  return left;
}

void simulate_spreads(MeasuredBoards& boards, const std::vector<ComputeSpread>& all, int jobs) {
  std::vector<std::size_t> indices;
  std::vector<BoardPack> varied;
  for (std::size_t i = 0; i < boards.in_place.size(); ++i) {
    auto spread = typical_spread(boards.in_place[i].pack.name.text, all);
    if (!spread || !trains(boards.in_place[i])) continue;
    indices.push_back(i);
    keep_jobs(varied.emplace_back(boards.in_place[i]));
    varied.back().spread = std::move(spread);
  }
  simulate_boards(varied, jobs);
  for (std::size_t k = 0; k < varied.size(); ++k) {
    BoardPack& left = boards.left_out[indices[k]];
    left.spread = varied[k].spread;
    for (std::size_t t = 0; t < left.tables.size(); ++t)
      if (has_typical_spread(left.tables[t])) left.tables[t] = std::move(varied[k].tables[t]);
  }
}

const BoardCase* left_out_case(const MeasuredBoards& measured, std::size_t pack, std::size_t table, std::size_t one) {
  if (pack >= measured.left_out.size()) return nullptr;
  const auto& cases = measured.left_out[pack].tables[table].cases;
  return cases.empty() ? nullptr : &cases[one];
}

MeasuredBoards simulate_measured(std::vector<BoardPack> packs, TypicalSources all, int jobs,
                                 const BatchProgress& progress) {
  MeasuredBoards boards;
  boards.left_out = leave_one_out(packs, all.networks);
  const std::size_t count = packs.size();
  std::vector<std::size_t> simulated; // indices into left_out
  for (std::size_t i = 0; i < count; ++i)
    if (boards.left_out[i].pack.settings() != packs[i].pack.settings()) simulated.push_back(i);
  for (const std::size_t i : simulated) packs.push_back(std::move(boards.left_out[i]));
  std::ranges::move(all.trainers, std::back_inserter(packs));
  simulate_boards(packs, jobs, progress);
  for (std::size_t k = 0; k < simulated.size(); ++k) boards.left_out[simulated[k]] = std::move(packs[count + k]);
  packs.erase(packs.begin() + static_cast<std::ptrdiff_t>(count),
              packs.begin() + static_cast<std::ptrdiff_t>(count + simulated.size()));
  const std::vector<ComputeSpread> spreads = compute_spreads(packs);
  packs.resize(count);
  for (std::size_t i = 0; i < count; ++i)
    if (std::ranges::find(simulated, i) == simulated.end()) take_results(boards.left_out[i], packs[i]);
  boards.in_place = std::move(packs);
  simulate_spreads(boards, spreads, jobs);
  return boards;
}

} // namespace gradflight
