// How to describe, read and write one JSON value: the basic elements of field tables.
#pragma once

#include "scenarios/language/fields/decoder.hpp"
#include "scenarios/language/fields/shape.hpp"

#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gradflight {

inline bool is_text(const Node& node) { return node.kind == Node::Kind::text; }
inline bool is_number(const Node& node) { return node.kind == Node::Kind::integer || node.kind == Node::Kind::number; }

/// `read` reports to the decoder and returns nothing if the node does not match `shape`.
template <class V> struct Value {
  Shape shape;
  std::function<std::optional<V>(const Node&, Decoder&)> read;
  std::function<Node(const V&)> show;
};

inline constexpr std::int64_t max_ranks = 1'000'000;
inline constexpr std::int64_t max_iterations = 1'000'000'000;
inline constexpr double unlimited = std::numeric_limits<double>::infinity();

Value<bool> boolean();
Value<std::string> text(std::string form = {});
Value<std::int64_t> integer64(std::int64_t min, std::int64_t max);
Value<int> integer(int min, int max);
Value<double> number(double min, double max, bool above_min = false);
/// A text with its position.
Value<Node> placed_text(std::string form = {});
/// Any JSON value with its position; `form` describes the expected value.
Value<Node> anything(std::string form);
/// Reports a node that does not match `shape`.
void wrong_kind(const Shape& shape, const Node& node, Decoder& decoder);

/// Returns whether the member is a comment. Reports a comment that is not a text.
bool skips_comment(const Member& member, Decoder& decoder);

/// Returns the members of an object whose keys the author chooses, without its comments. Reports another kind of value,
/// and fewer members than `min_members`.
std::optional<std::vector<Member>> settings_of(const Shape& shape, const Node& node, Decoder& decoder,
                                               std::size_t min_members = 0);

/// The same, with each member read by `read`: std::optional<V>(const Member&), which reports to the decoder when it
/// returns nothing. Reads every member, and returns nothing if it cannot read one of them.
template <class V, class Read>
std::optional<std::vector<V>> members_of(const Shape& shape, const Node& node, Decoder& decoder, Read read,
                                         std::size_t min_members = 0) {
  const auto members = settings_of(shape, node, decoder, min_members);
  if (!members) return std::nullopt;
  std::vector<V> values;
  for (const Member& member : *members) {
    const auto step = decoder.into(member.key);
    if (member.value.unread)
      decoder.pass_over();
    else if (std::optional<V> value = read(member))
      values.push_back(std::move(*value));
  }
  if (values.size() < members->size()) return std::nullopt;
  return values;
}

/// Whether `node` has the JSON type of `shape`, regardless of its value.
bool plausible(const Shape& shape, const Node& node);

/// One of `names`; the result is its index. Messages use `noun`, as in `"sta" is not a topology`.
Value<std::size_t> name_of(std::string noun, std::vector<std::string> names);
/// The same for the name of a product, which people spell in different ways (same_name).
Value<std::size_t> product_name(std::string noun, std::vector<std::string> names);
/// A quantity in base units; with `above_zero`, 0 is rejected.
Value<double> quantity_value(Dimension dimension, bool above_zero);

template <class V, class W, class To, class From> Value<W> mapped(Value<V> value, To to, From from) {
  return {value.shape,
          [read = value.read, to](const Node& node, Decoder& decoder) -> std::optional<W> {
            if (auto v = read(node, decoder)) return to(*v);
            return std::nullopt;
          },
          [show = value.show, from](const W& w) { return show(from(w)); }};
}

template <class Q> Value<Q> quantity() {
  return mapped<double, Q>(
      quantity_value(DimensionOf<Q>::value, false), [](double v) { return Q(v); },
      [](const Q& q) { return q.value(); });
}
template <class Q> Value<Q> positive() {
  return mapped<double, Q>(
      quantity_value(DimensionOf<Q>::value, true), [](double v) { return Q(v); }, [](const Q& q) { return q.value(); });
}
/// A time, stored as plain seconds.
inline Value<double> seconds() { return quantity_value(Dimension::time, false); }

template <class E> Value<E> choice(std::string noun, std::initializer_list<std::pair<const char*, E>> pairs) {
  std::vector<std::string> names;
  std::vector<E> values;
  for (const auto& [name, value] : pairs) {
    names.emplace_back(name);
    values.push_back(value);
  }
  return mapped<std::size_t, E>(
      name_of(std::move(noun), std::move(names)), [values](std::size_t i) { return values[i]; },
      [values](const E& e) {
        std::size_t i = 0;
        while (i + 1 < values.size() && !(values[i] == e)) ++i;
        return i;
      });
}

template <class V> Value<std::vector<V>> list(Value<V> item, int min_items = 0) {
  Shape shape{.kind = Shape::Kind::list};
  shape.parts = {item.shape};
  shape.min_items = min_items;
  auto read = [item, shape](const Node& node, Decoder& decoder) -> std::optional<std::vector<V>> {
    if (node.kind != Node::Kind::list || static_cast<int>(node.items.size()) < shape.min_items) {
      wrong_kind(shape, node, decoder);
      return std::nullopt;
    }
    std::vector<V> values;
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      const auto step = decoder.into(i);
      if (node.items[i].unread)
        decoder.pass_over();
      else if (auto value = item.read(node.items[i], decoder))
        values.push_back(std::move(*value));
    }
    if (values.size() < node.items.size()) return std::nullopt;
    return values;
  };
  auto show = [show = item.show](const std::vector<V>& values) {
    std::vector<Node> items;
    for (const auto& value : values) items.push_back(show(value));
    return Node::list(std::move(items));
  };
  return {std::move(shape), std::move(read), std::move(show)};
}

/// Two ways to write a value. `takes_first` selects the way to read a node, and `shows_first` the way to write a value.
template <class V>
Value<V> either(Value<V> first, Value<V> second, std::function<bool(const Node&)> takes_first,
                std::function<bool(const V&)> shows_first) {
  Shape shape{.kind = Shape::Kind::any};
  for (const auto& part : {first.shape, second.shape}) {
    if (part.kind == Shape::Kind::any)
      shape.parts.insert(shape.parts.end(), part.parts.begin(), part.parts.end());
    else
      shape.parts.push_back(part);
  }
  auto read = [first, second, takes_first = std::move(takes_first), shape](const Node& node,
                                                                           Decoder& decoder) -> std::optional<V> {
    if (takes_first(node)) return first.read(node, decoder);
    if (plausible(second.shape, node)) return second.read(node, decoder);
    wrong_kind(shape, node, decoder);
    return std::nullopt;
  };
  auto show = [first, second, shows_first](const V& v) { return shows_first(v) ? first.show(v) : second.show(v); };
  return {shape, std::move(read), std::move(show)};
}

} // namespace gradflight
