// The subset of the Protocol Buffers wire format that is used here (https://protobuf.dev/programming-guides/encoding).
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace gradflight {

/// Builds a message, field by field.
class Protobuf {
public:
  void clear() { bytes_.clear(); }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

  void varint(int field, std::uint64_t value) {
    tag(field, 0);
    put(value);
  }
  void fixed64(int field, std::uint64_t value) {
    tag(field, 1);
    for (int i = 0; i < 8; ++i) bytes_ += static_cast<char>(value >> 8 * i & 0xff);
  }
  void number(int field, double value) { fixed64(field, std::bit_cast<std::uint64_t>(value)); }
  void text(int field, std::string_view value) {
    tag(field, 2);
    put(value.size());
    bytes_ += value;
  }
  void message(int field, const Protobuf& value) { text(field, value.bytes_); }

private:
  void tag(int field, unsigned wire) { put(static_cast<std::uint64_t>(field) << 3U | wire); }
  void put(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7U) bytes_ += static_cast<char>((value & 0x7fU) | 0x80U);
    bytes_ += static_cast<char>(value);
  }
  std::string bytes_;
};

} // namespace gradflight
