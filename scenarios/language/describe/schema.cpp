#include "scenarios/language/describe/describe.hpp"
#include "scenarios/language/packs/pack_tables.hpp"
#include "scenarios/language/sweeps/sweep_tables.hpp"
#include "scenarios/language/tables/tables.hpp"

#include <cctype>
#include <fmt/format.h>

namespace gradflight {
namespace {

Node keyed(std::initializer_list<std::pair<const char*, Node>> members) {
  auto node = Node::object();
  for (const auto& [key, value] : members) node.set(key, value);
  return node;
}
Node string(std::string value) { return Node::of(std::move(value)); }
Node strings(const std::vector<std::string>& values) {
  std::vector<Node> items;
  for (const auto& value : values) items.push_back(string(value));
  return Node::list(std::move(items));
}

/// Accepts the same language as unit_text.hpp, from the same table. A pattern cannot express ranges, except the
/// exclusion of zero.
std::string quantity_pattern(const Shape& shape) {
  return fmt::format("^{}(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)? ?({})$",
                     shape.above_min ? "(?!0(\\.0+)?([eE][+-]?[0-9]+)? ?[^0-9.eE +-])" : "",
                     unit_pattern(shape.dimension));
}

class Schema {
public:
  /// `comments`: objects may contain comments, as in files written by people.
  explicit Schema(bool comments) : comments_(comments) {}
  Node defs = Node::object();

  /// `partial`: the object changes an inherited one, so no key is required and null removes a key.
  Node reference(const TableInfo& table, bool partial) {
    partial = partial || table.partial;
    const auto name = table.name + (partial ? ".change" : "");
    if (defs.find(name) == nullptr) {
      defs.set(name, Node::object()); // reserves its position
      auto body = definition(table, partial);
      defs.set(name, std::move(body));
    }
    return keyed({{"$ref", string("#/$defs/" + name)}});
  }

private:
  Node definition(const TableInfo& table, bool partial) {
    if (table.extendable && !partial) {
      // An object with "extends" contains changes to another one.
      reference(table, true);
      auto whole = body(table, false);
      auto changes = keyed({{"required", strings({"extends"})}});
      if (!table.catalogue_key.empty()) {
        auto of_machine = keyed({{"required", strings({table.catalogue_key})}});
        changes = keyed({{"anyOf", Node::list({std::move(changes), std::move(of_machine)})}});
      }
      whole.set("if", std::move(changes));
      whole.set("then", keyed({{"$ref", string("#/$defs/" + table.name + ".change")}}));
      auto complete = keyed({{"properties", *whole.find("properties")},
                             {"required", *whole.find("required")},
                             {"additionalProperties", Node::of(false)}});
      allow_comments(complete);
      return keyed({{"description", string(table.doc)},
                    {"type", string("object")},
                    {"if", *whole.find("if")},
                    {"then", *whole.find("then")},
                    {"else", std::move(complete)}});
    }
    return body(table, partial);
  }

  Node body(const TableInfo& table, bool partial) {
    auto properties = Node::object();
    std::vector<std::string> required;
    for (const auto& field : table.fields) {
      // A choice among forms is always replaced as a whole.
      auto property = of(field.shape, partial && !field.one_choice);
      if (partial || field.shape.nullable)
        property = keyed({{"anyOf", Node::list({std::move(property), keyed({{"type", string("null")}})})}});
      property.set("description", string(description(field)));
      properties.set(field.key, std::move(property));
      if (field.required && field.only.empty() && !partial) required.push_back(field.key);
    }
    if (!table.kind.key.empty()) {
      auto kind = of(table.kind.shape, false);
      kind.set("description", string(table.kind.doc));
      properties.set(table.kind.key, std::move(kind));
    }
    if (table.extendable) {
      properties.set("extends", keyed({{"description", string("A base file that this object extends.")},
                                       {"type", string("string")}}));
      properties.set("$schema", keyed({{"description", string("Used by editors only.")}, {"type", string("string")}}));
    }
    auto node = keyed({{"description", string(table.doc)}, {"type", string("object")}, {"properties", properties}});
    node.set("required", strings(required));
    allow_comments(node);
    node.set("additionalProperties", Node::of(false));
    return node;
  }

  void allow_comments(Node& object) const {
    if (comments_) object.set("patternProperties", comments());
  }

  static std::string description(const FieldInfo& field) {
    auto text = field.doc;
    if (!field.unit.empty()) text += field.unit == "1" ? " A plain number." : " In " + field.unit + ".";
    if (!field.only.empty()) text += fmt::format(" Only with {}.", field.only);
    return text;
  }

  Node of(const Shape& shape, bool partial) {
    switch (shape.kind) {
    case Shape::Kind::boolean: return keyed({{"type", string("boolean")}});
    case Shape::Kind::integer:
    case Shape::Kind::number: return range(shape);
    case Shape::Kind::text: return keyed({{"type", string("string")}});
    case Shape::Kind::choice: return choice(shape);
    case Shape::Kind::quantity:
      return keyed({{"type", string("string")}, {"pattern", string(quantity_pattern(shape))}});
    case Shape::Kind::list: {
      auto node = keyed({{"type", string("array")}, {"items", of(shape.parts[0], false)}});
      if (shape.min_items > 0) node.set("minItems", Node::of(std::int64_t{shape.min_items}));
      if (!shape.rows_by_path) return node;
      return keyed({{"anyOf", Node::list({keyed({{"type", string("string")}}), std::move(node)})}});
    }
    case Shape::Kind::object: {
      auto node = reference(*shape.table, partial || shape.partial);
      if (!shape.table->by_path) return node;
      return keyed({{"anyOf", Node::list({keyed({{"type", string("string")}}), std::move(node)})}});
    }
    case Shape::Kind::map: {
      auto node = keyed({{"type", string("object")}, {"additionalProperties", of(shape.parts[0], false)}});
      if (comments_) node.set("patternProperties", comments());
      return node;
    }
    case Shape::Kind::anything: return Node::object();
    case Shape::Kind::any: {
      std::vector<Node> parts;
      for (const auto& part : shape.parts) parts.push_back(of(part, partial));
      return keyed({{"anyOf", Node::list(std::move(parts))}});
    }
    }
    return {};
  }

  static Node comments() { return keyed({{"^//", keyed({{"type", string("string")}})}}); }

  /// Names that editors should offer come first, then other spellings of each.
  static Node choice(const Shape& shape) {
    auto names = keyed({{"enum", strings(shape.choices)}});
    if (!shape.any_spelling) return names;
    std::string spellings;
    for (const std::string& name : shape.choices) {
      spellings += spellings.empty() ? "" : "|";
      for (const char c : name) {
        const auto letter = static_cast<unsigned char>(c);
        if (c == ' ' || c == '-' || c == '_') continue;
        if (std::isalpha(letter) != 0)
          spellings +=
              fmt::format("[{}{}]", static_cast<char>(std::toupper(letter)), static_cast<char>(std::tolower(letter)));
        else
          spellings += c == '.' ? std::string("\\.") : std::string(1, c);
        spellings += "[ _-]*";
      }
    }
    auto others = keyed({{"type", string("string")}, {"pattern", string(fmt::format("^[ _-]*({})$", spellings))}});
    return keyed({{"anyOf", Node::list({std::move(names), std::move(others)})}});
  }

  static Node range(const Shape& shape) {
    auto node = keyed({{"type", string(shape.kind == Shape::Kind::integer ? "integer" : "number")}});
    if (shape.min > -unlimited) node.set(shape.above_min ? "exclusiveMinimum" : "minimum", Node::of(shape.min));
    if (shape.max < unlimited) node.set(shape.below_max ? "exclusiveMaximum" : "maximum", Node::of(shape.max));
    return node;
  }

  bool comments_;
};

/// `root` is the shape of the document ("$ref", or "anyOf").
std::string document(const std::string& name, const Node& root, const Schema& schema) {
  auto node = keyed({{"$schema", string("https://json-schema.org/draft/2020-12/schema")},
                     {"$id", string(fmt::format("https://gradflight.invalid/{}.json", name))},
                     {"title", string("Gradflight " + name)}});
  for (const auto& member : root.members) node.set(member.key, member.value);
  node.set("$defs", schema.defs);
  return json_text_ordered(node);
}

} // namespace

std::string schema_text() {
  Schema schema(true);
  const auto root = schema.reference(scenario_table().info, false);
  schema.reference(sweep_table().info, false);
  schema.reference(pack_table().info, false);
  schema.reference(fits_table().info, false);
  schema.reference(published_table().info, false);
  schema.reference(measured_pack_table().info, false);
  return document("scenario", root, schema);
}

std::string schema_text(const TableInfo& table, const TableInfo& failed) {
  Schema schema(false);
  const auto one = schema.reference(table, false);
  auto entry = keyed({{"anyOf", Node::list({one, schema.reference(failed, false)})}});
  auto list = keyed({{"type", string("array")}, {"items", std::move(entry)}});
  return document(table.name, keyed({{"anyOf", Node::list({one, std::move(list)})}}), schema);
}

} // namespace gradflight
