#include "analysis/collective/collective_against.hpp"

#include "scenarios/language/json/diagnostics.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace gradflight {

namespace {

double bytes_of(const MeasuredTable& measured, const MeasuredRow& row, int ranks) {
  return measured.size_of_a_rank ? row.size_bytes * ranks : row.size_bytes;
}

std::string what_is_there(const std::vector<MeasuredTable>& tables) {
  std::set<std::string> there;
  for (const MeasuredTable& table : tables)
    there.insert(table.ranks > 0 ? fmt::format("{} among {} ranks", operation_name(table.op), table.ranks)
                                 : std::string(operation_name(table.op)));
  return fmt::format("{}", fmt::join(there, ", "));
}

} // namespace

MeasuredTable measured_table(const std::vector<MeasuredTable>& tables, const std::string& path, Operation op, int ranks,
                             int nodes, const std::string& run) {
  const auto agrees = [](int said, int asked) { return said == 0 || said == asked; };
  std::vector<const MeasuredTable*> fit;
  for (const MeasuredTable& table : tables)
    if (table.op == op && table.benchmark == Benchmark::collective && agrees(table.ranks, ranks) &&
        agrees(table.nodes, nodes) && (run.empty() || table.run == run))
      fit.push_back(&table);
  if (fit.size() == 1) return *fit.front();
  const std::string wanted = fmt::format("{} among {} ranks on {} nodes{}", operation_name(op), ranks, nodes,
                                         run.empty() ? "" : fmt::format(" of run \"{}\"", run));
  std::string text;
  if (fit.empty()) {
    text = fmt::format("no table of {}; there are {}", wanted, what_is_there(tables));
  } else {
    std::set<std::string> runs;
    for (const MeasuredTable* table : fit) runs.insert('"' + table->run + '"');
    text = runs.size() > 1
               ? fmt::format("{} tables of {}: --run names one of {}", fit.size(), wanted, fmt::join(runs, ", "))
               : fmt::format("{} tables of {}, and nothing that tells them apart", fit.size(), wanted);
  }
  throw InputErrors({{path, 0, 0, "", text}});
}

std::vector<double> sizes_of(const MeasuredTable& measured, int ranks, double begin, double end) {
  std::vector<double> sizes;
  for (const MeasuredRow& row : measured.rows)
    if (const double bytes = bytes_of(measured, row, ranks); bytes > 0 && bytes >= begin && bytes <= end)
      sizes.push_back(bytes);
  std::ranges::sort(sizes);
  return sizes;
}

void put_beside(const MeasuredTable& measured, int ranks, CollectiveRow& row) {
  // A row is of whole elements, which the log's size may miss by less than an element a rank.
  const auto near = [&](const MeasuredRow& r) {
    const double over = bytes_of(measured, r, ranks) - static_cast<double>(row.size_bytes);
    return over >= 0 && over < 8.0 * ranks;
  };
  const auto found = std::ranges::find_if(measured.rows, near);
  if (found != measured.rows.end()) row.measured_us = found->time_us;
}

} // namespace gradflight
