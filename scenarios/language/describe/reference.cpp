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
    return fmt::format("a list{}, each item {}{}", shape.min_items > 0 ? " (not empty)" : "",
                       shape_text(shape.parts[0]), rows_by_path_text(shape, "; or"));
  case Shape::Kind::map: return "an object, each value " + shape_text(shape.parts[0]);
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

/// The names that a value can have, with a meaning each. A long list would overfill the cell of its key.
struct NamedChoices {
  std::string introduction;
  std::vector<std::string> names; ///< in the order of the documentation; "NAME: MEANING."
  bool empty() const { return names.empty(); }
};

/// Splits the documentation "INTRODUCTION. NAME: MEANING. NAME: MEANING." of a field at the names. Empty unless the
/// field has at least `long_list` choices and the documentation explains each of them.
NamedChoices named_choices(const FieldInfo& field) {
  constexpr std::size_t long_list = 12;
  const Shape& shape = field.shape.kind == Shape::Kind::any ? field.shape.parts.front() : field.shape;
  if (shape.kind != Shape::Kind::choice || shape.choices.size() < long_list) return {};
  auto names = shape.choices;
  if (&shape != &field.shape)
    for (const auto& part : field.shape.parts)
      if (part.kind == Shape::Kind::object)
        for (const auto& other : part.table->fields) names.push_back(other.key);
  std::vector<std::size_t> starts;
  for (const auto& name : names) {
    const auto at = field.doc.find(fmt::format(". {}: ", name));
    if (at == std::string::npos) return {};
    starts.push_back(at + 2);
  }
  std::ranges::sort(starts);
  NamedChoices found{field.doc.substr(0, starts.front() - 1), {}};
  for (std::size_t i = 0; i < starts.size(); ++i)
    found.names.push_back(i + 1 < starts.size() ? field.doc.substr(starts[i], starts[i + 1] - starts[i] - 1)
                                                : field.doc.substr(starts[i]));
  return found;
}

/// Returns the heading of the list of choices, and the link to it.
std::string choices_heading(const FieldInfo& field) { return fmt::format("Values of {}", field.key); }
std::string choices_link(const FieldInfo& field) {
  return fmt::format("one of [these names](#values-of-{})", field.key);
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
    std::string lists;
    for (const auto& field : section.table->fields) {
      const auto choices = named_choices(field);
      std::string value = shape_text(field.shape), doc = field.doc;
      if (!choices.empty()) {
        const bool any = field.shape.kind == Shape::Kind::any;
        value = choices_link(field);
        if (any)
          for (std::size_t i = 1; i < field.shape.parts.size(); ++i)
            value += "; or " + shape_text(field.shape.parts[i]);
        doc = choices.introduction;
        lists += fmt::format("\n### {}\n\n", choices_heading(field));
        for (const auto& name : choices.names) lists += fmt::format("* {}\n", name);
      }
      out += fmt::format("| `{}` | {}{} | {} | {}{} |\n", field.key, escaped(value),
                         field.shape.nullable ? " or null" : "", column.text(field), escaped(doc),
                         field.only.empty() ? "" : " Only with " + field.only + ".");
    }
    out += lists;
  }
  return out;
}

/// Returns the keys of a table in a line; a key with an object links to the section of that object.
std::string keys_line(const TableInfo& table) {
  std::string line;
  for (const auto& field : table.fields) {
    std::vector<Section> inside;
    collect(field.shape, "", inside);
    line += line.empty() ? "" : ", ";
    line += inside.empty() ? fmt::format("`{}`", field.key)
                           : fmt::format("[`{}`](#{})", field.key, inside.front().table->name);
  }
  return line;
}

/// Returns a table of sections with their keys: the files, and the objects that every scenario contains.
std::string contents_text(const std::vector<Section>& sections) {
  std::string out = "| section | keys |\n| --- | --- |\n";
  for (const auto& section : sections) {
    const auto& name = section.table->name;
    if (!section.table->kind.key.empty() || name == "training" || name == "exchange")
      out += fmt::format("| [{}](#{}) | {} |\n", name, name, keys_line(*section.table));
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
      R"page(# Scenario reference

This page lists every key of the files that Gradflight reads. This scenario has the keys that nearly every scenario needs:
```console
$ cat scenarios/examples/ring.json
{
...
  "platform": {
    "nodes": 8,
    "network": { "topology": "star", "link": { "bandwidth": "10Gbps", "latency": "5us" } },
    "reduce_bandwidth": "10GB/s"
  },
  "workload": { "tensors": [{ "name": "g", "bytes": "100MB" }] },
  "training": { "exchange": { "algorithm": "ring" } }
}
$ build/gradflight run scenarios/examples/ring.json --set platform.network.link.bandwidth=25Gbps
...
  iteration     64.89 ms
...
```
Join keys by dots to get a path. `--set PATH=VALUE` changes a value, as above, and `explain PATH` explains it:
```console
$ build/gradflight explain platform.network.link.latency
platform.network.link.latency
  One-way latency. Alpha is the sum of the latencies along a route plus message_overhead.
  value    a time such as "5us"
  units    s, ms, us, ns, min, h, d
  default  "0s"
```
Quantities are texts with [units](units.md). The page is generated from the field tables (`scenarios/language/*/tables_*.cpp`), and a
test compares them.

)page"
      "Unknown keys are errors. A key that has no effect with the chosen setting is an error, too. An object marked\n"
      "*extends* may name a file to start from, relative to the file with this key: `\"extends\": \"base.json\"`. "
      "Objects\n"
      "merge, and all other values replace the inherited one. `null` removes an inherited key. `granularity` and\n"
      "`overlap` replace as a whole. Editors use `\"$schema\"`; Gradflight ignores it.\n\n"
      "The key `\"kind\"` says what a file contains: ";
  std::string kinds;
  for (const auto& section : sections)
    if (!section.table->kind.key.empty())
      kinds += fmt::format("{}`\"{}\"`", kinds.empty() ? "" : ", ", section.table->kind.shape.choices.front());
  out += kinds +
         ". If the key is absent, the file has the kind that the command, or the file that names it, expects. If\n"
         "several are possible, Gradflight takes the kind that has all its required keys, or else a scenario.\n\n"
         "These are the files and the largest sections. A key with a link has keys of its own:\n\n" +
         contents_text(sections);
  return out + sections_text(sections, {"default", [](const FieldInfo& field) {
                                          return field.required               ? std::string("required")
                                                 : field.default_text.empty() ? std::string("-")
                                                                              : "`" + field.default_text + "`";
                                        }});
}

std::string reference_text(const TableInfo& table, const std::string& introduction) {
  std::vector<Section> sections;
  collect({.kind = Shape::Kind::object, .table = &table}, "", sections);
  return introduction + "\nA key with a link has keys of its own.\n" +
         sections_text(sections, {"unit", [](const FieldInfo& field) {
                                    return field.unit.empty() ? std::string("-") : field.unit;
                                  }});
}

} // namespace gradflight
