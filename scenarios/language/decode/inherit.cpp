#include "scenarios/language/decode/inherit.hpp"

#include <algorithm>

namespace gradflight {
namespace {

/// Returns the table of the object alternative of a value; null if it has none.
const TableInfo* table_in(const Shape& shape) {
  if (shape.kind == Shape::Kind::object) return shape.table;
  if (shape.kind != Shape::Kind::any) return nullptr;
  for (const auto& part : shape.parts)
    if (part.kind == Shape::Kind::object) return part.table;
  return nullptr;
}

/// Whether the new value replaces the inherited value completely, because keys of the old one do not apply to it.
bool replaces(const FieldInfo& field, const Node& inherited, const Node& over) {
  if (field.one_choice) return true;
  const auto* table = table_in(field.shape);
  if (table == nullptr || table->decided_by.empty()) return false;
  const auto* from = inherited.find(table->decided_by);
  const auto* to = over.find(table->decided_by);
  return from != nullptr && to != nullptr && from->text != to->text;
}

} // namespace

void mark_without_base(Node& object) {
  if (object.kind != Node::Kind::object || object.stands_alone) return;
  object.without_base = true;
  for (Member& member : object.members) mark_without_base(member.value);
}

Node merge(const Node& base, const Node& over, const TableInfo* table) {
  if (base.unread && over.kind == Node::Kind::object && !over.stands_alone) return base; // the rest is unknown
  if (base.kind != Node::Kind::object || over.kind != Node::Kind::object || over.stands_alone) return over;
  Node result = base;
  result.position = over.position;
  for (const auto& member : over.members) {
    const auto old = std::ranges::find(result.members, member.key, &Member::key);
    if (old == result.members.end()) {
      result.members.push_back(member);
      if (base.without_base) mark_without_base(result.members.back().value);
    } else if (member.value.kind == Node::Kind::null) {
      result.erase(member.key);
    } else {
      const auto* field = table == nullptr ? nullptr : field_of(*table, member.key);
      if (field != nullptr && replaces(*field, old->value, member.value)) {
        old->value = member.value;
        std::erase_if(old->value.members, [](const Member& m) { return m.value.kind == Node::Kind::null; });
      } else {
        old->value = merge(old->value, member.value, field == nullptr ? nullptr : table_in(field->shape));
      }
      old->position = member.position;
    }
  }
  return result;
}

void for_each_object(Node& root, const Shape& shape, const ObjectVisit& visit, bool partial) {
  switch (shape.kind) {
  case Shape::Kind::object:
    if (root.kind != Node::Kind::object) return;
    partial = partial || shape.partial;
    visit(root, *shape.table, partial);
    for (const auto& field : shape.table->fields)
      if (auto* value = root.find(field.key)) for_each_object(*value, field.shape, visit, partial);
    return;
  case Shape::Kind::any:
    for (const auto& part : shape.parts) for_each_object(root, part, visit, partial);
    return;
  case Shape::Kind::list:
    for (auto& item : root.items) for_each_object(item, shape.parts.front(), visit, partial);
    return;
  case Shape::Kind::map:
    for (auto& member : root.members) for_each_object(member.value, shape.parts.front(), visit, partial);
    return;
  default: return;
  }
}

void fill_in_items(Node& root, const Shape& shape) {
  for_each_object(root, shape, [](Node& object, const TableInfo& table, bool partial) {
    if (partial) return;
    for (const auto& field : table.fields) {
      auto* list = field.items_inherit_without.empty() ? nullptr : object.find(field.key);
      if (list == nullptr) continue;
      auto rest = object;
      for (const auto& key : field.items_inherit_without) rest.erase(key);
      const auto* item_table = table_in(field.shape.parts.front());
      for (auto& item : list->items)
        if (item.kind == Node::Kind::object) item = merge(rest, item, item_table);
    }
  });
}

std::vector<InheritingList> inheriting_lists(const TableInfo& table, const std::string& pointer) {
  std::vector<InheritingList> lists;
  for (const auto& field : table.fields) {
    const auto below = pointer + "/" + pointer_token(field.key);
    if (!field.items_inherit_without.empty()) lists.push_back({pointer, below});
    if (field.shape.kind != Shape::Kind::object) continue;
    for (auto& deeper : inheriting_lists(*field.shape.table, below)) lists.push_back(std::move(deeper));
  }
  return lists;
}

} // namespace gradflight
