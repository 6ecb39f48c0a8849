#include "scenarios/language/describe/describe.hpp"
#include "scenarios/language/packs/pack_tables.hpp"
#include "scenarios/language/sweeps/sweep_tables.hpp"
#include "scenarios/language/tables/tables.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace gradflight {
namespace {

struct Section {
  std::string path;
  const TableInfo* table;
};

/// Collects every object of a scenario with the first path to it, parents before children.
void collect(const Shape& shape, const std::string& path, std::vector<Section>& sections) {
  if (shape.kind == Shape::Kind::object) {
    if (std::ranges::find(sections, shape.table, &Section::table) != sections.end()) return;
    sections.push_back({path, shape.table});
    for (const auto& field : shape.table->fields)
      collect(field.shape, path.empty() ? field.key : path + "." + field.key, sections);
  }
  for (const auto& part : shape.parts)
    collect(part,
            shape.kind == Shape::Kind::list  ? path + "[]"
            : shape.kind == Shape::Kind::map ? path + ".*"
                                             : path,
            sections);
}

std::string shape_text(const Shape& shape) {
  switch (shape.kind) {
  case Shape::Kind::object: {
    const auto name = shape.table->name;
    return fmt::format("[{}](#{}){}", name, name, shape.table->by_path ? " or a path" : "");
  }
  case Shape::Kind::list:
    return fmt::format("list{} of: {}{}", shape.min_items > 0 ? " (not empty)" : "", shape_text(shape.parts[0]),
                       rows_by_path_text(shape, "; or"));
  case Shape::Kind::map: return "object of: " + shape_text(shape.parts[0]);
  case Shape::Kind::any: {
    std::string text;
    for (const auto& part : shape.parts) text += (text.empty() ? "" : "; or ") + shape_text(part);
    return text;
  }
  default: return describe(shape);
  }
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

/// A column of the reference: a title, and the text for each key.
struct Column {
  const char* title;
  std::string (*text)(const FieldInfo& field);
};

std::string sections_text(const std::vector<Section>& sections, const Column& column) {
  std::string out;
  for (const auto& section : sections) {
    out += fmt::format("\n## {}\n\n{}{}{}\n\n", section.table->name,
                       section.path.empty() ? "" : "`" + section.path + "`: ", section.table->doc,
                       section.table->extendable ? " *extends*" : "");
    out += fmt::format("| key | value | {} | meaning |\n| --- | --- | --- | --- |\n", column.title);
    for (const auto& field : section.table->fields)
      out += fmt::format("| `{}` | {}{} | {} | {}{} |\n", field.key, escaped(shape_text(field.shape)),
                         field.shape.nullable ? " or null" : "", column.text(field), escaped(field.doc),
                         field.only.empty() ? "" : " Only with " + field.only + ".");
  }
  return out;
}

} // namespace

std::string reference_text() {
  std::vector<Section> sections;
  collect(object(scenario_table()).shape, "", sections);
  collect(object(sweep_table()).shape, "sweep", sections);
  collect(object(pack_table()).shape, "pack", sections);
  collect(object(fits_table()).shape, "fits", sections);
  collect(object(published_table()).shape, "published[]", sections);
  collect(object(measured_pack_table()).shape, "measured", sections);
  std::string out =
      "# Scenario reference\n\n"
      "This page lists every key of the files that Gradflight reads. `gradflight explain PATH` explains one of them. "
      "The\n"
      "page is generated from the field tables (`scenarios/language/*/tables_*.cpp`), and a test compares them.\n"
      "Quantities are texts with [units](units.md).\n\n"
      "Unknown keys are errors. A key that has no effect with the chosen setting is an error, too. An object marked\n"
      "*extends* may name a file to start from, relative to the file with this key: `\"extends\": \"base.json\"`. "
      "Objects\n"
      "merge, and all other values replace the inherited one. `null` removes an inherited key. `granularity` and\n"
      "`overlap` replace as a whole. Editors use `\"$schema\"`; Gradflight ignores it.\n\n"
      "The key `\"kind\"` says what a file is: ";
  std::string kinds;
  for (const auto& section : sections)
    if (!section.table->kind.key.empty())
      kinds += fmt::format("{}`\"{}\"`", kinds.empty() ? "" : ", ", section.table->kind.shape.choices.front());
  out += kinds + ". " + scenario_table().info.kind.doc + "\n";
  return out + sections_text(sections, {"default", [](const FieldInfo& field) {
                                          return field.required               ? std::string("required")
                                                 : field.default_text.empty() ? std::string("-")
                                                                              : "`" + field.default_text + "`";
                                        }});
}

std::string reference_text(const TableInfo& table, const std::string& introduction) {
  std::vector<Section> sections;
  collect({.kind = Shape::Kind::object, .table = &table}, "", sections);
  return introduction + sections_text(sections, {"unit", [](const FieldInfo& field) {
                                                   return field.unit.empty() ? std::string("-") : field.unit;
                                                 }});
}

} // namespace gradflight
