// Inheritance between objects, and a traversal of all objects with a table; both follow the tables.
#pragma once

#include "scenarios/language/fields/shape.hpp"
#include "scenarios/language/json/node.hpp"

#include <functional>
#include <string>
#include <vector>

namespace gradflight {

/// Returns `over` on top of `base`: objects merge key by key, other values replace (RFC 7396; null removes an inherited
/// key). A value that `table` declares as one choice is replaced completely. A null `table` means that no table
/// describes the objects.
Node merge(const Node& base, const Node& over, const TableInfo* table);

/// Notes in an object, and in those below it that it completes, that what it extends could not be read.
void mark_without_base(Node& object);

/// Calls `visit` for every object with a table, from `root` (of `shape`) downwards; `visit` may change it. `partial`
/// means that the object, or an object around it, may be completed by another one.
using ObjectVisit = std::function<void(Node& object, const TableInfo& table, bool partial)>;
void for_each_object(Node& root, const Shape& shape, const ObjectVisit& visit, bool partial = false);

/// Some lists contain objects with only the differences from the object that holds the list. Completes these items from
/// the holder. Call it once, after the last change. Partial objects do not change.
void fill_in_items(Node& root, const Shape& shape);

/// JSON pointers of such a list, and of the object that holds it.
struct InheritingList {
  std::string holder, list;
};
std::vector<InheritingList> inheriting_lists(const TableInfo& table, const std::string& pointer = {});

} // namespace gradflight
