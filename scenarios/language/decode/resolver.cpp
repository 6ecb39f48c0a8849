#include "scenarios/language/decode/resolver.hpp"

#include "base/input_file.hpp"
#include "base/nearest_name.hpp"
#include "base/other_file.hpp"
#include "base/paths.hpp"
#include "scenarios/language/decode/csv_objects.hpp"
#include "scenarios/language/decode/decode.hpp"
#include "scenarios/language/decode/inherit.hpp"
#include "scenarios/language/decode/machines.hpp"
#include "scenarios/language/decode/swf_objects.hpp"
#include "scenarios/language/json/json_reader.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace gradflight {

namespace fs = std::filesystem;

namespace {

enum class RowsFormat { json, csv, swf };

/// Decides by the file's extension. A pipe has no extension, so its first character decides. JSON begins with a
/// bracket. SWF begins with a number or a comment. CSV begins with neither.
RowsFormat rows_format(const std::string& path, std::string_view text, bool swf) {
  if (path.ends_with(".csv")) return RowsFormat::csv;
  if (swf && path.ends_with(".swf")) return RowsFormat::swf;
  if (path.ends_with(".json")) return RowsFormat::json;
  const std::size_t at = text.find_first_not_of(" \t\r\n");
  const char first = at == std::string_view::npos ? '[' : text[at];
  if (first == '[' || first == '{') return RowsFormat::json;
  return swf && (first == ';' || (first >= '0' && first <= '9')) ? RowsFormat::swf : RowsFormat::csv;
}

} // namespace

std::optional<Node> Resolver::file(const std::string& path, const FileForms& forms, const Node* from,
                                   const std::string& pointer, const std::string& key) {
  const auto complain = [&](const std::string& message) {
    if (from != nullptr)
      document_.problems.push_back({from->position, pointer + key, message});
    else
      document_.problems.push_back({{document_.sources.add(path), 0, 0}, "", message});
    return std::nullopt;
  };
  const auto prefix = from == nullptr ? std::string() : fmt::format("\"{}\": ", path);
  const auto identity = real_path(path);
  const bool cyclic = std::ranges::find(chain_, identity, &Link::identity) != chain_.end();
  if (cyclic) return complain("these files include each other in a cycle: " + chain_text(path));
  if (chain_.size() >= static_cast<std::size_t>(max_include_depth))
    return complain(fmt::format("files include each other more than {} deep: {}", max_include_depth, chain_text(path)));
  auto content = read_file(path);
  if (!content.error.empty()) return complain(prefix + content.error);
  constexpr std::size_t begin_bytes = 65536;
  const std::string_view begin = std::string_view(content.text).substr(0, begin_bytes);
  if (const auto other = other_file(begin); !other.empty()) return complain(prefix + other);
  if (const auto log = benchmark_log(begin); !log.empty()) return complain(prefix + log);
  auto node = text(content.text, path, identity, forms, pointer);
  if (node && from != nullptr && forms.size() == 1)
    if (const std::string other = other_kind(*node, *forms.front()); !other.empty()) return complain(prefix + other);
  return node;
}

std::optional<Node> Resolver::text(const std::string& content, const std::string& path, const fs::path& identity,
                                   const FileForms& forms, const std::string& pointer) {
  auto node = parse_json(content, document_.sources.add(path), document_.problems);
  if (!node) return std::nullopt;
  replace_literals(*node, identity);
  chain_.push_back({path, identity});
  resolve(*node, forms, pointer);
  chain_.pop_back();
  return node;
}

void Resolver::resolve(Node& node, const FileForms& forms, const std::string& pointer) {
  if (node.kind != Node::Kind::object || node.unread) return;
  node.erase("$schema"); // a hint for editors, not a setting
  const auto said = possible_forms(node, pointer, forms, document_.problems);
  // This comes before "extends", because paths are relative to this file. The extended file may also define the kind.
  if (const auto* table = form_of(node, said).table()) include_parts(node, *table, pointer);
  extend(node, said, pointer);
  if (const auto& form = form_of(node, said); form.table() != nullptr && !form.table()->catalogue_key.empty())
    start_from_catalogue(node, form, pointer);
  if (const auto& form = form_of(node, possible_forms(node, pointer, said, document_.problems)); form.further)
    form.further(node, *this);
}

/// Also handles objects in lists, because their parts may be files.
void Resolver::include_parts(Node& node, const TableInfo& table, const std::string& pointer) {
  for (const auto& field : table.fields) {
    auto* part = node.find(field.key);
    if (part == nullptr) continue;
    const auto at = pointer + "/" + pointer_token(field.key);
    if (field.shape.table != nullptr && field.shape.table->by_path)
      include(*part, *field.shape.table, at);
    else if (field.shape.kind == Shape::Kind::object && part->kind == Node::Kind::object)
      include_parts(*part, *field.shape.table, at);
    if (field.shape.kind == Shape::Kind::any)
      for (const Shape& shape : field.shape.parts) include_alternative(*part, shape, at);
    else if (field.shape.kind == Shape::Kind::list)
      include_alternative(*part, field.shape, at);
  }
}

void Resolver::include_alternative(Node& part, const Shape& shape, const std::string& pointer) {
  if (shape.kind == Shape::Kind::object && part.kind == Node::Kind::object && shape.table->has_rows)
    include_parts(part, *shape.table, pointer);
  if (shape.kind != Shape::Kind::list || shape.parts.front().table == nullptr) return;
  const TableInfo& table = *shape.parts.front().table;
  if (shape.rows_by_path) include_rows(part, table, shape.rows_by_swf, pointer);
  if (part.kind != Node::Kind::list) return;
  for (std::size_t i = 0; i < part.items.size(); ++i)
    if (part.items[i].kind == Node::Kind::object) include_parts(part.items[i], table, fmt::format("{}/{}", pointer, i));
}

void Resolver::include(Node& part, const TableInfo& table, const std::string& pointer) {
  if (part.unread) return; // a second reading would report the same
  const FileForm form = object_form(table);
  if (const auto& key = table.catalogue_key;
      part.kind == Node::Kind::text && !key.empty() && !names_file(part.text, beside(part))) {
    auto named = Node::object();
    named.position = part.position;
    named.set(key, part);
    missing_file_ = beside(part);
    part = std::move(named);
  }
  if (part.kind == Node::Kind::text) {
    const std::size_t before = unmended();
    auto included = file(beside(part), {&form}, &part, pointer);
    if (!included) return leave_out(part, before);
    included->stands_alone = true;
    part = std::move(*included);
  } else {
    const bool own_base =
        part.find("extends") != nullptr || (!table.catalogue_key.empty() && part.find(table.catalogue_key) != nullptr);
    resolve(part, {&form}, pointer);
    part.stands_alone = part.stands_alone || own_base;
  }
  part.erase("kind"); // it identifies the file; it is not a setting
}

void Resolver::include_rows(Node& part, const TableInfo& table, bool swf, const std::string& pointer) {
  if (part.kind != Node::Kind::text || part.unread) return;
  const std::string path = beside(part);
  const std::size_t before = unmended();
  auto content = read_file(path);
  std::string unreadable = content.error;
  if (unreadable.empty()) unreadable = packed_file(content.text);
  if (!unreadable.empty()) {
    document_.problems.push_back({part.position, pointer, fmt::format("\"{}\": {}", path, unreadable)});
    return leave_out(part, before);
  }
  const int source = document_.sources.add(path);
  const RowsFormat format = rows_format(path, content.text, swf);
  auto rows = format == RowsFormat::csv   ? csv_objects(content.text, source, table, pointer, document_.problems)
              : format == RowsFormat::swf ? swf_objects(content.text, source, pointer, document_.problems)
                                          : parse_json(content.text, source, document_.problems);
  if (!rows) return leave_out(part, before);
  part = std::move(*rows);
  document_.mended += unmended() - before;
}

void Resolver::leave_out(Node& part, std::size_t before) {
  part.unread = true;
  document_.mended += unmended() - before;
}

/// Adds the catalogue's keys under the node's own keys. Keeps the name, so that a change can select another entry.
void Resolver::start_from_catalogue(Node& node, const FileForm& form, const std::string& pointer) {
  const std::string& key = form.table()->catalogue_key;
  const std::string missing_file = std::exchange(missing_file_, {});
  const auto* named = node.find(key);
  if (named == nullptr) return;
  const std::size_t before = unmended();
  Node name = *named;
  const auto& folders = form.table()->catalogue_folders;
  const auto names = catalogue_names(folders);
  if (name.kind == Node::Kind::text)
    if (const std::string meant = catalogued_name(name.text, names); !meant.empty()) name.text = meant;
  if (name.kind != Node::Kind::text || std::ranges::find(names, name.text) == names.end()) {
    const std::string got = name.kind == Node::Kind::text
                                ? fmt::format("unknown {} {}", key, brief_text(name))
                                : fmt::format("expected a {}'s name, got {}", key, kind_text(name));
    document_.problems.push_back(
        {name.position, pointer + "/" + key,
         got +
             (names.empty() ? fmt::format(": the catalogue is missing; expected {} beside the program", folders.front())
                            : hint_text(nearest_catalogued(name.text, names), names)) +
             (missing_file.empty() ? std::string()
                                   : fmt::format("; the file \"{}\" does not exist either", missing_file))});
    const auto meant = name.kind == Node::Kind::text ? nearest_catalogued(name.text, names) : std::string();
    if (meant.empty()) return leave_out(node, before);
    ++document_.mended; // continue with the corrected name, so that further mistakes are reported, too
    name.text = meant;
  }
  drop_catalogued(node, document_.sources, folders);
  const auto found = file(catalogue_file(folders, name.text).string(), {&form}, &name, pointer, "/" + key);
  if (!found) return;
  const bool alone = std::exchange(node.stands_alone, false);
  node = merge(*found, node, form.table());
  node.stands_alone = alone;
  node.set(key, name);
}

void Resolver::extend(Node& node, const FileForms& forms, const std::string& pointer) {
  const auto* named = node.find("extends");
  if (named == nullptr) return;
  const std::size_t before = unmended();
  const auto path = *named;
  node.erase("extends");
  if (path.kind != Node::Kind::text) {
    document_.problems.push_back(
        {path.position, pointer + "/extends", "expected the path of a file, got " + kind_text(path)});
    return leave_out(node, before);
  }
  if (const auto base = file(beside(path), forms, &path, pointer, "/extends"))
    node = merge(*base, node, form_of(*base, possible_forms(*base, pointer, forms, document_.problems)).table());
  else {
    mark_without_base(node);
    document_.mended += unmended() - before;
  }
}

void Resolver::replace_literals(Node& root, const fs::path& identity) const {
  for (const auto& replacement : replacements_) {
    if (replacement.file != identity) continue;
    auto* literal = node_at(root, replacement.pointer);
    if (literal == nullptr) {
      document_.problems.push_back({root.position, replacement.pointer,
                                    "the fitted number at this place has disappeared since the pack was read"});
      continue;
    }
    const auto position = literal->position;
    *literal = replacement.value;
    literal->position = position;
  }
}

std::string Resolver::beside(const Node& path) const {
  const auto& name = document_.sources.name(path.position.file);
  if (name == "--set") return path.text;
  return (directory_of(name) / path.text).lexically_normal().string();
}

std::string Resolver::chain_text(const std::string& last) const {
  std::string text;
  for (const auto& link : chain_) text += link.path + " -> ";
  return text + last;
}

} // namespace gradflight
