// Serializes values for a pipe between two processes of one program. The bytes are never stored or sent elsewhere.
//
// A type lists its members once for both directions, so that the two cannot differ. The binding names all of them, so
// that none can be forgotten:
//
//   template <class Visitor, Same<LinkDelay> Result> void visit(Visitor& fields, Result& r) {
//     auto& [link, seconds, traffic] = r;
//     fields(link, seconds, traffic);
//   }
//
// The function is in the namespace of the type. Numbers, enumerators, texts, optionals, vectors, arrays, pairs and
// variants are supported.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace gradflight {

template <class T, class Known>
concept Same = std::same_as<std::remove_const_t<T>, Known>;

/// The bytes do not represent a value of the requested type: they are too short, too long, or invalid.
class MalformedBytes : public std::runtime_error {
public:
  MalformedBytes() : std::runtime_error("a result of a simulation process has the wrong form") {}
};

class ByteWriter {
public:
  template <class... Fields> void operator()(const Fields&... fields) { (put(fields), ...); }
  [[nodiscard]] std::string take() { return std::move(out_); }

private:
  template <class T> void put(const T& value) {
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>)
      out_.append(reinterpret_cast<const char*>(&value), sizeof value);
    else
      visit(*this, value);
  }
  void put(const std::string& text) {
    put(text.size());
    out_ += text;
  }
  template <class T> void put(const std::vector<T>& list) {
    put(list.size());
    for (const T& item : list) put(item);
  }
  template <class T, std::size_t n> void put(const std::array<T, n>& list) {
    for (const T& item : list) put(item);
  }
  template <class T> void put(const std::optional<T>& value) {
    put(value.has_value());
    if (value) put(*value);
  }
  template <class A, class B> void put(const std::pair<A, B>& both) { (*this)(both.first, both.second); }
  void put(std::monostate) {}
  template <class... Ts> void put(const std::variant<Ts...>& value) {
    put(value.index());
    std::visit([&](const auto& alternative) { put(alternative); }, value);
  }

  std::string out_;
};

class ByteReader {
public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}
  template <class... Fields> void operator()(Fields&... fields) { (get(fields), ...); }
  [[nodiscard]] bool done() const { return rest_.empty(); }

private:
  template <class T> void get(T& value) {
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>)
      std::memcpy(&value, take(sizeof value).data(), sizeof value);
    else
      visit(*this, value);
  }
  void get(bool& value) {
    const auto byte = take(1).front();
    if (byte != 0 && byte != 1) throw MalformedBytes();
    value = byte == 1;
  }
  void get(std::string& text) { text = take(size()); }
  template <class T> void get(std::vector<T>& list) {
    const auto count = size();
    if (count > rest_.size()) throw MalformedBytes(); // each item has at least one byte
    list.assign(count, T{});
    for (T& item : list) get(item);
  }
  template <class T, std::size_t n> void get(std::array<T, n>& list) {
    for (T& item : list) get(item);
  }
  template <class T> void get(std::optional<T>& value) {
    bool present = false;
    get(present);
    value.reset();
    if (present) get(value.emplace());
  }
  template <class A, class B> void get(std::pair<A, B>& both) { (*this)(both.first, both.second); }
  void get(std::monostate&) {}
  template <class... Ts> void get(std::variant<Ts...>& value) {
    const auto index = size();
    if (index >= sizeof...(Ts)) throw MalformedBytes();
    std::size_t next = 0;
    ((next++ == index ? get(value.template emplace<Ts>()) : void()), ...); // the alternative types must differ
  }

  std::size_t size() {
    std::size_t value = 0;
    get(value);
    return value;
  }
  std::string_view take(std::size_t size) {
    if (size > rest_.size()) throw MalformedBytes();
    const auto taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  std::string_view rest_;
};

template <class T> std::string to_bytes(const T& value) {
  ByteWriter writer;
  writer(value);
  return writer.take();
}

/// Throws MalformedBytes if the bytes do not represent a T.
template <class T> T from_bytes(std::string_view bytes) {
  ByteReader reader(bytes);
  T value{};
  reader(value);
  if (!reader.done()) throw MalformedBytes();
  return value;
}

} // namespace gradflight
