// One table for each object of a result: its keys with type, unit, documentation, and the function that reads each from
// a run.
//
// The table is the only definition. It gives the JSON of `run --json` and result.json, its JSON Schema, the numbers
// that `expect`, packs and sweeps name, links.csv, and docs/result-reference.md. To add a number, add its row
// (result_fields.cpp) and the condition of its presence; a row without a unit does not compile.
//
// Values are written in the order of the rows. If a reader returns nothing, a row with `only` leaves its key out, and a
// row with `or_null` writes null. Every such row needs one of the two.
#pragma once

#include "analysis/run/result/fields/result_value.hpp"
#include "scenarios/language/fields/shape.hpp"

#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace gradflight {

class Platform;
struct Scenario;

/// The data known before a run; they decide whether its result will have a number.
struct PlannedRun {
  const Scenario& scenario;
  const Platform& platform;
};

struct ResultTableInfo;

/// Additional data for the FieldInfo with the same index.
struct ResultRow {
  const ResultTableInfo* table = nullptr; ///< table of an object, or of the items of a list
  bool is_label = false;                  ///< describes the run; not a quantity
  /// Returns why no run of this scenario has the value; empty: a run may have it. Null: always empty.
  std::function<std::string(const PlannedRun&)> why_none{};
  /// For a list: returns the mistake in an item's name or number. Null: never a mistake.
  std::function<std::string(const PlannedRun&, const std::string& item)> wrong_item{};
};

/// The part of a table without C++ types: names and meanings of its rows.
struct ResultTableInfo {
  TableInfo info;
  std::string noun = "number"; ///< name of its numbers in messages
  std::vector<ResultRow> rows{};
};

/// A row, and for a list the item: its number from 0, or its name.
struct ResultStep {
  std::size_t row = 0;
  std::string item{};
};
using ResultPath = std::vector<ResultStep>;

/// Receives the parts of an object in order.
class ResultSink {
public:
  ResultSink() = default;
  ResultSink(const ResultSink&) = delete;
  ResultSink& operator=(const ResultSink&) = delete;
  virtual ~ResultSink() = default;
  /// An empty value means null. `key` is empty for an item of a list, here and below.
  virtual void value(const std::string& key, const std::optional<ResultValue>& value) = 0;
  virtual void begin_object(const std::string& key) = 0;
  virtual void begin_list(const std::string& key) = 0;
  virtual void end() = 0;
};

/// Access to the items of a list.
template <class T, class Item> struct ResultList {
  std::function<std::size_t(const T&)> size;
  std::function<Item(const T&, std::size_t)> item;
  std::function<const std::string&(const T&, std::size_t)> name{}; ///< null: items have only numbers
  /// Index of the first one, and after the last one.
  std::function<std::pair<std::size_t, std::size_t>(const T&)> left_out_of_json{};
  std::function<bool(const T&)> absent{}; ///< whether the list and its key are absent; null: never
};

template <class T> class ResultTable : public ResultTableInfo {
public:
  ResultTable(std::string name, std::string doc, std::string called = "number")
      : ResultTableInfo{{std::move(name), std::move(doc), {}}, std::move(called), {}} {}

  /// `read(const T&)` returns a number or an optional number. `unit`: "s", "bytes", ...; "1" for a ratio.
  template <class Read> ResultTable& number(std::string key, std::string unit, std::string doc, Read read) {
    return plain(std::move(key), {.kind = Shape::Kind::number}, std::move(unit), std::move(doc), value_reader(read));
  }
  /// A count: a whole number is written without a fraction.
  template <class Read> ResultTable& count(std::string key, std::string unit, std::string doc, Read read) {
    const auto kind =
        std::is_integral_v<std::invoke_result_t<Read, const T&>> ? Shape::Kind::integer : Shape::Kind::number;
    return plain(std::move(key), {.kind = kind, .min = 0}, std::move(unit), std::move(doc),
                 [read](const T& object) -> std::optional<ResultValue> { return whole_value(read(object)); });
  }
  template <class Read> ResultTable& text(std::string key, std::string doc, Read read) {
    return plain(std::move(key), {.kind = Shape::Kind::text}, {}, std::move(doc), value_reader(read));
  }
  template <class Read> ResultTable& truth(std::string key, std::string doc, Read read) {
    return plain(std::move(key), {.kind = Shape::Kind::boolean}, {}, std::move(doc), value_reader(read));
  }
  template <class Read>
  ResultTable& choice(std::string key, const std::vector<std::string>& choices, std::string doc, Read read) {
    return plain(std::move(key), {.kind = Shape::Kind::choice, .choices = choices}, {}, std::move(doc),
                 value_reader(read));
  }
  /// `get(const T&)` returns a pointer-like value to the object, or an empty one. `table` must outlive this table.
  template <class U, class Get>
  ResultTable& object(std::string key, const ResultTable<U>& table, std::string doc, Get get) {
    add(key, {.kind = Shape::Kind::object, .table = &table.info}, {}, std::move(doc), &table);
    access_.push_back({{},
                       [key, &table, get](const T& object, ResultSink& sink) {
                         const auto item = get(object);
                         if (!item) return false;
                         sink.begin_object(key);
                         table.write(*item, sink);
                         sink.end();
                         return true;
                       },
                       [&table, get](const T& object, std::span<const ResultStep> path) -> std::optional<ResultValue> {
                         const auto item = get(object);
                         return item ? table.read(*item, path.subspan(1)) : std::nullopt;
                       }});
    return *this;
  }
  /// `item_name` represents an item in paths if items have names: "LINK"; else it is empty.
  template <class U, class Item>
  ResultTable& list(std::string key, std::string item_name, const ResultTable<U>& table, std::string doc,
                    ResultList<T, Item> list) {
    Shape shape{.kind = Shape::Kind::list, .parts = {{.kind = Shape::Kind::object, .table = &table.info}}};
    shape.item_name = std::move(item_name);
    add(key, std::move(shape), {}, std::move(doc), &table);
    access_.push_back({{},
                       [key, &table, list](const T& object, ResultSink& sink) {
                         if (list.absent && list.absent(object)) return false;
                         const auto size = list.size(object);
                         sink.begin_list(key);
                         const auto left_out =
                             list.left_out_of_json ? list.left_out_of_json(object) : std::pair(size, size);
                         for (std::size_t i = 0; i < size; ++i) {
                           if (i == left_out.first) i = left_out.second;
                           if (i >= size) break;
                           sink.begin_object({});
                           table.write(list.item(object, i), sink);
                           sink.end();
                         }
                         sink.end();
                         return true;
                       },
                       [&table, list](const T& object, std::span<const ResultStep> path) -> std::optional<ResultValue> {
                         const auto at = place_in(object, list, path.front().item);
                         return at ? table.read(list.item(object, *at), path.subspan(1)) : std::nullopt;
                       }});
    return *this;
  }
  /// Adds the rows of another table to this one; `get(const T&)` returns the other table's object. The other table must
  /// contain only values.
  template <class U, class Get> ResultTable& include(const ResultTable<U>& table, Get get) {
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      if (!table.access_[i].value) throw std::logic_error("only values can be included");
      info.fields.push_back(table.info.fields[i]);
      rows.push_back(table.rows[i]);
      access_.push_back({[get, read = table.access_[i].value](const T& object) { return read(get(object)); }, {}, {}});
    }
    return *this;
  }

  // The following functions refer to the last added row.
  // Only some results have its key; `condition` says which ("several phases").
  ResultTable& only(const std::string& condition) {
    info.fields.back().required = false;
    info.fields.back().only = condition;
    return *this;
  }
  ResultTable& or_null() {
    info.fields.back().shape.nullable = true;
    return *this;
  }
  ResultTable& label() {
    rows.back().is_label = true;
    return *this;
  }
  ResultTable& why_none(const std::function<std::string(const PlannedRun&)>& why) {
    rows.back().why_none = why;
    return *this;
  }
  ResultTable& wrong_item(const std::function<std::string(const PlannedRun&, const std::string&)>& wrong) {
    rows.back().wrong_item = wrong;
    return *this;
  }

  /// Writes all values between the sink's begin and end.
  void write(const T& object, ResultSink& sink) const {
    for (std::size_t i = 0; i < access_.size(); ++i) {
      const auto& field = info.fields[i];
      bool written = false;
      if (access_[i].value) {
        const auto value = access_[i].value(object);
        written = value.has_value();
        if (written) sink.value(field.key, value);
      } else {
        written = access_[i].write(object, sink);
      }
      if (!written && field.shape.nullable) sink.value(field.key, std::nullopt);
    }
  }
  /// Returns nothing for null, or if this result has no such value. The path must belong to this table.
  [[nodiscard]] std::optional<ResultValue> read(const T& object, std::span<const ResultStep> path) const {
    const auto& access = access_[path.front().row];
    return access.value ? access.value(object) : access.read(object, path);
  }

private:
  template <class> friend class ResultTable;
  using ValueReader = std::function<std::optional<ResultValue>(const T&)>;
  struct Access {
    ValueReader value; ///< for a value; otherwise `read` and `write` are set
    std::function<bool(const T&, ResultSink&)> write;
    std::function<std::optional<ResultValue>(const T&, std::span<const ResultStep>)> read;
  };

  template <class Read> static ValueReader value_reader(Read read) {
    return [read](const T& object) -> std::optional<ResultValue> { return result_value(read(object)); };
  }
  ResultTable& plain(std::string key, Shape shape, std::string unit, std::string doc, ValueReader read) {
    add(std::move(key), std::move(shape), std::move(unit), std::move(doc), nullptr);
    access_.push_back({std::move(read), {}, {}});
    return *this;
  }
  void add(std::string key, Shape shape, std::string unit, std::string doc, const ResultTableInfo* table) {
    FieldInfo field{std::move(key), std::move(shape), true, {}, {}, std::move(doc)};
    field.unit = std::move(unit);
    info.fields.push_back(std::move(field));
    rows.push_back({table, false, {}, {}});
  }
  /// Finds an item by name if items have names, else by number.
  template <class Item>
  static std::optional<std::size_t> place_in(const T& object, const ResultList<T, Item>& list,
                                             const std::string& item) {
    const auto size = list.size(object);
    if (list.name)
      for (std::size_t i = 0; i < size; ++i)
        if (list.name(object, i) == item) return i;
    const auto number = item_number(item);
    return number && *number < size ? number : std::nullopt;
  }
  std::vector<Access> access_;
};

} // namespace gradflight
