#include "scenarios/language/fields/shape.hpp"

#include "base/letters.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <limits>

namespace gradflight {
namespace {

std::string number_text(double value) {
  constexpr double two_to_64 = 18446744073709551616.0; // one above the largest unsigned integer
  if (value == two_to_64) return "2^64";
  return std::abs(value) < 1e15 && value == std::floor(value) ? fmt::format("{:.0f}", value) : fmt::format("{}", value);
}

/// Returns the text of a limit of integers. A double rounds the largest limits; their text is the exact integer or
/// less.
std::string integer_text(double value) {
  constexpr double two_to_63 = 9223372036854775808.0;
  if (value == two_to_63) return fmt::format("{}", std::numeric_limits<std::int64_t>::max());
  return std::abs(value) < two_to_63 ? fmt::format("{:.0f}", value) : number_text(value);
}

std::string range_text(const Shape& shape) {
  const auto limit = [&](double value) {
    return shape.kind == Shape::Kind::integer ? integer_text(value) : number_text(value);
  };
  const bool low = std::isfinite(shape.min), high = std::isfinite(shape.max);
  if (low && high && shape.below_max)
    return fmt::format(" {} {} and below {}", shape.above_min ? "above" : "of at least", limit(shape.min),
                       limit(shape.max));
  if (low && high && shape.above_min)
    return fmt::format(" above {} and at most {}", limit(shape.min), limit(shape.max));
  if (low && high) return fmt::format(" from {} to {}", limit(shape.min), limit(shape.max));
  if (low) return fmt::format("{}{}", shape.above_min ? " above " : " of at least ", limit(shape.min));
  return {};
}

const char* quantity_example(Dimension dimension) {
  switch (dimension) {
  case Dimension::time: return "a time such as \"5us\"";
  case Dimension::bytes: return "a size such as \"100MB\"";
  case Dimension::byte_rate: return "a bandwidth such as \"10Gbps\" or \"1.2GB/s\"";
  case Dimension::flops: return "a number of operations such as \"3.2GFLOP\"";
  case Dimension::flop_rate: return "a rate such as \"6TFLOP/s\"";
  case Dimension::time_per_byte: return "a time per byte such as \"0.5ns/B\"";
  }
  return "";
}

} // namespace

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

FieldInfo kind_field(const std::string& kind) {
  Shape shape{.kind = Shape::Kind::choice};
  shape.choices = {kind};
  return {"kind",
          shape,
          false,
          {},
          {},
          "The kind of the file. Absent: the kind that the command, or the file that names it, expects. If several are "
          "possible, Gradflight takes the kind that has all its required keys, or else a scenario."};
}

std::vector<const TableInfo*> tables_in(const Shape& shape) {
  if (shape.kind == Shape::Kind::object) return {shape.table};
  std::vector<const TableInfo*> tables;
  if (shape.kind == Shape::Kind::any)
    for (const auto& part : shape.parts)
      for (const auto* table : tables_in(part)) tables.push_back(table);
  return tables;
}

const Shape* list_in(const Shape& shape) {
  if (shape.kind == Shape::Kind::list) return &shape;
  if (shape.kind == Shape::Kind::any)
    for (const auto& part : shape.parts)
      if (part.kind == Shape::Kind::list) return &part;
  return nullptr;
}

const FieldInfo* field_of(const TableInfo& table, std::string_view key) {
  const auto found = std::ranges::find(table.fields, key, &FieldInfo::key);
  return found == table.fields.end() ? nullptr : &*found;
}

std::vector<std::string> keys_of(const TableInfo& table) {
  std::vector<std::string> keys;
  for (const auto& field : table.fields) keys.push_back(field.key);
  return keys;
}

std::string rows_by_path_text(const Shape& shape, const std::string& or_else) {
  if (!shape.rows_by_path) return {};
  return or_else +
         fmt::format(" the path of a file with one ({})", shape.rows_by_swf ? "SWF, CSV or JSON" : "JSON or CSV");
}

std::string describe(const Shape& shape) {
  switch (shape.kind) {
  case Shape::Kind::boolean: return "true or false";
  case Shape::Kind::integer: return "an integer" + range_text(shape);
  case Shape::Kind::number:
    return "a number" + range_text(shape) + (shape.text_form.empty() ? "" : fmt::format(" ({})", shape.text_form));
  case Shape::Kind::text: return shape.text_form.empty() ? "a text" : shape.text_form;
  case Shape::Kind::quantity:
    return quantity_example(shape.dimension) + std::string(shape.above_min ? ", above 0" : "");
  case Shape::Kind::choice: {
    std::vector<std::string> quoted;
    for (const std::string& choice : shape.choices) quoted.push_back('"' + choice + '"');
    return enumerated(quoted);
  }
  case Shape::Kind::list: {
    const bool objects = shape.parts[0].kind == Shape::Kind::object;
    const auto* least = shape.min_items > 1 ? " of two or more" : shape.min_items > 0 ? " of one or more" : "";
    return fmt::format("a list{}{}{}", least,
                       objects ? (shape.min_items > 0 ? " objects" : " of objects")
                               : ", each item " + describe(shape.parts[0]),
                       rows_by_path_text(shape, ", or"));
  }
  case Shape::Kind::object:
    return "an object with " + joined(keys_of(*shape.table)) +
           (shape.table->by_path ? ", or the path of a file with one" : "") +
           (shape.table->catalogue_key.empty() ? "" : ", or the name of a " + shape.table->catalogue_key);
  case Shape::Kind::map: return "an object, each value " + describe(shape.parts[0]);
  case Shape::Kind::anything: return shape.text_form;
  case Shape::Kind::any: {
    std::string text;
    for (const auto& part : shape.parts) text += (text.empty() ? "" : ", or ") + describe(part);
    return text;
  }
  }
  return {};
}

} // namespace gradflight
