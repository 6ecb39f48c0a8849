#include "analysis/explore/sweeps/sweep_axes.hpp"

#include <algorithm>
#include <set>

namespace gradflight {

std::size_t speedup_axis(const SweepTable& table, const BaselineChoice& choice, const SweepAxes& axes) {
  const bool text = table.columns[choice.axis].type == SweepColumn::Type::text;
  return text && !axes.numeric.empty() ? axes.numeric.front() : choice.axis;
}

SweepAxes axes_of(const SweepTable& table) {
  SweepAxes axes;
  std::vector<std::pair<std::size_t, std::size_t>> numeric; // number of values, column
  for (const auto column : telling_axes(table)) {
    std::set<Cell> values;
    for (const auto& row : table.rows) values.insert(row[column]);
    if (values.size() < 2) continue;
    if (table.columns[column].type == SweepColumn::Type::text)
      axes.nominal.push_back(column);
    else
      numeric.emplace_back(values.size(), column);
  }
  std::ranges::stable_sort(numeric, std::greater<>{}, [](const auto& n) { return n.first; });
  for (const auto& [count, column] : numeric) axes.numeric.push_back(column);
  return axes;
}

} // namespace gradflight
