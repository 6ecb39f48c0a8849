// The files of a sweep: its base, values that may be paths of files in a scenario, and axes in separate files.
#include "scenarios/language/decode/decode.hpp"
#include "scenarios/language/decode/machines.hpp"
#include "scenarios/language/decode/resolver.hpp"
#include "scenarios/language/json/json_reader.hpp"
#include "scenarios/language/sweeps/axis_file.hpp"
#include "scenarios/language/sweeps/sweep_tables.hpp"
#include "scenarios/language/tables/tables.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace gradflight {
namespace {

void read_axis_file(const std::string& path, Node& values, const std::string& pointer, Resolver& resolver) {
  const auto* named = values.find("file");
  if (named == nullptr || named->kind != Node::Kind::text) return;
  const auto* column = values.find("column");
  if (values.members.size() > 1 + (column != nullptr) || (column != nullptr && column->kind != Node::Kind::text))
    return; // decoding reports the mistake
  const auto name = resolver.beside(*named);
  const auto position = values.position, named_at = named->position;
  const std::size_t problems = resolver.unmended();
  const auto content = read_file(name);
  auto& document = resolver.document();
  // A pipe has no extension, so a column identifies a CSV file.
  const bool csv = name.ends_with(".csv") || (column != nullptr && std::filesystem::path(name).extension().empty());
  if (!content.error.empty()) {
    document.problems.push_back({named_at, pointer + "/file", fmt::format("\"{}\": {}", name, content.error)});
    return resolver.leave_out(values, problems);
  }
  auto list = axis_values(content.text, {path, csv, column ? column->text : std::string()}, document.sources.add(name),
                          pointer + "/file", document.problems);
  if (resolver.unmended() > problems) return resolver.leave_out(values, problems);
  values = Node::list(std::move(list));
  values.position = position;
}

const TableInfo* object_at(const TableInfo& table, std::string_view path);

/// Returns the table of the object at a dotted path below a value; null: there is none.
const TableInfo* object_below(const Shape& shape, std::string_view path) {
  if (shape.table != nullptr) return path.empty() ? shape.table : object_at(*shape.table, path);
  if (shape.kind == Shape::Kind::list) {
    const auto dot = path.find('.'); // behind an item's number
    return object_below(shape.parts.front(), dot == std::string_view::npos ? "" : path.substr(dot + 1));
  }
  if (shape.kind != Shape::Kind::any) return nullptr;
  for (const Shape& part : shape.parts)
    if (const TableInfo* found = object_below(part, path)) return found;
  return nullptr;
}

/// The same below an object.
const TableInfo* object_at(const TableInfo& table, std::string_view path) {
  const auto dot = path.find('.');
  const auto* field = field_of(table, path.substr(0, dot));
  if (field == nullptr) return nullptr;
  return object_below(field->shape, dot == std::string_view::npos ? "" : path.substr(dot + 1));
}

/// Drops what the base took from the catalogue, if an axis names other entries: each point reads its own one.
void leave_to_points(Node& base, const std::string& path, const Sources& sources) {
  const TableInfo* table = catalogue_of(path);
  if (table == nullptr) return;
  std::string parent = '/' + path.substr(0, path.rfind('.'));
  std::ranges::replace(parent, '.', '/');
  if (Node* object = node_at(base, parent)) drop_catalogued(*object, sources, table->catalogue_folders);
}

/// Labels values that were read from files or from the catalogue with their names.
void label_values(Node& axis, const std::vector<Node>& names) {
  const auto same = [&](const Node& name) {
    return std::ranges::count(names, name.text, &Node::text) == 1 && name.kind == Node::Kind::text;
  };
  if (names.empty() || !std::ranges::all_of(names, same)) return;
  if (axis.find("values") == nullptr) {
    Node listed = Node::object();
    listed.position = axis.position;
    listed.set("values", std::move(axis));
    axis = std::move(listed);
  }
  if (axis.find("labels") == nullptr) axis.set("labels", Node::list(names));
}

/// `zipped`: `axes` are the paths of one axis, which has labels of its own.
void read_axes(Node& axes, const std::string& pointer, Node* base, bool zipped, Resolver& resolver) {
  for (auto& [path, position, values] : axes.members) {
    const auto here = pointer + "/" + pointer_token(path);
    if (auto* together = values.find("zip")) read_axes(*together, here + "/zip", base, true, resolver);
    auto* listed = values.find("values");
    auto& own = listed != nullptr ? *listed : values;
    const auto* said = listed != nullptr ? values.find("path") : nullptr;
    const auto& changed = said != nullptr && said->kind == Node::Kind::text ? said->text : path;
    read_axis_file(changed, own, listed != nullptr ? here + "/values" : here, resolver);
    if (base != nullptr) leave_to_points(*base, changed, resolver.document().sources);
    const TableInfo* table = object_at(scenario_table().info, changed);
    if (table == nullptr || !table->by_path) continue;
    const std::vector<Node> names = own.items;
    const std::size_t problems = resolver.document().problems.size();
    for (std::size_t i = 0; i < own.items.size(); ++i)
      resolver.include(own.items[i], *table, fmt::format("{}{}/{}", here, listed != nullptr ? "/values" : "", i));
    if (!zipped && resolver.document().problems.size() == problems) label_values(values, names);
  }
}

void read_files(Node& root, Resolver& resolver) {
  if (auto* base = root.find("base")) {
    if (base->kind == Node::Kind::text) {
      const std::size_t before = resolver.unmended();
      if (auto scenario = resolver.file(resolver.beside(*base), {&scenario_file()}, base, "/base"))
        *base = std::move(*scenario);
      else
        resolver.leave_out(*base, before);
    } else {
      resolver.resolve(*base, {&scenario_file()}, "/base");
    }
    base->erase("kind"); // it identifies the file; it is not a setting
  }
  if (auto* axes = root.find("axes")) read_axes(*axes, "/axes", root.find("base"), false, resolver);
}

} // namespace

const TableInfo* catalogue_of(const std::string& path) {
  const auto dot = path.rfind('.');
  if (dot == std::string::npos || dot + 1 == path.size()) return nullptr;
  const TableInfo* table = object_at(scenario_table().info, path.substr(0, dot));
  return table != nullptr && table->catalogue_key == path.substr(dot + 1) ? table : nullptr;
}

const FileForm& sweep_file() {
  static const FileForm form = [] {
    auto sweep = object_form(sweep_table().info);
    sweep.further = read_files;
    return sweep;
  }();
  return form;
}

} // namespace gradflight
