#include "base/nearest_name.hpp"
#include "scenarios/language/describe/describe.hpp"
#include "scenarios/language/packs/pack_tables.hpp"
#include "scenarios/language/sweeps/sweep_tables.hpp"
#include "scenarios/language/tables/tables.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <span>
#include <string_view>

namespace gradflight {
namespace {

std::vector<std::string> split(std::string_view path) {
  std::vector<std::string> tokens;
  std::string token;
  const auto flush = [&] {
    if (!token.empty()) tokens.push_back(std::exchange(token, {}));
  };
  for (const char c : path) {
    if (c == '.' || c == '[') flush();
    if (c != '.') token += c;
  }
  flush();
  return tokens;
}

bool names_item(const std::string& token) {
  if (token == "[]") return true;
  const auto digits = token.starts_with('[') && token.ends_with(']') ? token.substr(1, token.size() - 2) : token;
  return !digits.empty() && digits.find_first_not_of("0123456789") == std::string::npos;
}

bool has_key(const Shape& shape, const std::string& token) {
  return std::ranges::any_of(tables_in(shape), [&](const TableInfo* table) {
    return std::ranges::find(table->fields, token, &FieldInfo::key) != table->fields.end();
  });
}

const FieldInfo& child(const Shape& shape, const std::string& token, const std::string& so_far) {
  std::vector<std::string> names;
  for (const auto* table : tables_in(shape)) {
    for (const auto& field : table->fields) {
      if (field.key == token) return field;
      names.push_back(field.key);
    }
    if (!table->kind.key.empty() && token == table->kind.key) return table->kind;
  }
  const auto where = so_far.empty() ? std::string("a scenario") : fmt::format("\"{}\"", so_far);
  if (names.empty()) throw UnknownPath(fmt::format("{} has no keys: it is {}", where, describe(shape)));
  throw UnknownPath(fmt::format("{} has no key \"{}\"{}", where, token, did_you_mean(token, names)));
}

/// Items of a result's lists also go by their names, which may contain dots: "links.node0.up.busy_s". Returns how many
/// of these words, which begin with no key, are such a name: all before a key, or before the last one.
std::size_t parts_of_name(std::span<const std::string> words, const Shape& item) {
  if (!has_key(item, "name")) return 0;
  const auto key = std::ranges::find_if(words, [&](const std::string& word) { return has_key(item, word); });
  return key == words.end() ? words.size() - 1 : static_cast<std::size_t>(key - words.begin());
}

std::string_view first_sentence(std::string_view doc) {
  for (std::size_t end = doc.find(". "); end != std::string_view::npos; end = doc.find(". ", end + 1)) {
    const char next = doc[end + 2];
    if (next < '0' || next > '9') return doc.substr(0, end); // not the point in "Fig. 3"
  }
  return doc.substr(0, doc.size() - 1);
}

void list_children(const Shape& shape, std::string& out) {
  const auto* list = list_in(shape);
  if (list != nullptr && tables_in(list->parts[0]).empty()) list = nullptr; // other alternatives may have keys
  const bool map = shape.kind == Shape::Kind::map;
  const auto& holder = list != nullptr ? list->parts[0] : map ? shape.parts[0] : shape;
  const auto tables = tables_in(holder);
  if (tables.empty()) return;
  out += list != nullptr ? "\nKeys of an item:\n" : map ? "\nKeys of a value:\n" : "\nKeys:\n";
  for (const auto* table : tables) {
    for (const auto& field : table->fields) {
      out += fmt::format("  {:<18} {}\n", field.key, first_sentence(field.doc));
    }
    if (const auto& kind = table->kind; !kind.key.empty())
      out += fmt::format("  {:<18} {}\n", kind.key, first_sentence(kind.doc));
  }
}

/// Returns the shape where the path begins, and its name; the name is empty for a scenario.
std::pair<Shape, std::string> root_of(std::string_view path, const TableInfo* written) {
  // Other kinds of files, by the first word of a path. No key of a scenario has one of these names.
  static const std::array<const FileForm*, 5> others = {&sweep_file(), &pack_file(), &fits_file(), &published_file(),
                                                        &measured_pack_file()};
  const auto first = path.substr(0, path.find_first_of(".["));
  const auto found = std::ranges::find(others, first, &FileForm::kind);
  if (found != others.end()) return {(*found)->shape, (*found)->kind};
  const auto scenario = object(scenario_table()).shape;
  if (written == nullptr) return {scenario, {}};
  const Shape result{.kind = Shape::Kind::object, .table = written};
  const std::string key(first);
  const bool meant = key == written->name || (!has_key(scenario, key) && has_key(result, key));
  return meant ? std::pair(result, written->name) : std::pair(scenario, std::string());
}

} // namespace

std::string explain_text(std::string_view path, const TableInfo* written) {
  const auto [root, name] = root_of(path, written);
  if (path.starts_with(name)) path.remove_prefix(name.size());
  const Shape* shape = &root;
  const FieldInfo* field = nullptr;
  std::string so_far = name;
  const std::vector<std::string> tokens = split(path);
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    const std::string& token = tokens[t];
    if (shape->kind == Shape::Kind::map) {
      shape = &shape->parts[0];
      so_far += ".*";
      field = nullptr;
      continue;
    }
    if (const auto* list = list_in(*shape); list != nullptr && !has_key(*shape, token)) {
      shape = &list->parts[0];
      const bool of_result = written != nullptr && name == written->name;
      const std::size_t parts = names_item(token) ? 1
                                : of_result       ? parts_of_name(std::span(tokens).subspan(t), *shape)
                                                  : 0;
      if (parts > 0) {
        t += parts - 1;
        so_far += "[]";
        field = nullptr;
        continue;
      }
      so_far += "[]"; // layers.forward means layers[].forward
    }
    field = &child(*shape, token, so_far);
    so_far += so_far.empty() ? token : fmt::format(".{}", token);
    shape = &field->shape;
  }
  std::string out = so_far.empty() ? "scenario" : so_far;
  const auto& meaning = field != nullptr ? field->doc : shape->kind == Shape::Kind::object ? shape->table->doc : so_far;
  out += fmt::format("\n  {}\n", meaning);
  out += fmt::format("  value    {}{}\n", describe(*shape), shape->nullable ? " or null" : "");
  if (shape->kind == Shape::Kind::quantity) out += fmt::format("  units    {}\n", joined(unit_names(shape->dimension)));
  if (field != nullptr) {
    if (!field->unit.empty()) out += fmt::format("  unit     {}\n", field->unit);
    if (field->required && (written == nullptr || name != written->name)) out += "  required\n";
    if (!field->default_text.empty()) out += fmt::format("  default  {}\n", field->default_text);
    if (!field->only.empty()) out += fmt::format("  only     with {}\n", field->only);
  }
  list_children(*shape, out);
  return out;
}

} // namespace gradflight
