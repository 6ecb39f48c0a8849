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

/// Returns the table of the object at a dotted path below a value; null: there is none.
const TableInfo* object_at(const Shape& shape, std::string_view path) {
  const std::vector<const TableInfo*> tables = tables_in(shape);
  if (path.empty()) return tables.empty() ? nullptr : tables.front();
  const auto dot = path.find('.');
  const std::string_view key = path.substr(0, dot), rest = dot == std::string_view::npos ? "" : path.substr(dot + 1);
  for (const TableInfo* table : tables)
    if (const FieldInfo* field = field_of(*table, key)) return object_at(field->shape, rest);
  const Shape* list = list_in(shape); // then `key` is an item's number
  return list != nullptr ? object_at(list->parts.front(), rest) : nullptr;
}

/// The same from a scenario on.
const TableInfo* object_at(std::string_view path) { return object_at(object(scenario_table()).shape, path); }

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

class AxesReader {
public:
  AxesReader(Node* base, Resolver& resolver) : base_(base), resolver_(resolver) {}

  /// `zipped`: `axes` are the paths of one axis, which has labels of its own.
  void read(Node& axes, const std::string& pointer, bool zipped) {
    for (auto& [path, position, values] : axes.members) {
      const auto here = pointer + "/" + pointer_token(path);
      if (auto* together = values.find("zip")) read(*together, here + "/zip", true);
      auto* listed = values.find("values");
      auto& own = listed != nullptr ? *listed : values;
      const std::string items = listed != nullptr ? here + "/values" : here;
      const auto* said = listed != nullptr ? values.find("path") : nullptr;
      const auto& changed = said != nullptr && said->kind == Node::Kind::text ? said->text : path;
      read_axis_file(changed, own, items, resolver_);
      if (base_ != nullptr) leave_to_points(*base_, changed, resolver_.document().sources);
      const TableInfo* table = object_at(changed);
      if (table == nullptr || !table->by_path) continue;
      const std::vector<Node> names = own.items;
      const std::size_t problems = resolver_.document().problems.size();
      for (std::size_t i = 0; i < own.items.size(); ++i)
        resolver_.include(own.items[i], *table, fmt::format("{}/{}", items, i));
      if (!zipped && resolver_.document().problems.size() == problems) label_values(values, names);
    }
  }

private:
  Node* base_; // null: none
  Resolver& resolver_;
};

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
  if (auto* axes = root.find("axes")) AxesReader(root.find("base"), resolver).read(*axes, "/axes", false);
}

} // namespace

const TableInfo* catalogue_of(const std::string& path) {
  const auto dot = path.rfind('.');
  if (dot == std::string::npos || dot + 1 == path.size()) return nullptr;
  const TableInfo* table = object_at(std::string_view(path).substr(0, dot));
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
