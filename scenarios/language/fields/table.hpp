// One table for each JSON object: its keys with type, unit, default, documentation, and the C++ member of each key.
//
// The table is the only definition. It gives strict decoding, writing, the JSON Schema, `explain` and the reference
// page. Fields are read in the order of the table. So a field that decides whether others apply comes before them.
//
// A table has some dozen rows, and the language some four hundred. So a row is data: how to read and show a value of
// its type, and the offset of the member in the object. TableRows does the rest without the object's type.
#pragma once

#include "scenarios/language/fields/value.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace gradflight {

/// How to read and show a member that is known only by its address.
struct MemberAccess {
  std::function<bool(void* member, const Node&, Decoder&)> read; ///< false: reported to the decoder, nothing stored
  std::function<std::optional<Node>(const void* member)> show;   ///< nothing for an empty optional
};

/// Access to a member of type M, which holds a V or is an optional V.
template <class M, class V> MemberAccess access_to(Value<V> value) {
  return {[read = std::move(value.read)](void* member, const Node& node, Decoder& decoder) {
            auto v = read(node, decoder);
            if (v) *static_cast<M*>(member) = std::move(*v);
            return v.has_value();
          },
          [show = std::move(value.show)](const void* member) -> std::optional<Node> {
            const auto& held = *static_cast<const M*>(member);
            if constexpr (std::is_same_v<M, V>)
              return show(held);
            else if (const std::optional<V> v = held)
              return show(*v);
            else
              return std::nullopt;
          }};
}

/// The rows of a table without the type of its object; the object is passed as an address.
class TableRows {
public:
  TableRows(std::string name, std::string doc);

  TableInfo info;

protected:
  using Read = std::function<bool(void* object, const Node&, Decoder&)>;
  using Show = std::function<std::optional<Node>(const void* object)>;

  /// `offset` is the member's offset from the start of the object.
  void add(std::string key, const Shape& shape, std::string doc, std::size_t offset, MemberAccess member);
  void add(std::string key, const Shape& shape, std::string doc, Read read, Show show);
  /// The last added field is read only if `when` holds.
  void set_condition(std::function<bool(const void* object)> when, std::string condition);
  /// If the last added field cannot be read, it is unknown whether fields after it apply.
  void set_decides();
  /// The last added field is read by `other` if the key `beside` exists, and shown that way if `shown` holds.
  void set_alternative(const std::string& beside, std::size_t offset, MemberAccess other,
                       std::function<bool(const void* object)> shown);
  /// The documentation shows the last added field's value in `initial` as its default.
  void set_default(const void* initial);

  /// Reads all valid values into `object`; returns false if `node` is not an object.
  bool read_rows(void* object, const Node& node, Decoder& decoder) const;
  [[nodiscard]] Node show_rows(const void* object) const;

private:
  struct Row {
    Read read;
    Show show;
    std::function<bool(const void*)> when{};
    bool decides = false;
    std::string beside{};
    Read read_beside{};
  };
  std::vector<Row> rows_;
};

template <class T> class Table : public TableRows {
public:
  using TableRows::TableRows;

  /// `get` is a member pointer, or a callable that returns a reference to a member inside the object.
  template <class Get, class V> Table& required(std::string key, Get get, Value<V> value, std::string doc) {
    member(std::move(key), get, std::move(value), std::move(doc));
    info.fields.back().required = true;
    return *this;
  }
  /// If absent, the member keeps the value of T's initialiser.
  template <class Get, class V> Table& defaulted(std::string key, Get get, Value<V> value, std::string doc) {
    member(std::move(key), get, std::move(value), std::move(doc));
    set_default(initial_.get());
    return *this;
  }
  /// Adds a std::optional member; `doc` says what its absence means.
  template <class Get, class V> Table& maybe(std::string key, Get get, Value<V> value, std::string doc) {
    return member(std::move(key), get, std::move(value), std::move(doc));
  }
  /// `put(T&, V)` stores a value; `take(const T&)` returns the value to write, if any.
  template <class V, class Put, class Take>
  Table& custom(std::string key, Value<V> value, Put put, Take take, std::string doc) {
    add(
        std::move(key), value.shape, std::move(doc),
        [read = value.read, put](void* object, const Node& node, Decoder& decoder) {
          auto v = read(node, decoder);
          if (v) put(*static_cast<T*>(object), std::move(*v));
          return v.has_value();
        },
        [show = value.show, take](const void* object) -> std::optional<Node> {
          if (std::optional<V> v = take(*static_cast<const T*>(object))) return show(*v);
          return std::nullopt;
        });
    return *this;
  }
  /// The last added field is allowed only if `when` holds for the fields before it; otherwise it is an error.
  Table& only(std::function<bool(const T&)> when, std::string condition) {
    set_condition(typed(std::move(when)), std::move(condition));
    return *this;
  }
  /// If the last added field cannot be read, it is unknown whether fields after it apply. Choices have this property by
  /// default.
  Table& decides() {
    set_decides();
    return *this;
  }
  /// The last added field cannot change a time.
  Table& for_people() {
    info.fields.back().for_people = true;
    return *this;
  }
  /// If the key `beside` exists (valid or not), the last added field with member `get` is read by `other`. It is shown
  /// that way if `shown` holds.
  template <class Get, class V>
  Table& instead(const std::string& beside, Get get, Value<V> other, std::function<bool(const T&)> shown) {
    set_alternative(beside, offset(get), access_to<Member<Get>>(std::move(other)), typed(std::move(shown)));
    return *this;
  }
  /// `check` is called after an object was read without errors.
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

  /// Reads all valid values; others count as absent. Does not call `finally`.
  [[nodiscard]] T read_partly(const Node& node, Decoder& decoder) const {
    T object{};
    read_rows(&object, node, decoder);
    return object;
  }

  /// Writes every key that applies and has a value.
  [[nodiscard]] Node show(const T& object) const { return show_rows(&object); }

private:
  template <class Get> using Member = std::remove_cvref_t<std::invoke_result_t<Get, T&>>;

  template <class Get> std::size_t offset(Get get) const {
    const auto* const start = reinterpret_cast<const char*>(initial_.get());
    return static_cast<std::size_t>(reinterpret_cast<const char*>(&std::invoke(get, *initial_)) - start);
  }
  template <class Get, class V> Table& member(std::string key, Get get, Value<V> value, std::string doc) {
    const Shape shape = value.shape;
    add(std::move(key), shape, std::move(doc), offset(get), access_to<Member<Get>>(std::move(value)));
    return *this;
  }
  static std::function<bool(const void*)> typed(std::function<bool(const T&)> holds) {
    return [holds = std::move(holds)](const void* object) { return holds(*static_cast<const T*>(object)); };
  }

  /// Its address gives offsets of members, and it holds the defaults.
  std::shared_ptr<T> initial_ = std::make_shared<T>();
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
