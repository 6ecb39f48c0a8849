#include "scenarios/language/sweeps/sweep_points.hpp"

#include "models/digest.hpp"
#include "scenarios/language/decode/canonical.hpp"
#include "scenarios/language/decode/decode.hpp"
#include "scenarios/language/decode/inherit.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace gradflight {
namespace {

std::int64_t combinations(const Sweep& sweep) {
  std::int64_t count = 1;
  for (const auto& axis : sweep.axes) count *= static_cast<std::int64_t>(axis.size());
  return count;
}

/// Which value each axis has.
std::vector<std::size_t> places_at(const Sweep& sweep, std::int64_t combination) {
  std::vector<std::size_t> places(sweep.axes.size());
  for (std::size_t i = sweep.axes.size(); i-- > 0;) {
    const auto size = static_cast<std::int64_t>(sweep.axes[i].size());
    places[i] = static_cast<std::size_t>(combination % size);
    combination /= size;
  }
  return places;
}

std::string invalid_id(const Node& root) {
  return digest(json_text_sorted(root) + std::string(model_version)) + "-invalid";
}

constexpr const char* suffix_of(Dimension dimension) {
  switch (dimension) {
  case Dimension::time: return "_s";
  case Dimension::bytes: return "_bytes";
  case Dimension::byte_rate: return "_bytes_per_s";
  case Dimension::flops: return "_flop";
  case Dimension::flop_rate: return "_flop_per_s";
  case Dimension::time_per_byte: return "_s_per_byte";
  }
  return "";
}

std::optional<double> in_dimension(const Node& value, Dimension dimension) {
  if (value.kind != Node::Kind::text) return std::nullopt;
  try {
    return parse_quantity(value.text, dimension);
  } catch (const UnitError&) {
    return std::nullopt;
  }
}

std::optional<Dimension> common_dimension(const std::vector<Node>& values) {
  for (const auto dimension : dimensions)
    if (std::ranges::all_of(values, [&](const Node& value) { return in_dimension(value, dimension).has_value(); }))
      return dimension;
  return std::nullopt;
}

} // namespace

std::vector<std::int64_t> selected_combinations(const Sweep& sweep) {
  const auto count = combinations(sweep);
  std::vector<std::int64_t> selected;
  // Each value is looked at once, not once a combination.
  std::vector<std::vector<WhereValue>> seen;
  for (const auto* column : sweep.columns()) {
    auto& values = seen.emplace_back();
    if (sweep.where) std::ranges::transform(column->values, std::back_inserter(values), where_value);
  }
  std::vector<WhereValue> values(seen.size());
  for (std::int64_t combination = 0; combination < count; ++combination) {
    if (sweep.where) {
      const auto places = places_at(sweep, combination);
      std::size_t column = 0;
      for (std::size_t i = 0; i < sweep.axes.size(); ++i)
        for (std::size_t k = 0; k < sweep.axes[i].paths.size(); ++k, ++column) values[column] = seen[column][places[i]];
      if (!sweep.where->holds(values)) continue;
    }
    selected.push_back(combination);
  }
  return selected;
}

std::vector<const Node*> values_at(const Sweep& sweep, std::int64_t combination) {
  const auto places = places_at(sweep, combination);
  std::vector<const Node*> values;
  for (std::size_t i = 0; i < sweep.axes.size(); ++i)
    for (const auto& path : sweep.axes[i].paths) values.push_back(&path.values[places[i]]);
  return values;
}

SweepPoint point_at(const Sweep& sweep, std::int64_t combination) {
  SweepPoint point;
  point.combination = combination;
  Document document{sweep.base, sweep.sources, {}, true, &scenario_file()};
  const auto columns = sweep.columns();
  const auto values = values_at(sweep, combination);
  for (std::size_t i = 0; i < columns.size(); ++i)
    set_value(document.root, columns[i]->path, *values[i], first_character(columns[i]->position), document.problems);
  fill_in_items(document.root, document.form->shape);
  try {
    if (!document.problems.empty()) refuse(document);
    point.scenario = decode_scenario(document, sweep.name, {});
    point.id = scenario_id(*point.scenario);
  } catch (const InputErrors& errors) {
    point.errors = errors.diagnostics();
    point.id = invalid_id(document.root);
  }
  return point;
}

std::string brief_message(const std::vector<Diagnostic>& errors) {
  std::string text;
  for (const auto& error : errors) {
    if (!text.empty()) text += "; ";
    if (!error.pointer.empty()) text += error.pointer + ": ";
    text += error.message;
  }
  return text;
}

std::vector<PathColumn> path_columns(const Sweep& sweep) {
  std::vector<PathColumn> columns;
  for (const auto* values : sweep.columns()) {
    PathColumn column{values->path, values->path, common_dimension(values->values)};
    if (column.dimension) {
      const std::string suffix = suffix_of(*column.dimension);
      if (!column.path.ends_with(suffix) && !column.path.ends_with("." + suffix.substr(1))) column.name += suffix;
    }
    columns.push_back(std::move(column));
  }
  return columns;
}

Cell path_cell(const PathColumn& column, const Node& value) {
  if (column.dimension) return in_dimension(value, *column.dimension).value();
  switch (value.kind) {
  case Node::Kind::null: return {};
  case Node::Kind::boolean: return std::string(value.boolean ? "true" : "false");
  case Node::Kind::integer: return value.integer;
  case Node::Kind::number: return value.number;
  case Node::Kind::text: return value.text;
  default: return brief_text(value, static_cast<std::size_t>(-1) / 2);
  }
}

} // namespace gradflight
