#include "analysis/explore/answers/compare.hpp"

#include "analysis/run/files/json_text.hpp"
#include "base/human.hpp"
#include "base/visible.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace gradflight {
namespace {

using Json = nlohmann::ordered_json;

Part part_at(std::size_t i) { return static_cast<Part>(i); }

/// Returns the parts in which two paths differ by more than rounding, largest first.
std::vector<std::pair<Part, double>> differences(const Path& from, const Path& to, double time) {
  std::vector<std::pair<Part, double>> found;
  for (std::size_t i = 0; i < from.size(); ++i)
    if (const double more = to[i] - from[i]; std::abs(more) > 1e-9 * time) found.emplace_back(part_at(i), more);
  std::ranges::stable_sort(found, [](const auto& a, const auto& b) { return std::abs(a.second) > std::abs(b.second); });
  return found;
}

/// What failures add to a mean step; less than 0 if the run has more of them than a mean lifetime.
double cost_of_failures(const TrainedStep& step) { return step.cost() - step.mean_time; }

std::string difference_text(const CompareColumn& first, const CompareColumn& other) {
  const double a = first.step.cost(), b = other.step.cost();
  std::vector<std::pair<std::string, double>> parts;
  for (const auto& [part, seconds] : differences(first.step.mean_path, other.step.mean_path, std::max(a, b)))
    parts.emplace_back(part_name(part), seconds);
  const double failures = cost_of_failures(other.step) - cost_of_failures(first.step);
  if (std::abs(failures) > 1e-9 * std::max(a, b)) parts.emplace_back("failures", failures);
  if (parts.empty()) return fmt::format("{}: as {}", other.name, first.name);
  std::string text = fmt::format("{}: {}", other.name, signed_seconds(b - a));
  if (a > 0) text += fmt::format(" ({:+.1f} %)", 100 * (b / a - 1));
  text += " against " + first.name + ":";
  for (const auto& [part, seconds] : parts) text += fmt::format(" {} {},", part, signed_seconds(seconds));
  text.pop_back();
  return text;
}

} // namespace

std::string value_text(const SideBySide::Row& row, std::size_t column) {
  const auto& value = row.values[column];
  if (!value) return "-";
  if (row.unit == "s") return human_seconds(*value);
  if (row.unit == "bytes") return human_bytes(*value);
  if (row.unit == "1/s") return fmt::format("{:.6g} /s", *value);
  return *value == std::floor(*value) ? human_count(*value) : fmt::format("{:.4g}", *value);
}

CompareColumn compare_column(std::string name, const Scenario& scenario, const TrainedStep& step) {
  return {std::move(name), step, samples_per_second(scenario, step.cost())};
}

std::vector<std::string> distinct_names(std::vector<std::string> names) {
  std::map<std::string, int> seen;
  std::set<std::string> taken(names.begin(), names.end());
  for (std::string& name : names) {
    const std::string base = name;
    for (int n = ++seen[base]; n > 1;) {
      name = fmt::format("{} ({})", base, n);
      if (taken.insert(name).second) break;
      n = ++seen[base];
    }
  }
  return names;
}

std::vector<SideBySide::Row> SideBySide::rows() const {
  std::vector<Row> all;
  const auto add = [&](std::string quantity, std::string unit, const auto& read) {
    Row row{std::move(quantity), std::move(unit), {}};
    for (const CompareColumn& column : columns) row.values.push_back(read(column));
    all.push_back(std::move(row));
  };
  const auto plain = [&](const char* quantity, const char* unit, double TrainedStep::*member) {
    add(quantity, unit, [member](const CompareColumn& c) { return std::optional(c.step.*member); });
  };
  plain("iteration_time_s", "s", &TrainedStep::iteration_time);
  if (of_means()) plain("mean_iteration_time_s", "s", &TrainedStep::mean_time);
  if (with_failures()) add("goodput", "1", [](const CompareColumn& c) { return c.step.goodput; });
  add("samples_per_s", "1/s", [](const CompareColumn& c) { return c.samples_per_s; });
  plain("time_s", "s", &TrainedStep::time);
  plain("compute_time_s", "s", &TrainedStep::compute_time);
  plain("communication_time_s", "s", &TrainedStep::communication_time);
  plain("exposed_communication_time_s", "s", &TrainedStep::exposed_communication_time);
  const char* breakdown = of_means() ? "mean_iteration_breakdown" : "iteration_breakdown";
  for (std::size_t i = 0; i < part_count; ++i)
    if (std::ranges::any_of(columns, [i](const CompareColumn& c) { return c.step.mean_path[i] > 0; }))
      add(fmt::format("{}.{}_s", breakdown, part_name(part_at(i))), "s",
          [i](const CompareColumn& c) { return std::optional(c.step.mean_path[i]); });
  plain("messages", "1", &TrainedStep::messages);
  plain("wire_bytes", "bytes", &TrainedStep::wire_bytes);
  return all;
}

bool SideBySide::of_means() const {
  return std::ranges::any_of(columns, [](const CompareColumn& column) { return column.step.has_mean(); });
}

bool SideBySide::with_failures() const {
  return std::ranges::any_of(columns, [](const CompareColumn& column) { return column.step.goodput.has_value(); });
}

std::string SideBySide::basis() const {
  if (with_failures()) return "The differences are of a mean step with its share of the time that failures cost.";
  if (!of_means()) return "";
  const auto own_pace = [](const CompareColumn& column) { return column.step.own_pace && column.step.has_mean(); };
  if (std::ranges::any_of(columns, own_pace))
    return "The differences are of mean steps: in such a time, asynchronous workers complete one iteration each, on "
           "average.";
  return "Steps differ, so the differences are of their means.";
}

bool SideBySide::knows_samples() const {
  return std::ranges::all_of(columns, [](const CompareColumn& c) { return c.samples_per_s.has_value(); });
}

std::size_t SideBySide::best() const {
  // Per sample, because a step of more ranks or batches may take longer and yet do more.
  const bool known = knows_samples();
  const auto cost = [&](const CompareColumn& c) { return known ? 1 / *c.samples_per_s : c.step.cost(); };
  constexpr double rounding = 1e-9;
  const double least = cost(*std::ranges::min_element(columns, {}, cost));
  const auto is_best = [&](const CompareColumn& c) { return cost(c) <= least * (1 + rounding); };
  return static_cast<std::size_t>(std::ranges::find_if(columns, is_best) - columns.begin());
}

std::vector<StepWarning> SideBySide::warnings() const {
  std::vector<StepWarning> all;
  for (const CompareColumn& column : columns) add_warnings(all, column.name, column.step.warnings);
  return all;
}

std::vector<std::string> SideBySide::differences() const {
  std::vector<std::string> lines;
  for (std::size_t c = 1; c < columns.size(); ++c) lines.push_back(difference_text(columns.front(), columns[c]));
  return lines;
}

std::string compare_json(const SideBySide& table) {
  Json object;
  object["columns"] = Json::array();
  object["bound_by"] = Json::array();
  for (const CompareColumn& column : table.columns) {
    object["columns"].push_back(column.name);
    object["bound_by"].push_back(column.step.bounds.empty() ? Json()
                                                            : Json(bounding_name(column.step.bounds.front().what)));
  }
  object["rows"] = Json::array();
  for (const SideBySide::Row& row : table.rows()) {
    Json values = Json::array();
    for (const auto& value : row.values) values.push_back(value ? Json(*value) : Json());
    object["rows"].push_back({{"quantity", row.quantity}, {"unit", row.unit}, {"values", std::move(values)}});
  }
  object["best"] = table.columns[table.best()].name;
  object["differences"] = Json::array();
  const CompareColumn& first = table.columns.front();
  for (std::size_t i = 1; i < table.columns.size(); ++i) {
    const CompareColumn& other = table.columns[i];
    Json parts = Json::object();
    for (const auto& [part, seconds] :
         differences(first.step.mean_path, other.step.mean_path, std::max(first.step.mean_time, other.step.mean_time)))
      parts[std::string(part_name(part)) + "_s"] = seconds;
    object["differences"].push_back(
        {{"column", other.name},
         {"against", first.name},
         {table.of_means() ? "mean_iteration_time_s" : "iteration_time_s", other.step.mean_time - first.step.mean_time},
         {"parts", std::move(parts)}});
    if (table.with_failures()) object["differences"].back()["with_failures_s"] = other.step.cost() - first.step.cost();
  }
  for (const StepWarning& warning : table.warnings())
    object["warnings"].push_back({{"columns", warning.of}, {"text", warning.text}});
  return json_text(object);
}

std::string compare_text(const SideBySide& table) {
  const auto rows = table.rows();
  std::size_t label = 0;
  for (const auto& row : rows) label = std::max(label, row.quantity.size());
  std::vector<std::size_t> widths;
  std::string text(label, ' '), bound = fmt::format("{:<{}}", "bound by", label);
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const CompareColumn& column = table.columns[c];
    const std::string name = visible(column.name);
    const std::string what = column.step.bounds.empty() ? "-" : first_nouns(column.step.bounds);
    std::size_t width = std::max(name.size(), what.size());
    for (const auto& row : rows) width = std::max(width, value_text(row, c).size());
    widths.push_back(width);
    text += fmt::format("  {:>{}}", name, width);
    bound += fmt::format("  {:>{}}", what, width);
  }
  text += '\n' + bound + '\n';
  for (const auto& row : rows) {
    text += fmt::format("{:<{}}", row.quantity, label);
    for (std::size_t c = 0; c < widths.size(); ++c) text += fmt::format("  {:>{}}", value_text(row, c), widths[c]);
    text += '\n';
  }
  text += fmt::format("\nbest: {} ({})\n", visible(table.columns[table.best()].name), table.merit());
  if (const std::string basis = table.basis(); !basis.empty()) text += visible(basis) + '\n';
  for (const std::string& line : table.differences()) text += visible(line) + '\n';
  for (const StepWarning& warning : table.warnings()) text += visible(sentence(warning, table.columns.size())) + '\n';
  return text;
}

} // namespace gradflight
