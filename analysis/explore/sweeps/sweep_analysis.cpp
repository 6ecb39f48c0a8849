#include "analysis/explore/sweeps/sweep_analysis.hpp"

#include "analysis/explore/sweeps/sweep_lines.hpp"
#include "analysis/run/result/comparison.hpp"
#include "base/nearest_name.hpp"
#include "base/percentile.hpp"
#include "scenarios/language/fields/shape.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>

namespace gradflight {
namespace {

std::vector<std::string> names_of(const SweepTable& table) {
  std::vector<std::string> names;
  for (const auto& column : table.columns) names.push_back(column.name);
  return names;
}

/// Returns the ids in a cell of closed_form_failed, each once: older versions repeat them.
std::vector<std::string> ids_of(std::string_view cell) {
  std::vector<std::string> ids;
  while (!cell.empty()) {
    const auto end = std::min(cell.find(';'), cell.size());
    std::string id(cell.substr(0, end));
    if (std::ranges::find(ids, id) == ids.end()) ids.push_back(std::move(id));
    cell.remove_prefix(std::min(end + 1, cell.size()));
  }
  return ids;
}

struct Group {
  std::vector<double> errors;
  double most = 0;
  std::size_t worst_row = 0, beyond = 0;
};

void add(Group& group, const AnalysedPoint& point, double tolerance) {
  const double error = *point.error;
  if (group.errors.empty() || std::abs(error) > std::abs(group.most)) {
    group.most = error;
    group.worst_row = point.row;
  }
  group.errors.push_back(std::abs(error));
  group.beyond += std::abs(error) > tolerance ? 1 : 0;
}

ErrorGroup closed(std::string column, std::string value, Group group) {
  const std::size_t count = group.errors.size();
  const double median = percentile(std::move(group.errors), 0.5);
  return {std::move(column), std::move(value), count, group.beyond, median, group.most, group.worst_row};
}

/// `all_hold` names the group of points without a failed assumption; it is left out if all of them agree. Points of
/// rows in `formless`, to which no closed form applies, have a group of their own.
std::vector<ErrorGroup> assumptions(const std::vector<AnalysedPoint>& points, double tolerance,
                                    const std::string& all_hold, const std::set<std::size_t>& formless = {}) {
  std::map<std::string, Group> groups;
  for (const auto& point : points) {
    if (!point.error) continue;
    for (const auto& id : point.failed) add(groups[id], point, tolerance);
    if (point.failed.empty())
      add(groups[formless.contains(point.row) ? "(no closed form)" : all_hold], point, tolerance);
  }
  if (const auto found = groups.find(all_hold); found != groups.end() && found->second.beyond == 0) groups.erase(found);
  std::vector<ErrorGroup> result;
  for (auto& [text, group] : groups) result.push_back(closed({}, text, std::move(group)));
  std::ranges::stable_sort(result, std::greater<>{}, &ErrorGroup::beyond);
  return result;
}

std::vector<ErrorGroup> axis_values(const SweepTable& table, const std::vector<AnalysedPoint>& points,
                                    double tolerance) {
  std::vector<ErrorGroup> result;
  for (const auto column : telling_axes(table)) {
    std::vector<std::pair<std::string, Group>> groups; // in the order of the axis
    for (const auto& point : points) {
      if (!point.error) continue;
      const auto value = cell_text(table.rows[point.row][column]);
      auto found = std::ranges::find(groups, value, [](const auto& group) { return group.first; });
      if (found == groups.end()) found = groups.insert(groups.end(), {value, {}});
      add(found->second, point, tolerance);
    }
    if (groups.size() < 2) continue;
    for (auto& [value, group] : groups) result.push_back(closed(table.columns[column].name, value, std::move(group)));
  }
  return result;
}

} // namespace

std::size_t column_named(const SweepTable& table, const std::string& name) {
  const auto names = names_of(table);
  const auto exact = std::ranges::find(names, name);
  if (exact != names.end()) return static_cast<std::size_t>(exact - names.begin());
  std::vector<std::string> meant;
  std::size_t column = 0;
  const auto ends_with_name = [&](const std::string& written) { // written with a unit at its end, or without
    const auto dotted = "." + written, wanted = "." + name;
    const auto at = dotted.rfind(wanted);
    if (at == std::string::npos) return false;
    const auto rest = dotted.substr(at + wanted.size());
    return rest.empty() || rest.starts_with('_');
  };
  for (std::size_t i = table.first_axis(); i < table.first_quantity(); ++i) {
    if (!ends_with_name(names[i]) && !ends_with_name(table.axis_path(i))) continue;
    meant.push_back(names[i]);
    column = i;
  }
  for (const auto& formula : table.formulas) // a formula's column name ends with its unit
    if (meant.empty() && names[formula.column].starts_with(name + "_")) return formula.column;
  if (meant.size() == 1) return column;
  if (meant.empty()) {
    auto known = names; // axes by the last parts of their paths, as users write them
    const auto last_part = [](const std::string& path) { return path.substr(path.rfind('.') + 1); };
    for (std::size_t i = table.first_axis(); i < table.first_quantity(); ++i) {
      known[i] = last_part(known[i]);
      if (const auto key = last_part(table.axis_path(i)); std::ranges::find(known, key) == known.end())
        known.push_back(key);
    }
    throw std::invalid_argument(fmt::format("no column \"{}\"{}", name, did_you_mean(name, known)));
  }
  throw std::invalid_argument(
      fmt::format("\"{}\" is ambiguous: it may be {}; write more of the path", name, joined(meant)));
}

std::vector<std::size_t> telling_axes(const SweepTable& table) {
  std::vector<std::size_t> columns;
  for (auto column = table.first_axis(); column < table.first_quantity(); ++column)
    if (std::ranges::find(table.behind_labels, column) == table.behind_labels.end()) columns.push_back(column);
  return columns;
}

SweepAnalysis analyse_formula(const SweepTable& table, const FormulaColumn& formula, double tolerance) {
  SweepAnalysis analysis;
  const auto against = formula.against.value(), failed = column_named(table, "closed_form_failed");
  const auto form = column_named(table, "closed_form_time_s");
  std::set<std::size_t> formless;
  analysis.form = table.columns[formula.column].name;
  analysis.simulated = table.columns[against].name;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const auto& row = table.rows[i];
    const auto simulated = cell_number(row[against]);
    if (!simulated) {
      ++analysis.not_ok;
      continue;
    }
    if (!cell_number(row[form])) formless.insert(i);
    AnalysedPoint point{i, *simulated, cell_number(row[formula.column]), {}, ids_of(cell_text(row[failed])), "no form"};
    if (point.form_s) {
      if (*point.form_s != 0) point.error = (*simulated - *point.form_s) / *point.form_s;
      point.verdict = point.error && std::abs(*point.error) <= tolerance ? "agree" : "differ";
    }
    analysis.points.push_back(std::move(point));
  }
  analysis.by_assumption = assumptions(analysis.points, tolerance, "(all hold)", formless);
  analysis.by_axis = axis_values(table, analysis.points, tolerance);
  return analysis;
}

SweepAnalysis analyse(const SweepTable& table, double tolerance) {
  SweepAnalysis analysis;
  const auto time = column_named(table, "time_s"), form = column_named(table, "closed_form_time_s");
  const auto error = column_named(table, "closed_form_relative_error"),
             failed = column_named(table, "closed_form_failed");
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const auto& row = table.rows[i];
    const auto simulated = cell_number(row[time]);
    if (!simulated) {
      ++analysis.not_ok;
      continue;
    }
    AnalysedPoint point{
        i, *simulated, cell_number(row[form]), cell_number(row[error]), ids_of(cell_text(row[failed])), "no form"};
    if (point.form_s) {
      const bool agrees = point.error && std::abs(*point.error) <= tolerance;
      point.verdict = agrees ? "agree" : point.failed.empty() ? "off" : "explained";
    }
    analysis.points.push_back(std::move(point));
  }
  analysis.by_assumption = assumptions(analysis.points, tolerance, "(none: unexplained)");
  analysis.by_axis = axis_values(table, analysis.points, tolerance);
  return analysis;
}

std::vector<std::size_t> pareto_front(const SweepTable& table, std::size_t first, std::size_t second) {
  struct Candidate {
    double x, y;
    std::size_t row;
  };
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const auto x = cell_number(table.rows[i][first]), y = cell_number(table.rows[i][second]);
    if (x && y) candidates.push_back({*x, *y, i});
  }
  std::ranges::sort(candidates, [](const Candidate& a, const Candidate& b) {
    return std::tie(a.x, a.y, a.row) < std::tie(b.x, b.y, b.row);
  });
  std::vector<std::size_t> front;
  double least = std::numeric_limits<double>::infinity();
  for (const auto& candidate : candidates) {
    if (candidate.y >= least) continue;
    least = candidate.y;
    front.push_back(candidate.row);
  }
  return front;
}

std::vector<ParetoFront> pareto_fronts(const SweepTable& table, std::size_t first, std::size_t second,
                                       const std::vector<std::size_t>& fixed) {
  std::vector<std::vector<Cell>> keys;
  std::vector<std::vector<std::size_t>> members;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    std::vector<Cell> key;
    for (const auto column : fixed) key.push_back(table.rows[i][column]);
    const auto at = static_cast<std::size_t>(std::ranges::find(keys, key) - keys.begin());
    if (at == keys.size()) {
      keys.push_back(std::move(key));
      members.emplace_back();
    }
    members[at].push_back(i);
  }
  std::vector<ParetoFront> fronts;
  for (const auto& rows : members) {
    SweepTable part;
    for (const auto row : rows) part.rows.push_back(table.rows[row]);
    ParetoFront front{rows.front(), pareto_front(part, first, second)};
    for (auto& row : front.rows) row = rows[row];
    if (!front.rows.empty()) fronts.push_back(std::move(front));
  }
  return fronts;
}

std::vector<Speedup> speedups(const SweepTable& table, std::size_t axis, const std::string& value) {
  const auto time = column_named(table, "time_s");
  // A quantity in any unit, if the column's name has its dimension.
  const auto amount = amount_of(value);
  const auto dimension = amount ? dimension_of(amount->powers) : std::nullopt;
  const auto& column = table.columns[axis].name;
  const bool in_units = dimension && with_suffix(column, *dimension) == column;
  const auto is_baseline = [&](const std::vector<Cell>& row) {
    const auto text = cell_text(row[axis]);
    const auto number = cell_number(row[axis]);
    if (number && in_units) return *number == amount->value;
    return text == value || (number && fmt::format("{}", *number) == value);
  };
  const auto changes_with_it = [&](std::size_t other) {
    const auto number = [&](std::size_t i) { return table.axis_numbers[i - table.first_axis()]; };
    return other == axis || (!table.axis_numbers.empty() && number(other) == number(axis));
  };
  const auto others = [&](const std::vector<Cell>& row) {
    std::vector<Cell> key;
    for (std::size_t i = table.first_axis(); i < table.first_quantity(); ++i)
      if (!changes_with_it(i)) key.push_back(row[i]);
    return key;
  };
  std::map<std::vector<Cell>, double> baseline;
  for (const auto& row : table.rows)
    if (const auto seconds = cell_number(row[time]); seconds && is_baseline(row))
      baseline.emplace(others(row), *seconds);
  if (baseline.empty()) {
    std::vector<std::string> values;
    for (std::size_t row = 0; row < table.rows.size(); ++row)
      if (auto text = cell_text(table, row, axis); std::ranges::find(values, text) == values.end())
        values.push_back(std::move(text));
    throw std::invalid_argument(
        fmt::format("{} is never {}{}", table.columns[axis].name, value, did_you_mean(value, values)));
  }
  std::vector<Speedup> result;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const auto seconds = cell_number(table.rows[i][time]);
    const auto found = baseline.find(others(table.rows[i]));
    if (seconds && *seconds > 0 && found != baseline.end()) result.push_back({i, found->second / *seconds});
  }
  return result;
}

} // namespace gradflight
