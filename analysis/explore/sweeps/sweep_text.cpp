#include "analysis/explore/sweeps/sweep_text.hpp"

#include "analysis/explore/sweeps/sweep_drawings.hpp"
#include "analysis/explore/sweeps/sweep_lines.hpp"
#include "analysis/run/text/report_text.hpp"
#include "base/human.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <stdexcept>

namespace gradflight {
namespace {

std::string group_rows(const SweepTable& table, const std::vector<ErrorGroup>& groups) {
  std::size_t name_width = 0;
  std::vector<std::string> names;
  for (const auto& group : groups) {
    names.push_back(group_text(table, group));
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

std::string times_text(const SweepTable& table, const SweepAnalysis& analysis) {
  if (analysis.points.empty()) return {};
  auto text = extremes_text(table, analysis) + "\n";
  const auto axes = axes_of(table);
  if (axes.nominal.empty()) return text;
  const auto best = best_variants(table, analysis, axes.nominal.front(), axes);
  text += fmt::format("\nFastest {}\n", short_name(table.columns[axes.nominal.front()].name));
  std::vector<std::size_t> widths;
  constexpr std::size_t most = 24;
  const auto shown = std::min(most, best.rows.size());
  for (std::size_t i = 0; i < best.header.size(); ++i) {
    widths.push_back(best.header[i].size());
    for (std::size_t k = 0; k < shown; ++k) widths[i] = std::max(widths[i], best.rows[k][i].text.size());
  }
  const auto line = [&](const auto& cell) {
    std::string one = " ";
    for (std::size_t i = 0; i < widths.size(); ++i) one += fmt::format(" {:<{}} ", cell(i), widths[i]);
    return table_line(std::move(one));
  };
  text += line([&](std::size_t i) { return best.header[i]; });
  for (std::size_t k = 0; k < shown; ++k) text += line([&](std::size_t i) { return best.rows[k][i].text; });
  if (shown < best.rows.size()) text += fmt::format("  and {} more (on the page)\n", best.rows.size() - shown);
  return text;
}

std::string formula_report(const SweepTable& table, const SweepAnalysis& formula) {
  auto text = "\n" + formula_text(table, formula) + "\n";
  if (!formula.by_axis.empty()) text += group_rows(table, formula.by_axis);
  if (!formula.by_assumption.empty())
    text += fmt::format("{}, by failed assumption of the closed form\n", formula.form) +
            group_rows(table, formula.by_assumption);
  return text;
}

} // namespace

std::string analysis_text(const SweepTable& table, const SweepAnalysis& analysis,
                          const std::vector<SweepAnalysis>& formulas) {
  auto text = verdict_text(analysis) + "\n" + times_text(table, analysis);
  for (const auto& formula : formulas) text += formula_report(table, formula);
  if (!analysis.by_assumption.empty())
    text += "\nClosed form against simulation, by failed assumption\n" + group_rows(table, analysis.by_assumption);
  if (!analysis.by_axis.empty())
    text += "\nClosed form against simulation, over the axes\n" + group_rows(table, analysis.by_axis);
  return text;
}

namespace {
/// Returns a column that a Pareto front can order. Throws std::invalid_argument if its values are texts.
std::size_t ordered_column(const SweepTable& table, const std::string& name) {
  const std::size_t column = column_named(table, name);
  const auto is_text = [&](const std::vector<Cell>& row) {
    return !cell_text(row[column]).empty() && !cell_number(row[column]);
  };
  if (std::ranges::any_of(table.rows, is_text))
    throw std::invalid_argument(fmt::format("--pareto: {} is a column of texts; expected two columns of numbers, such "
                                            "as time_s,wire_bytes",
                                            table.columns[column].name));
  const auto is_number = [&](const std::vector<Cell>& row) { return cell_number(row[column]).has_value(); };
  if (std::ranges::none_of(table.rows, is_number))
    throw std::invalid_argument(
        fmt::format("--pareto: {} is empty at every point; expected two columns of numbers, such as time_s,wire_bytes",
                    table.columns[column].name));
  return column;
}
} // namespace

ParetoChoice pareto_of(const SweepTable& table, const std::string& names, const std::optional<std::string>& fixed) {
  const auto comma = names.find(',');
  if (comma == std::string::npos || comma != names.rfind(','))
    throw std::invalid_argument(fmt::format("--pareto {}: expected two columns, such as time_s,wire_bytes", names));
  ParetoChoice choice;
  std::string wrong;
  const auto read = [&](std::size_t& column, const std::string& name) {
    try {
      column = ordered_column(table, name);
    } catch (const std::invalid_argument& error) {
      wrong += (wrong.empty() ? "" : "; ") + std::string(error.what());
    }
  };
  read(choice.first, names.substr(0, comma));
  read(choice.second, names.substr(comma + 1));
  if (!wrong.empty()) throw std::invalid_argument(wrong);
  if (!fixed) {
    for (const auto column : telling_axes(table))
      if (table.axis_path(column).starts_with("workload.")) choice.fixed.push_back(column);
  } else {
    for (std::size_t at = 0; at < fixed->size();) {
      const auto end = std::min(fixed->find(',', at), fixed->size());
      choice.fixed.push_back(column_named(table, fixed->substr(at, end - at)));
      at = end + 1;
    }
  }
  choice.fronts = pareto_fronts(table, choice.first, choice.second, choice.fixed);
  return choice;
}

EmptyCells empty_cells(const SweepTable& table, const FormulaColumn& formula) {
  constexpr std::size_t status = 2; // a column
  EmptyCells cells;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    if (cell_text(table.rows[row][status]) != "ok") continue;
    ++cells.simulated;
    if (!cell_text(table.rows[row][formula.column]).empty()) continue;
    if (cells.empty++ == 0) cells.first_row = row;
  }
  return cells;
}

std::string empty_formula_text(const SweepTable& table, const FormulaColumn& formula) {
  const EmptyCells cells = empty_cells(table, formula);
  if (cells.empty == 0) return {};
  const std::string& name = table.columns[formula.column].name;
  const std::string points = counted(cells.simulated, "point");
  if (cells.all())
    return fmt::format(
        "{} has no value at any of {}: it divides by zero, is no number, or names a quantity that they lack", name,
        points);
  return fmt::format("{} has no value at {} of {}, the first at {}: it divides by zero there, is no number, or names a "
                     "quantity that the point lacks",
                     name, cells.empty, points, row_text(table, cells.first_row));
}

std::string empty_formulas_text(const SweepTable& table) {
  std::string text;
  for (const FormulaColumn& formula : table.formulas)
    if (const std::string line = empty_formula_text(table, formula); !line.empty()) text += line + "\n";
  return text;
}

namespace {

std::string axis_names(const SweepTable& table) {
  std::string names;
  for (std::size_t column = table.first_axis(); column < table.first_quantity(); ++column)
    names += (names.empty() ? "" : ", ") + table.columns[column].name;
  return names;
}

} // namespace

BaselineChoice baseline_of(const SweepTable& table, const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos)
    throw std::invalid_argument(fmt::format("--baseline {}: expected AXIS=VALUE, such as algorithm=ring", text));
  BaselineChoice choice{column_named(table, text.substr(0, equals)), text.substr(equals + 1), {}};
  if (choice.axis < table.first_axis() || choice.axis >= table.first_quantity())
    throw std::invalid_argument(fmt::format("--baseline {}: \"{}\" is not an axis. Allowed: {}", text,
                                            table.columns[choice.axis].name, axis_names(table)));
  choice.speedups = speedups(table, choice.axis, choice.value);
  return choice;
}

std::string pareto_text(const SweepTable& table, const ParetoChoice& choice) {
  const auto& first = table.columns[choice.first].name;
  const auto& second = table.columns[choice.second].name;
  std::string text;
  for (const auto& front : choice.fronts) {
    const auto given = row_text(table, front.example, choice.fixed);
    text += fmt::format("\nPareto front of {} and {}{}{}: {}\n", first, second, given.empty() ? "" : " for ", given,
                        counted(std::ssize(front.rows), "point"));
    for (const auto row : front.rows)
      text += fmt::format("  {:>22}  {:>22}  {}\n", cell_text(table, row, choice.first),
                          cell_text(table, row, choice.second), row_text(table, row));
  }
  return text;
}

std::string speedup_text(const SweepTable& table, const BaselineChoice& choice) {
  std::string text = fmt::format("\nSpeedup over {} = {}\n  {:<24}  {:>6}  {:>9}  {:>9}  {:>9}\n",
                                 short_name(table.columns[choice.axis].name), choice.value, "", "points", "least",
                                 "median", "greatest");
  std::vector<std::pair<std::string, std::vector<double>>> groups;
  for (const auto& speedup : choice.speedups) {
    const auto value = cell_text(table, speedup.row, choice.axis);
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
