// The files of a sweep: its base, values that may be paths of files in a scenario, and axes in separate files.
#include "scenarios/language/decode/decode.hpp"
#include "scenarios/language/decode/resolver.hpp"
#include "scenarios/language/json/json_reader.hpp"
#include "scenarios/language/sweeps/axis_file.hpp"
#include "scenarios/language/sweeps/sweep_tables.hpp"
#include "scenarios/language/tables/tables.hpp"

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

void read_axes(Node& axes, const std::string& pointer, Resolver& resolver) {
  for (auto& [path, position, values] : axes.members) {
    const auto here = pointer + "/" + pointer_token(path);
    if (auto* zipped = values.find("zip")) read_axes(*zipped, here + "/zip", resolver);
    auto* listed = values.find("values");
    auto& own = listed != nullptr ? *listed : values;
    const auto* said = listed != nullptr ? values.find("path") : nullptr;
    const auto& changed = said != nullptr && said->kind == Node::Kind::text ? said->text : path;
    read_axis_file(changed, own, listed != nullptr ? here + "/values" : here, resolver);
    const auto* field = field_of(scenario_table().info, changed);
    if (field == nullptr || field->shape.table == nullptr || !field->shape.table->by_path) continue;
    for (std::size_t i = 0; i < own.items.size(); ++i)
      resolver.include(own.items[i], *field->shape.table,
                       fmt::format("{}{}/{}", here, listed != nullptr ? "/values" : "", i));
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
  if (auto* axes = root.find("axes")) read_axes(*axes, "/axes", resolver);
}

} // namespace

const FileForm& sweep_file() {
  static const FileForm form = [] {
    auto sweep = object_form(sweep_table().info);
    sweep.further = read_files;
    return sweep;
  }();
  return form;
}

} // namespace gradflight
