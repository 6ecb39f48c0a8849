#include "analysis/evidence/boards/board_runs.hpp"

#include "analysis/evidence/boards/training_runs.hpp"
#include "analysis/evidence/collective/collective_table.hpp"
#include "analysis/evidence/collective/line_ring.hpp"
#include "analysis/run/runner.hpp"
#include "base/letters.hpp"
#include "scenarios/language/json/diagnostics.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <stdexcept>
#include <tuple>

namespace gradflight {

namespace {

/// The simulation of one size. Microseconds.
struct BoardRow {
  std::int64_t size_bytes = 0;
  double time_us = 0, ring_us = 0;
  std::optional<double> model_us{};
  std::string algorithm{}, protocol{};
  int channels = 0;
};

/// The simulation of one table, or sentences with the reasons why it is impossible.
struct BoardAnswer {
  std::vector<BoardRow> rows;
  TrainingAnswer training;
  std::vector<std::string> mistakes;
};

template <class Visitor, Same<BoardRow> Row> void visit(Visitor& fields, Row& r) {
  auto& [size_bytes, time_us, ring_us, model_us, algorithm, protocol, channels] = r;
  fields(size_bytes, time_us, ring_us, model_us, algorithm, protocol, channels);
}
template <class Visitor, Same<BoardAnswer> Answered> void visit(Visitor& fields, Answered& a) {
  fields(a.rows, a.training.compute, a.training.base_step, a.training.steps, a.training.line_rings, a.mistakes);
}

CollectiveRequest board_request(const BoardPack& board, const BoardTable& table) {
  const MeasuredPack& pack = board.pack;
  CollectiveRequest request;
  request.ops = {table.op};
  request.platform = pack.platform();
  request.sets = pack.settings();
  request.ranks = table.ranks;
  request.nodes = table.nodes;
  request.gpus_per_node = table.ranks / table.nodes;
  request.element_size = table.element_size;
  request.algorithm = pack.library.text;
  if (!table.algorithm.empty() && request.algorithm.find(':') == std::string::npos)
    request.algorithm += ":" + lower_case(table.algorithm);
  request.protocol = table.protocol;
  request.iterations = pack.iterations;
  for (const BoardCase& one : table.cases) request.sizes.push_back(one.size_bytes);
  return request;
}

BoardAnswer board_answer(const BoardPack& board, const BoardTable& table) {
  BoardAnswer answer;
  if (!table.is_collective()) {
    answer.training = training_answer(board, table);
    answer.mistakes = std::move(answer.training.mistakes);
    return answer;
  }
  try {
    const CollectiveRequest request = board_request(board, table);
    const CollectiveGroup group = make_group(request);
    const auto setup = check_request(request, group);
    const LineRates rates = line_rates(group);
    for (const CollectiveRow& row : collective_table(request, table.op, group, setup).rows) {
      const auto bytes = static_cast<double>(row.size_bytes);
      answer.rows.push_back({row.size_bytes, row.time_us,
                             line_ring_time(rates, table.op, bytes, table.ranks, group.gpus_per_node) * 1e6,
                             row.model_time_us, row.algorithm, row.protocol, row.channels});
    }
  } catch (const InputErrors& errors) {
    for (const Diagnostic& each : errors.diagnostics()) answer.mistakes.push_back(each.message_at_pointer());
  }
  return answer;
}

void fill_in_cases(BoardTable& table, const BoardAnswer& answer) {
  if (!table.is_collective()) return fill_in_training(table, answer.training);
  const auto& rows = answer.rows;
  for (BoardCase& one : table.cases) {
    const auto bytes = counted_elements(table.op, one.size_bytes, table.element_size, table.ranks) * table.element_size;
    const auto row = std::ranges::find(rows, bytes, &BoardRow::size_bytes);
    if (row == rows.end()) throw std::logic_error(fmt::format("no row of {} B was simulated", bytes));
    one.simulated = row->time_us;
    one.yardsticks[static_cast<std::size_t>(Yardstick::line_ring)] = row->ring_us;
    one.yardsticks[static_cast<std::size_t>(Yardstick::own_formula)] = row->model_us;
    one.algorithm = row->algorithm;
    one.protocol = row->protocol;
    one.channels = row->channels;
  }
}

/// Returns the tables with cases. Those with the most ranks come first, because they take longest.
std::vector<std::pair<std::size_t, std::size_t>> work_list(const std::vector<BoardPack>& packs) {
  std::vector<std::pair<std::size_t, std::size_t>> list;
  for (std::size_t p = 0; p < packs.size(); ++p)
    for (std::size_t t = 0; t < packs[p].tables.size(); ++t)
      if (!packs[p].tables[t].cases.empty()) list.emplace_back(p, t);
  std::ranges::stable_sort(list, std::greater(),
                           [&](const auto& at) { return packs[at.first].tables[at.second].ranks; });
  return list;
}

/// Collects each mistake of a pack once, at its machine or at a job's scenario.
class BoardMistakes {
public:
  void add(const BoardPack& board, const BoardTable& table, const std::vector<std::string>& mistakes) {
    const bool training = !table.is_collective();
    const Node& at = training ? *board.pack.training[table.entry].scenario : *board.pack.machine;
    const auto pointer = training ? fmt::format("/training/{}/scenario", table.entry) : std::string("/machine");
    for (const auto& mistake : mistakes)
      for (auto& each : board.pack.sources.diagnostics({{at.position, pointer, mistake}}))
        if (std::ranges::find(found_, each) == found_.end()) found_.push_back(std::move(each));
  }
  void refuse() {
    // Tables end in any order, so sort the mistakes.
    std::ranges::stable_sort(found_, {},
                             [](const Diagnostic& d) { return std::tie(d.file, d.line, d.column, d.message); });
    if (!found_.empty()) throw InputErrors(std::move(found_));
  }

private:
  std::vector<Diagnostic> found_;
};

} // namespace

void simulate_boards(std::vector<BoardPack>& packs, int jobs, const BatchProgress& progress) {
  const auto list = work_list(packs);
  RunnerOptions options;
  options.jobs = jobs;
  options.in_order = false;
  options.progress = progress;
  std::string failed;
  BoardMistakes mistakes;
  run_cases(
      list.size(), options,
      [&](std::size_t index, Process) {
        const BoardPack& board = packs[list[index].first];
        return board_answer(board, board.tables[list[index].second]);
      },
      [&](std::size_t index, const Answer<BoardAnswer>& answer) {
        BoardPack& board = packs[list[index].first];
        BoardTable& table = board.tables[list[index].second];
        if (!answer.finished())
          failed += fmt::format("{}: {} among {} ranks: {}\n", board.pack.name.text, table.what, table.ranks,
                                answer.end.message());
        else if (!answer.value.mistakes.empty())
          mistakes.add(board, table, answer.value.mistakes);
        else
          fill_in_cases(table, answer.value);
      });
  mistakes.refuse();
  if (!failed.empty()) throw BoardsFailed(failed);
}

} // namespace gradflight
