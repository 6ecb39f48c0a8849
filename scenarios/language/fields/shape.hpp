// The allowed values of each key: the part of the field tables without C++ types. The JSON Schema, `explain` and the
// reference page read it. Decoding uses the same objects through table.hpp.
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
  bool above_min = false;             ///< `min` itself is not allowed
  bool below_max = false;             ///< `max` itself is not allowed
  std::string text_form{};            ///< text: the expected form, e.g. `node numbers such as "0-3,7"`; empty: any text
  std::vector<std::string> choices{}; ///< choice
  bool any_spelling = false;          ///< choice: accepts other spellings, as same_name() does
  Dimension dimension{};              ///< quantity
  std::vector<Shape> parts{};         ///< list: its items; map: its values, under free keys; any: the alternatives
  int min_items = 0;                  ///< list
  bool rows_by_path = false;        ///< list of objects: the path of a file with the list (JSON or CSV) may replace it
  bool rows_by_swf = false;         ///< with rows_by_path: a Standard Workload Format trace is also allowed
  const TableInfo* table = nullptr; ///< object
  bool partial = false;             ///< object: another object may add the missing keys
  bool folder = false;              ///< text: the path of a folder, relative to the file that contains it
  // only for outputs (results)
  bool nullable = false;   ///< null may replace it
  std::string item_name{}; ///< list: name of an item in paths ("LINK"); empty: items have only numbers
};

/// One key of a JSON object.
struct FieldInfo {
  std::string key;
  Shape shape;
  bool required = false;
  std::string default_text; ///< JSON; empty: none
  std::string only;         ///< "algorithm parameter_server": allowed only then; empty: always
  std::string doc;
  std::string unit{}; ///< unit of a number in a result: "s", "bytes", "1" for a ratio; inputs have a dimension instead
  bool one_choice = false; ///< a change replaces the whole value, because keys of one choice do not apply to another
  bool for_people = false; ///< cannot change a timing
  /// If not empty: a list of objects that contain only differences from the object that holds the list. Items do not
  /// inherit these keys.
  std::vector<std::string> items_inherit_without{};
};

struct TableInfo {
  std::string name; ///< unique; also the name of the definition in the JSON Schema
  std::string doc;
  std::vector<FieldInfo> fields;
  FieldInfo kind{}; ///< the key "kind" of a file with this object (kind_field); without key: not a file
  std::vector<std::string> one_of{}; ///< besides the required keys, at least one of these is required
  std::string decided_by{};          ///< a change of this key's value replaces the whole object
  std::vector<std::pair<std::string, std::string>> refused{}; ///< keys that belong elsewhere, and the reason
  bool extendable = false;                                    ///< may contain "extends"; then no key is required
  /// Key that selects the catalogue entry to start from; a text in place of the object also does.
  std::string catalogue_key{};
  std::vector<std::string> catalogue_folders{}; ///< folders with the catalogue entries
  bool by_path = false;                         ///< the path of a file may replace the object
  bool has_rows = false; ///< one of several forms of a value; a path may replace its list of objects
  bool partial = false;  ///< a change to another object: no key in its nested objects is required
};

/// Returns `an integer from 1 to 1000000`, `a time such as "5us"`, `"ring" or "flat"`, ...
std::string describe(const Shape& shape);
/// Returns `or_else` and ` the path of a file with one (JSON or CSV)` if a path may replace the list; else "".
std::string rows_by_path_text(const Shape& shape, const std::string& or_else);

/// "a, b, c"
std::string joined(const std::vector<std::string>& names);

/// The key "kind", with `kind` as the only value.
FieldInfo kind_field(const std::string& kind);

/// Returns the field with that key; null if none.
const FieldInfo* field_of(const TableInfo& table, std::string_view key);

/// Returns the possible objects of this shape: one for an object, several for a choice of forms.
std::vector<const TableInfo*> tables_in(const Shape& shape);

/// Returns the list alternative of a value; null if it has none.
const Shape* list_in(const Shape& shape);

/// Returns the keys of a table, in order.
std::vector<std::string> keys_of(const TableInfo& table);

} // namespace gradflight
