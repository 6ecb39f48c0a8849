#include "analysis/exploration/sweep_text.hpp"

#include "analysis/human/human.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <stdexcept>

namespace gradflight {
namespace {

std::string group_rows(const SweepTable& table, const std::vector<ErrorGroup>& groups) {
  std::size_t name_width = 0;
  std::vector<std::string> names;
  for (const auto& group : groups) {
    names.push_back(group.column.empty() ? group.value : short_name(group.column) + " = " + group.value);
    name_width = std::max(name_width, names.back().size());
  }
  std::string text;
  for (std::size_t i = 0; i < groups.size(); ++i)
    text += fmt::format("  {:<{}}  {:>6}  {:>6}  {:>13}  {:>10}  {}\n", names[i], name_width, groups[i].points,
                        groups[i].beyond, magnitude_text(groups[i].median), human_error(groups[i].most),
                        row_text(table, groups[i].worst_row));
  return fmt::format("  {:<{}}  {:>6}  {:>6}  {:>13}  {:>10}  {}\n", "", name_width, "points", "beyond", "median |err|",
                     "greatest", "where") +
         text;
}

} // namespace

std::string analysis_text(const SweepTable& table, const SweepAnalysis& analysis) {
  auto text = verdict_text(analysis);
  text += "\n";
  if (!analysis.by_assumption.empty())
    text += "\nClosed form against simulation, by failed assumption\n" + group_rows(table, analysis.by_assumption);
  if (!analysis.by_axis.empty())
    text += "\nClosed form against simulation, over the axes\n" + group_rows(table, analysis.by_axis);
  return text;
}

ParetoChoice pareto_of(const SweepTable& table, const std::string& names) {
  const auto comma = names.find(',');
  if (comma == std::string::npos)
    throw std::invalid_argument("--pareto: expected two columns, such as time_s,wire_bytes");
  ParetoChoice choice{column_named(table, names.substr(0, comma)), column_named(table, names.substr(comma + 1)), {}};
  choice.front = pareto_front(table, choice.first, choice.second);
  return choice;
}

BaselineChoice baseline_of(const SweepTable& table, const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos)
    throw std::invalid_argument("--baseline: expected AXIS=VALUE, such as algorithm=ring");
  BaselineChoice choice{column_named(table, text.substr(0, equals)), text.substr(equals + 1), {}};
  if (choice.axis < table.first_axis() || choice.axis >= table.first_quantity())
    throw std::invalid_argument(fmt::format("--baseline: {} is no axis", table.columns[choice.axis].name));
  choice.speedups = speedups(table, choice.axis, choice.value);
  return choice;
}

std::string pareto_text(const SweepTable& table, const ParetoChoice& choice) {
  const auto& first = table.columns[choice.first].name;
  const auto& second = table.columns[choice.second].name;
  std::string text =
      fmt::format("\nPareto front of {} and {}: {}\n", first, second, counted(std::ssize(choice.front), "point"));
  for (const auto row : choice.front)
    text += fmt::format("  {:>22}  {:>22}  {}\n", cell_text(table.rows[row][choice.first]),
                        cell_text(table.rows[row][choice.second]), row_text(table, row));
  return text;
}

std::string speedup_text(const SweepTable& table, const BaselineChoice& choice) {
  std::string text = fmt::format("\nSpeedup over {} = {}\n  {:<24}  {:>6}  {:>9}  {:>9}  {:>9}\n",
                                 short_name(table.columns[choice.axis].name), choice.value, "", "points", "least",
                                 "median", "greatest");
  std::vector<std::pair<std::string, std::vector<double>>> groups;
  for (const auto& speedup : choice.speedups) {
    const auto value = cell_text(table.rows[speedup.row][choice.axis]);
    auto found = std::ranges::find(groups, value, [](const auto& group) { return group.first; });
    if (found == groups.end()) found = groups.insert(groups.end(), {value, {}});
    found->second.push_back(speedup.factor);
  }
  for (auto& [value, factors] : groups) {
    std::ranges::sort(factors);
    text += fmt::format("  {:<24}  {:>6}  {:>9.4g}  {:>9.4g}  {:>9.4g}\n", value, factors.size(), factors.front(),
                        factors[factors.size() / 2], factors.back());
  }
  return text;
}

} // namespace gradflight
