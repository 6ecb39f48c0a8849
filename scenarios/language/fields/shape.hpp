// What may be written where: the type-free side of the field tables. The JSON Schema, `explain` and the reference page
// read it; decoding uses the same objects through table.hpp.
#pragma once

#include "models/units/unit_text.hpp"

#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gradflight {

struct TableInfo;

struct Shape {
  enum class Kind { boolean, integer, number, text, choice, quantity, list, object, map, any, anything };
  Kind kind = Kind::text;
  double min = -std::numeric_limits<double>::infinity(), max = std::numeric_limits<double>::infinity();
  bool above_min = false;  ///< `min` itself is not allowed
  bool below_max = false;  ///< nor is `max`
  std::string text_form{}; ///< text: what it looks like, e.g. `node numbers such as "0-3,7"`; empty: any text
  std::vector<std::string> choices{}; ///< choice
  bool any_spelling = false;          ///< choice: as same_name() reads it
  Dimension dimension{};              ///< quantity
  std::vector<Shape> parts{};         ///< list: its items; map: its values, under free keys; any: the alternatives
  int min_items = 0;                  ///< list
  bool rows_by_path = false;          ///< list of objects: a path to a file with one (JSON or CSV) may stand for it
  bool rows_by_swf = false;           ///< with rows_by_path: a Standard Workload Format trace, too
  const TableInfo* table = nullptr;   ///< object
  bool partial = false;               ///< object: something else may add what is missing
  bool folder = false;                ///< text: the path of a folder, seen from the file that names it
  // of what is written (results) only
  bool nullable = false;   ///< null may stand in its place
  std::string item_name{}; ///< list: stands for an item in paths ("LINK"); empty: items have only numbers
};

/// One key of a JSON object.
struct FieldInfo {
  std::string key;
  Shape shape;
  bool required = false;
  std::string default_text; ///< JSON; empty: none
  std::string only;         ///< "algorithm parameter_server": read only then; empty: always
  std::string doc;
  std::string unit{};      ///< of a number in a result: "s", "bytes", "1" for a ratio; what is read has its dimension
  bool one_choice = false; ///< a change replaces it as a whole: what belongs to one choice means nothing to another
  bool for_people = false; ///< cannot change a timing
  /// Not empty: a list of objects, each of which says only what differs from the object that holds the list, but for
  /// these keys of it.
  std::vector<std::string> items_inherit_without{};
};

struct TableInfo {
  std::string name; ///< unique: names the definition in the JSON Schema
  std::string doc;
  std::vector<FieldInfo> fields;
  FieldInfo kind{};                  ///< how a file of its own may say what it is (kind_field); no key: it is no file
  std::vector<std::string> one_of{}; ///< beside the required keys at least one of these must stand
  std::string decided_by{};          ///< a change of this key's value replaces the object as a whole
  std::vector<std::pair<std::string, std::string>> refused{}; ///< keys that belong elsewhere, and why not here
  bool extendable = false;                                    ///< may carry "extends"; then nothing is required in it
  std::string catalogue_key{}; ///< this key names what of the catalogue to start from; so may a text in its place
  std::vector<std::string> catalogue_folders{}; ///< where that is looked for
  bool by_path = false;                         ///< a path to a file may stand in its place
  bool has_rows = false; ///< one of several forms of a value, in which a path may stand for a list of objects
  bool partial = false;  ///< a change to another object: nothing in its nested objects is required
};

/// `an integer from 1 to 1000000`, `a time such as "5us"`, `"ring" or "flat"`, ...
std::string describe(const Shape& shape);
/// `, or the path of a file with one (JSON or CSV)` after `or_else`, where that may stand for a list.
std::string rows_by_path_text(const Shape& shape, const std::string& or_else);

/// "a, b, c"
std::string joined(const std::vector<std::string>& names);

/// The key "kind", which says nothing but `kind`.
FieldInfo kind_field(const std::string& kind);

/// The field with that key; null: none.
const FieldInfo* field_of(const TableInfo& table, std::string_view key);

/// The keys of a table, in its order.
std::vector<std::string> keys_of(const TableInfo& table);

/// `; did you mean "star"? Allowed: star, racks`: the end of a message about `name`, which is none of `names`.
std::string did_you_mean(const std::string& name, const std::vector<std::string>& names);

} // namespace gradflight
