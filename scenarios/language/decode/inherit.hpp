// What one object takes over from another, and the walk over everything that a table knows: by the tables' own words.
#pragma once

#include "scenarios/language/fields/shape.hpp"
#include "scenarios/language/json/node.hpp"

#include <functional>
#include <string>
#include <vector>

namespace gradflight {

/// `over` on top of `base`: objects merge key by key, everything else replaces (RFC 7396; null removes an inherited
/// key). What `table` calls one choice replaces as a whole. Null: no table knows them.
Node merge(const Node& base, const Node& over, const TableInfo* table);

/// Every object that a table describes, from `root` (of `shape`) downwards; `visit` may change it. `partial`: it is, or
/// is in, an object to which something else may add what is missing.
using ObjectVisit = std::function<void(Node& object, const TableInfo& table, bool partial)>;
void for_each_object(Node& root, const Shape& shape, const ObjectVisit& visit, bool partial = false);

/// Items of a list that say only what differs from the object that holds the list get the rest of it. Call once, after
/// the last change; objects that are partial stay as they are.
void fill_in_items(Node& root, const Shape& shape);

/// Where such lists are, as pointers: of the object that holds the list, and of the list.
struct InheritingList {
  std::string holder, list;
};
std::vector<InheritingList> inheriting_lists(const TableInfo& table, const std::string& pointer = {});

} // namespace gradflight
