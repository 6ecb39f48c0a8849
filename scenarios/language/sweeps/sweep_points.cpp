#include "scenarios/language/sweeps/sweep_points.hpp"

#include "base/digest.hpp"
#include "scenarios/language/decode/canonical.hpp"
#include "scenarios/language/decode/decode.hpp"
#include "scenarios/language/decode/inherit.hpp"
#include "scenarios/language/decode/resolver.hpp"
#include "scenarios/language/sweeps/sweep_tables.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace gradflight {
namespace {

std::int64_t combinations(const Sweep& sweep) {
  std::int64_t count = 1;
  for (const auto& axis : sweep.axes) count *= static_cast<std::int64_t>(axis.size());
  return count;
}

std::string invalid_id(const Node& root) {
  return digest(json_text_sorted(root) + std::string(model_version)) + "-invalid";
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

std::vector<std::size_t> places_at(const Sweep& sweep, std::int64_t combination) {
  std::vector<std::size_t> places(sweep.axes.size());
  for (std::size_t i = sweep.axes.size(); i-- > 0;) {
    const auto size = static_cast<std::int64_t>(sweep.axes[i].size());
    places[i] = static_cast<std::size_t>(combination % size);
    combination /= size;
  }
  return places;
}

std::vector<std::int64_t> selected_combinations(const Sweep& sweep) {
  const auto count = combinations(sweep);
  std::vector<std::int64_t> selected;
  const auto columns = axis_columns(sweep);
  const auto names = axis_names(columns).columns;
  // Convert each value once, not once per combination.
  std::vector<std::vector<WhereValue>> seen(names.size());
  if (sweep.where)
    for (std::size_t i = 0; i < names.size(); ++i)
      std::ranges::transform(*columns[names[i]].values, std::back_inserter(seen[i]), where_value);
  std::vector<WhereValue> values(seen.size());
  for (std::int64_t combination = 0; combination < count; ++combination) {
    if (sweep.where) {
      const auto places = places_at(sweep, combination);
      for (std::size_t i = 0; i < names.size(); ++i) values[i] = seen[i][places[columns[names[i]].axis]];
      if (!sweep.where->holds(values)) continue;
    }
    selected.push_back(combination);
  }
  return selected;
}

SweepPoint point_at(const Sweep& sweep, std::int64_t combination) {
  SweepPoint point;
  point.combination = combination;
  Document document{
      .root = sweep.base, .sources = sweep.sources, .problems = {}, .complete = true, .form = &scenario_file()};
  const auto places = places_at(sweep, combination);
  for (std::size_t i = 0; i < sweep.axes.size(); ++i)
    for (const auto& path : sweep.axes[i].paths)
      set_value(document.root, path.path, path.values[places[i]], first_character(path.position), document.problems);
  const auto names_entry = [](const SweepAxis& axis) {
    return std::ranges::any_of(axis.paths, [](const AxisValues& of) { return catalogue_of(of.path) != nullptr; });
  };
  if (std::ranges::any_of(sweep.axes, names_entry)) {
    const std::vector<Replacement> none;
    Resolver(document, none).resolve(document.root, {document.form}, "");
  }
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

const char* suffix_of(Dimension dimension) {
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

std::optional<Dimension> dimension_of_column(std::string_view name) {
  std::optional<Dimension> found; // the longest suffix counts: "_bytes_per_s" ends with "_s", too
  for (const auto dimension : dimensions)
    if (name.ends_with(suffix_of(dimension)) &&
        (!found || std::string_view(suffix_of(dimension)).size() > std::string_view(suffix_of(*found)).size()))
      found = dimension;
  return found;
}

std::string with_suffix(const std::string& name, Dimension dimension) {
  const std::string suffix = suffix_of(dimension);
  return name.ends_with(suffix) || name.ends_with("." + suffix.substr(1)) ? name : name + suffix;
}

std::vector<AxisColumn> axis_columns(const Sweep& sweep) {
  std::vector<AxisColumn> columns;
  for (std::size_t i = 0; i < sweep.axes.size(); ++i) {
    const auto& axis = sweep.axes[i];
    const bool named = axis.zipped || axis.name != axis.paths.front().path;
    if (!axis.labels.empty()) columns.push_back({axis.name, axis.name, axis.name, {}, i, &axis.labels, false});
    if (!axis.labels.empty() && !named) continue;
    for (const auto& path : axis.paths) {
      const auto dimension = common_dimension(path.values);
      const auto& name = axis.zipped || !axis.labels.empty() ? path.path : axis.name;
      columns.push_back({path.path, name, dimension ? with_suffix(name, *dimension) : name, dimension, i, &path.values,
                         !axis.labels.empty()});
    }
  }
  return columns;
}

AxisNames axis_names(const std::vector<AxisColumn>& columns) {
  AxisNames names;
  const auto add = [&](const std::string& name, std::size_t column) {
    names.names.push_back(name);
    names.columns.push_back(column);
  };
  for (std::size_t i = 0; i < columns.size(); ++i) {
    add(columns[i].path, i);
    if (columns[i].axis_name != columns[i].path) add(columns[i].axis_name, i);
  }
  return names;
}

Cell axis_cell(const AxisColumn& column, const Node& value) {
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
