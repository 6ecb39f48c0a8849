#include "scenarios/language/fields/table.hpp"

#include "base/nearest_name.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <utility>
#include <vector>

namespace gradflight {
namespace {

/// Returns a default for people: quantities use the unit with the shortest text.
std::string default_text(const Shape& shape, const Node& shown) {
  if (shape.kind == Shape::Kind::quantity)
    return json_string(format_quantity(parse_quantity(shown.text, shape.dimension), shape.dimension));
  if (shape.kind == Shape::Kind::text && shown.text.empty()) return {};
  return brief_text(shown, 200);
}

using TableAtPath = std::pair<const TableInfo*, std::string>;

void add_tables(const Shape& shape, const std::string& path, std::vector<TableAtPath>& tables) {
  if (shape.kind == Shape::Kind::list || shape.kind == Shape::Kind::map) return;
  if (shape.table != nullptr) tables.emplace_back(shape.table, path);
  for (const Shape& part : shape.parts) add_tables(part, path, tables);
}

/// Returns `; it is a key of "platform"` if objects below those of `table` have the key, else nothing. It names those
/// of the highest level.
std::string holders_text(const TableInfo& table, const std::string& key) {
  std::vector<TableAtPath> level{{&table, ""}};
  std::set<const TableInfo*> seen{&table};
  while (!level.empty()) {
    std::vector<TableAtPath> next;
    for (const auto& [info, path] : level)
      for (const FieldInfo& field : info->fields)
        add_tables(field.shape, path.empty() ? field.key : path + "." + field.key, next);
    std::erase_if(next, [&](const TableAtPath& one) { return !seen.insert(one.first).second; });
    std::string text;
    for (const auto& [info, path] : next)
      if (field_of(*info, key) != nullptr)
        text += fmt::format("{} \"{}\"", text.empty() ? "; it is a key of" : " and", path);
    if (!text.empty()) return text;
    level = std::move(next);
  }
  return {};
}

/// `unknown key "nods"; did you mean ...`
void unknown_keys(const TableInfo& table, const Node& node, Decoder& decoder) {
  const auto known = keys_of(table);
  for (const auto& member : node.members) {
    if (std::ranges::find(known, member.key) != known.end()) continue;
    if (skips_comment(member, decoder)) continue;
    const auto step = decoder.into(member.key);
    const auto refused = std::ranges::find(table.refused, member.key, [](const auto& key) { return key.first; });
    if (refused != table.refused.end()) {
      decoder.fail(member.position, fmt::format("\"{}\" is not allowed here: {}", member.key, refused->second));
      continue;
    }
    const std::string holders = holders_text(table, member.key); // better than a key with a similar name
    const std::string advice = holders.empty() ? did_you_mean(member.key, known) : holders + hint_text("", known);
    decoder.fail(member.position, fmt::format("unknown key {}{}", brief_text(Node::of(member.key)), advice));
  }
}

} // namespace

TableRows::TableRows(std::string name, std::string doc) : info{std::move(name), std::move(doc), {}} {}

void TableRows::add(std::string key, const Shape& shape, std::string doc, Read read, Show show) {
  info.fields.push_back({std::move(key), shape, false, {}, {}, std::move(doc)});
  rows_.push_back({std::move(read), std::move(show)});
}

void TableRows::add(std::string key, const Shape& shape, std::string doc, std::size_t offset, MemberAccess member) {
  add(
      std::move(key), shape, std::move(doc),
      [offset, read = std::move(member.read)](void* object, const Node& node, Decoder& decoder) {
        return read(static_cast<char*>(object) + offset, node, decoder);
      },
      [offset, show = std::move(member.show)](const void* object) {
        return show(static_cast<const char*>(object) + offset);
      });
}

void TableRows::set_condition(std::function<bool(const void*)> when, std::string condition) {
  rows_.back().when = std::move(when);
  info.fields.back().only = std::move(condition);
}

void TableRows::set_decides() { rows_.back().decides = true; }

void TableRows::set_alternative(const std::string& beside, std::size_t offset, MemberAccess other,
                                std::function<bool(const void*)> shown) {
  Row& row = rows_.back();
  row.beside = beside;
  row.read_beside = [offset, read = std::move(other.read)](void* object, const Node& node, Decoder& decoder) {
    return read(static_cast<char*>(object) + offset, node, decoder);
  };
  row.show = [offset, show = std::move(other.show), usual = row.show, shown = std::move(shown)](const void* object) {
    return shown(object) ? show(static_cast<const char*>(object) + offset) : usual(object);
  };
}

void TableRows::set_default(const void* initial) {
  FieldInfo& field = info.fields.back();
  if (const std::optional<Node> shown = rows_.back().show(initial))
    field.default_text = default_text(field.shape, *shown);
}

bool TableRows::read_rows(void* object, const Node& node, Decoder& decoder) const {
  if (node.kind != Node::Kind::object) {
    wrong_kind({.kind = Shape::Kind::object, .table = &info}, node, decoder);
    return false;
  }
  unknown_keys(info, node, decoder);
  if (node.without_base) decoder.pass_over();
  bool unsure = node.without_base; // a choice is not known, so it is unknown whether the fields after it apply
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const FieldInfo& field = info.fields[i];
    const Row& row = rows_[i];
    const auto member = std::ranges::find(node.members, field.key, &Member::key);
    const bool applies = unsure || !row.when || row.when(object);
    const bool decides = row.decides || field.shape.kind == Shape::Kind::choice || field.shape.kind == Shape::Kind::any;
    if (member == node.members.end()) {
      if (!field.required || !applies || node.without_base || (unsure && !field.only.empty())) continue;
      decoder.fail(node.position, fmt::format("\"{}\" is missing: {}", field.key, describe(field.shape)));
      unsure |= decides;
      continue;
    }
    const auto step = decoder.into(field.key);
    const bool erases = node.without_base && member->value.kind == Node::Kind::null; // what the base contains
    if (member->value.unread || erases) {
      decoder.pass_over();
      unsure |= decides;
      continue;
    }
    const bool is_beside = !row.beside.empty() && node.find(row.beside) != nullptr;
    if (!applies)
      decoder.fail(member->position, fmt::format("\"{}\" has no effect here: it needs {}", field.key, field.only));
    else if (!(is_beside ? row.read_beside : row.read)(object, member->value, decoder))
      unsure |= decides;
  }
  return true;
}

Node TableRows::show_rows(const void* object) const {
  auto node = Node::object();
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i].when && !rows_[i].when(object)) continue;
    if (auto value = rows_[i].show(object)) node.set(info.fields[i].key, std::move(*value));
  }
  return node;
}

} // namespace gradflight
