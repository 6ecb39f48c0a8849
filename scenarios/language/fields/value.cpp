#include "scenarios/language/fields/value.hpp"

#include "base/nearest_name.hpp"
#include "scenarios/language/fields/explained_number.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace gradflight {
namespace {

bool in_range(const Shape& shape, double value) {
  return (shape.above_min ? value > shape.min : value >= shape.min) &&
         (shape.below_max ? value < shape.max : value <= shape.max);
}

} // namespace

bool plausible(const Shape& shape, const Node& node) {
  switch (shape.kind) {
  case Shape::Kind::boolean: return node.kind == Node::Kind::boolean;
  case Shape::Kind::integer:
  case Shape::Kind::number: return is_number(node);
  case Shape::Kind::text:
  case Shape::Kind::choice:
  case Shape::Kind::quantity: return is_text(node);
  case Shape::Kind::list: return node.kind == Node::Kind::list;
  case Shape::Kind::object:
  case Shape::Kind::map: return node.kind == Node::Kind::object;
  case Shape::Kind::anything: return true;
  case Shape::Kind::any:
    return std::ranges::any_of(shape.parts, [&](const Shape& part) { return plausible(part, node); });
  }
  return false;
}

/// Returns `; write { "algorithm": "ring" }` if `node` is a value of a key of the object that `shape` is, else nothing.
std::string key_of_value(const Shape& shape, const Node& node) {
  if (shape.table == nullptr || node.kind != Node::Kind::text) return {};
  const auto takes = [&](const FieldInfo& field) {
    const auto has = [&](const Shape& one) { return std::ranges::find(one.choices, node.text) != one.choices.end(); };
    return has(field.shape) || std::ranges::any_of(field.shape.parts, has);
  };
  const auto& fields = shape.table->fields;
  const auto field = std::ranges::find_if(fields, takes);
  return field == fields.end() ? "" : fmt::format("; write {{ \"{}\": \"{}\" }}", field->key, node.text);
}

void wrong_kind(const Shape& shape, const Node& node, Decoder& decoder) {
  const bool empty_list = node.kind == Node::Kind::list && node.items.empty();
  const bool empty_object =
      node.kind == Node::Kind::object && std::ranges::all_of(node.members, is_comment, &Member::key);
  const bool too_short = node.kind == Node::Kind::list && shape.kind == Shape::Kind::list;
  decoder.fail(node.position, fmt::format("expected {}, got {}{}", describe(shape),
                                          empty_list     ? "an empty list"
                                          : empty_object ? "an empty object"
                                          : too_short    ? fmt::format("a list of {}", node.items.size())
                                                         : kind_text(node),
                                          key_of_value(shape, node)));
}

bool skips_comment(const Member& member, Decoder& decoder) {
  if (!is_comment(member.key)) return false;
  const auto step = decoder.into(member.key);
  if (member.value.kind != Node::Kind::text) decoder.fail(member.position, "a comment must be a text");
  return true;
}

std::optional<std::vector<Member>> settings_of(const Shape& shape, const Node& node, Decoder& decoder,
                                               std::size_t min_members) {
  std::vector<Member> members;
  for (const Member& member : node.members)
    if (!skips_comment(member, decoder)) members.push_back(member);
  if (node.kind == Node::Kind::object && members.size() >= min_members) return members;
  wrong_kind(shape, node, decoder);
  return std::nullopt;
}

Value<bool> boolean() {
  const Shape shape{.kind = Shape::Kind::boolean};
  return {shape,
          [shape](const Node& node, Decoder& decoder) -> std::optional<bool> {
            if (node.kind == Node::Kind::boolean) return node.boolean;
            wrong_kind(shape, node, decoder);
            return std::nullopt;
          },
          [](const bool& value) { return Node::of(value); }};
}

Value<std::string> text(std::string form) {
  Shape shape{.kind = Shape::Kind::text};
  shape.text_form = std::move(form);
  return {shape,
          [shape](const Node& node, Decoder& decoder) -> std::optional<std::string> {
            if (node.kind == Node::Kind::text) return node.text;
            wrong_kind(shape, node, decoder);
            return std::nullopt;
          },
          [](const std::string& value) { return Node::of(value); }};
}

Value<Node> placed_text(std::string form) {
  const auto plain = text(std::move(form));
  return {plain.shape,
          [plain](const Node& node, Decoder& decoder) -> std::optional<Node> {
            if (!plain.read(node, decoder)) return std::nullopt;
            return node;
          },
          [](const Node& node) { return node; }};
}

Value<Node> anything(std::string form) {
  Shape shape{.kind = Shape::Kind::anything};
  shape.text_form = std::move(form);
  return {shape, [](const Node& node, Decoder&) -> std::optional<Node> { return node; },
          [](const Node& node) { return node; }};
}

Value<std::int64_t> integer64(std::int64_t min, std::int64_t max) {
  Shape shape{.kind = Shape::Kind::integer};
  shape.min = static_cast<double>(min);
  shape.max = static_cast<double>(max);
  return {shape,
          [shape, min, max](const Node& node, Decoder& decoder) -> std::optional<std::int64_t> {
            // 1e3 is a valid integer, like 1000.
            const bool whole = node.kind == Node::Kind::number && std::floor(node.number) == node.number &&
                               std::abs(node.number) < 9e15;
            const auto value = whole ? static_cast<std::int64_t>(node.number) : node.integer;
            if ((node.kind == Node::Kind::integer || whole) && value >= min && value <= max) return value;
            wrong_kind(shape, node, decoder);
            return std::nullopt;
          },
          [](const std::int64_t& value) { return Node::of(value); }};
}

Value<int> integer(int min, int max) {
  return mapped<std::int64_t, int>(
      integer64(min, max), [](std::int64_t v) { return static_cast<int>(v); },
      [](const int& v) { return std::int64_t{v}; });
}

Value<double> number(double min, double max, bool above_min) {
  Shape shape{.kind = Shape::Kind::number};
  shape.min = min;
  shape.max = max;
  shape.above_min = above_min;
  return explained_number(std::move(shape), {});
}

Value<double> explained_number(Shape shape, std::string explanation) {
  shape.kind = Shape::Kind::number;
  shape.text_form = std::move(explanation);
  return {shape,
          [shape](const Node& node, Decoder& decoder) -> std::optional<double> {
            if (is_number(node) && in_range(shape, node.number)) return node.number;
            wrong_kind(shape, node, decoder);
            return std::nullopt;
          },
          [](const double& value) { return Node::of(value); }};
}

namespace {

Value<std::size_t> choice_of(std::string noun, const Shape& shape) {
  return {shape,
          [shape, noun = std::move(noun)](const Node& node, Decoder& decoder) -> std::optional<std::size_t> {
            const auto found =
                std::ranges::find(shape.choices, shape.any_spelling ? same_name(node.text, shape.choices) : node.text);
            if (node.kind != Node::Kind::text) {
              wrong_kind(shape, node, decoder);
            } else if (found == shape.choices.end()) {
              decoder.fail(node.position, fmt::format("{} is not {}{}", brief_text(node), noun,
                                                      did_you_mean(node.text, shape.choices)));
            } else {
              return static_cast<std::size_t>(found - shape.choices.begin());
            }
            return std::nullopt;
          },
          [shape](const std::size_t& index) { return Node::of(shape.choices[index]); }};
}

} // namespace

Value<std::size_t> name_of(std::string noun, std::vector<std::string> names) {
  Shape shape{.kind = Shape::Kind::choice};
  shape.choices = std::move(names);
  return choice_of(std::move(noun), shape);
}

Value<std::size_t> product_name(std::string noun, std::vector<std::string> names) {
  Shape shape{.kind = Shape::Kind::choice};
  shape.choices = std::move(names);
  shape.any_spelling = true;
  return choice_of(std::move(noun), shape);
}

Value<double> quantity_value(Dimension dimension, bool above_zero) {
  Shape shape{.kind = Shape::Kind::quantity};
  shape.dimension = dimension;
  shape.min = 0;
  shape.above_min = above_zero;
  return {shape,
          [shape](const Node& node, Decoder& decoder) -> std::optional<double> {
            if (is_number(node)) {
              decoder.fail(node.position,
                           fmt::format("{} has no unit; expected {}. Allowed units: {}", brief_text(node),
                                       describe(shape), joined(unit_names(shape.dimension))));
              return std::nullopt;
            }
            if (node.kind != Node::Kind::text) {
              wrong_kind(shape, node, decoder);
              return std::nullopt;
            }
            try {
              const auto value = parse_quantity(node.text, shape.dimension);
              if (in_range(shape, value)) return value;
              decoder.fail(node.position,
                           fmt::format("{} is out of range; expected {}", brief_text(node), describe(shape)));
            } catch (const UnitError& error) {
              decoder.fail(node.position, error.what());
            }
            return std::nullopt;
          },
          [dimension](const double& value) { return Node::of(format_quantity(value, dimension, UnitStyle::base)); }};
}

} // namespace gradflight
