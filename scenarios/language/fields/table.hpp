// One table for each JSON object: its keys with type, unit, default, documentation, and the C++ member that each fills.
//
// The table is all there is: strict decoding, writing back, the JSON Schema, `explain` and the reference page come from
// it. Fields are read in the order of the table, so a field that decides whether others apply comes before them.
#pragma once

#include "scenarios/language/fields/value.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <optional>
#include <string>

namespace gradflight {

/// A default for people: quantities in the unit that makes them short.
std::string default_text(const Shape& shape, const Node& shown);
/// `unknown key "nods"; did you mean ...`
void unknown_keys(const TableInfo& table, const Node& node, Decoder& decoder);

template <class T> class Table {
public:
  Table(std::string name, std::string doc) : info{std::move(name), std::move(doc), {}} {}

  TableInfo info;

  /// `get` is a member pointer or a callable that yields a reference to the member, const or not.
  template <class Get, class V> Table& required(std::string key, Get get, Value<V> value, std::string doc) {
    plain(std::move(key), get, std::move(value), std::move(doc));
    info.fields.back().required = true;
    return *this;
  }
  /// Absent: what T's own initialiser says.
  template <class Get, class V> Table& defaulted(std::string key, Get get, Value<V> value, std::string doc) {
    const T initial{};
    const auto shown = default_text(value.shape, value.show(std::invoke(get, initial)));
    plain(std::move(key), get, std::move(value), std::move(doc));
    info.fields.back().default_text = shown;
    return *this;
  }
  /// A std::optional member; `doc` says what its absence means.
  template <class Get, class V> Table& maybe(std::string key, Get get, Value<V> value, std::string doc) {
    return custom<V>(
        std::move(key), std::move(value), [get](T& object, V v) { std::invoke(get, object) = std::move(v); },
        [get](const T& object) -> std::optional<V> { return std::invoke(get, object); }, std::move(doc));
  }
  /// `put(T&, V)` stores a value, `take(const T&)` gives what to write back, if anything.
  template <class V, class Put, class Take>
  Table& custom(std::string key, Value<V> value, Put put, Take take, std::string doc) {
    info.fields.push_back({std::move(key), value.shape, false, {}, {}, std::move(doc)});
    access_.push_back({[read = value.read, put](T& object, const Node& node, Decoder& decoder) {
                         auto v = read(node, decoder);
                         if (v) put(object, std::move(*v));
                         return v.has_value();
                       },
                       [show = value.show, take](const T& object) -> std::optional<Node> {
                         if (std::optional<V> v = take(object)) return show(*v);
                         return std::nullopt;
                       },
                       {}});
    return *this;
  }
  /// The field added last is read only if `when` holds for the fields before it; anywhere else it is an error.
  Table& only(std::function<bool(const T&)> when, std::string condition) {
    access_.back().when = std::move(when);
    info.fields.back().only = std::move(condition);
    return *this;
  }
  /// Whether fields after the one added last apply is unknown where it could not be read. So are choices by themselves.
  Table& decides() {
    access_.back().decides = true;
    return *this;
  }
  /// The field added last cannot change a timing.
  Table& for_people() {
    info.fields.back().for_people = true;
    return *this;
  }
  /// The field added last, whose member is `get`, is read as `other` says where the key `beside` is written (well or
  /// badly), and shown so where `shown` holds.
  template <class Get, class V>
  Table& instead(const std::string& beside, Get get, Value<V> other, std::function<bool(const T&)> shown) {
    auto& access = access_.back();
    access.beside = beside;
    access.read_beside = [read = other.read, get](T& object, const Node& node, Decoder& decoder) {
      auto v = read(node, decoder);
      if (v) std::invoke(get, object) = std::move(*v);
      return v.has_value();
    };
    access.show = [show = other.show, usual = access.show, get, shown](const T& object) -> std::optional<Node> {
      return shown(object) ? std::optional(show(std::invoke(get, object))) : usual(object);
    };
    return *this;
  }
  /// Called after an object was read without errors.
  Table& finally(std::function<void(const T&, const Node&, Decoder&)> check) {
    check_ = std::move(check);
    return *this;
  }

  [[nodiscard]] std::optional<T> read(const Node& node, Decoder& decoder) const {
    const auto before = decoder.count();
    auto object = read_partly(node, decoder);
    if (decoder.count() == before && check_) check_(object, node, decoder);
    if (decoder.count() != before) return std::nullopt;
    return object;
  }

  /// What can be read, whatever else is wrong; the rest is as if it were absent. `finally` is not asked.
  [[nodiscard]] T read_partly(const Node& node, Decoder& decoder) const {
    T object{};
    if (node.kind != Node::Kind::object) {
      wrong_kind({.kind = Shape::Kind::object, .table = &info}, node, decoder);
      return object;
    }
    unknown_keys(info, node, decoder);
    bool unsure = false; // a choice could not be read: whether the fields after it apply is unknown
    for (std::size_t i = 0; i < access_.size(); ++i) {
      const auto& field = info.fields[i];
      const auto member = std::ranges::find(node.members, field.key, &Member::key);
      const bool applies = unsure || !access_[i].when || access_[i].when(object);
      const bool decides =
          access_[i].decides || field.shape.kind == Shape::Kind::choice || field.shape.kind == Shape::Kind::any;
      if (member == node.members.end()) {
        if (!field.required || !applies || (unsure && !field.only.empty())) continue;
        decoder.fail(node.position, fmt::format("\"{}\" is missing: {}", field.key, describe(field.shape)));
        unsure |= decides;
        continue;
      }
      const auto step = decoder.into(field.key);
      if (!applies)
        decoder.fail(member->position,
                     fmt::format("\"{}\" is read by nobody here: it needs {}", field.key, field.only));
      else if (const auto& read = access_[i].beside.empty() || node.find(access_[i].beside) == nullptr
                                      ? access_[i].read
                                      : access_[i].read_beside;
               !read(object, member->value, decoder))
        unsure |= decides;
    }
    return object;
  }

  /// Every key that applies and has a value.
  [[nodiscard]] Node show(const T& object) const {
    auto node = Node::object();
    for (std::size_t i = 0; i < access_.size(); ++i) {
      if (access_[i].when && !access_[i].when(object)) continue;
      if (auto value = access_[i].show(object)) node.set(info.fields[i].key, std::move(*value));
    }
    return node;
  }

private:
  struct Access {
    std::function<bool(T&, const Node&, Decoder&)> read;
    std::function<std::optional<Node>(const T&)> show;
    std::function<bool(const T&)> when;
    bool decides = false;
    std::string beside{};
    std::function<bool(T&, const Node&, Decoder&)> read_beside{};
  };
  template <class Get, class V> void plain(std::string key, Get get, Value<V> value, std::string doc) {
    custom<V>(
        std::move(key), std::move(value), [get](T& object, V v) { std::invoke(get, object) = std::move(v); },
        [get](const T& object) -> std::optional<V> { return std::invoke(get, object); }, std::move(doc));
  }
  std::vector<Access> access_;
  std::function<void(const T&, const Node&, Decoder&)> check_;
};

/// `table` must outlive the value (tables are function-local constants).
template <class T> Value<T> object(const Table<T>& table) {
  Shape shape{.kind = Shape::Kind::object};
  shape.table = &table.info;
  return {shape, [&table](const Node& node, Decoder& decoder) { return table.read(node, decoder); },
          [&table](const T& value) { return table.show(value); }};
}

} // namespace gradflight
