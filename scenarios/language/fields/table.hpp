// One table for each JSON object: its keys with type, unit, default, documentation, and the C++ member that each fills.
//
// The table is all there is: strict decoding, writing back, the JSON Schema, `explain` and the reference page come from
// it. Fields are read in the order of the table, so a field that decides whether others apply comes before them.
//
// A table has some dozen rows, and the language some four hundred. So a row is data: it holds how to read and show a
// value of its type and where in the object the member lies. TableRows does the rest without knowing the object's type.
#pragma once

#include "scenarios/language/fields/value.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace gradflight {

/// How a member is read and shown, for members that are known by their address alone.
struct MemberAccess {
  std::function<bool(void* member, const Node&, Decoder&)> read; ///< false: reported to the decoder, not stored
  std::function<std::optional<Node>(const void* member)> show;   ///< nothing: an empty optional
};

/// For a member of type M that holds a V or is an optional V.
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

/// The rows of a table without the type of its object, which is passed as an address.
class TableRows {
public:
  TableRows(std::string name, std::string doc);

  TableInfo info;

protected:
  using Read = std::function<bool(void* object, const Node&, Decoder&)>;
  using Show = std::function<std::optional<Node>(const void* object)>;

  /// `offset` of the member from the start of the object.
  void add(std::string key, const Shape& shape, std::string doc, std::size_t offset, MemberAccess member);
  void add(std::string key, const Shape& shape, std::string doc, Read read, Show show);
  /// The field added last: read only where `when` holds.
  void set_condition(std::function<bool(const void* object)> when, std::string condition);
  /// The field added last: whether fields after it apply is unknown where it could not be read.
  void set_decides();
  /// The field added last: `other` where the key `beside` is written, shown so where `shown` holds.
  void set_alternative(const std::string& beside, std::size_t offset, MemberAccess other,
                       std::function<bool(const void* object)> shown);
  /// The field added last: the default that the documentation shows is what `initial` holds.
  void set_default(const void* initial);

  /// Reads into `object` what can be read; false: `node` is no object.
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

  /// `get` is a member pointer or a callable that yields a reference to a member that lies in the object itself.
  template <class Get, class V> Table& required(std::string key, Get get, Value<V> value, std::string doc) {
    member(std::move(key), get, std::move(value), std::move(doc));
    info.fields.back().required = true;
    return *this;
  }
  /// Absent: what T's own initialiser says.
  template <class Get, class V> Table& defaulted(std::string key, Get get, Value<V> value, std::string doc) {
    member(std::move(key), get, std::move(value), std::move(doc));
    set_default(initial_.get());
    return *this;
  }
  /// A std::optional member; `doc` says what its absence means.
  template <class Get, class V> Table& maybe(std::string key, Get get, Value<V> value, std::string doc) {
    return member(std::move(key), get, std::move(value), std::move(doc));
  }
  /// `put(T&, V)` stores a value, `take(const T&)` gives what to write back, if anything.
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
  /// The field added last is read only if `when` holds for the fields before it; anywhere else it is an error.
  Table& only(std::function<bool(const T&)> when, std::string condition) {
    set_condition(typed(std::move(when)), std::move(condition));
    return *this;
  }
  /// Whether fields after the one added last apply is unknown where it could not be read. So are choices by themselves.
  Table& decides() {
    set_decides();
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
    set_alternative(beside, offset(get), access_to<Member<Get>>(std::move(other)), typed(std::move(shown)));
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
    read_rows(&object, node, decoder);
    return object;
  }

  /// Every key that applies and has a value.
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

  std::shared_ptr<T> initial_ = std::make_shared<T>(); ///< members are found in it, and their defaults
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
