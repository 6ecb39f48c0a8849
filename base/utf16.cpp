#include "base/utf16.hpp"

#include <utility>

namespace gradflight {
namespace {

constexpr unsigned mark = 0xFEFF, replacement = 0xFFFD;

void append(std::string& text, unsigned character) {
  const auto following = [&](unsigned shift) { text += static_cast<char>(0x80U | ((character >> shift) & 0x3FU)); };
  if (character < 0x80) {
    text += static_cast<char>(character);
  } else if (character < 0x800) {
    text += static_cast<char>(0xC0U | (character >> 6U));
    following(0);
  } else if (character < 0x10000) {
    text += static_cast<char>(0xE0U | (character >> 12U));
    following(6);
    following(0);
  } else {
    text += static_cast<char>(0xF0U | (character >> 18U));
    following(12);
    following(6);
    following(0);
  }
}

} // namespace

std::optional<Utf16Decoder> Utf16Decoder::of_file(std::string_view begin) {
  if (begin.starts_with("\xFF\xFE")) return Utf16Decoder(false);
  if (begin.starts_with("\xFE\xFF")) return Utf16Decoder(true);
  constexpr std::size_t seen_bytes = 8; // a few zeros alone may be a hole in a file
  if (begin.size() < seen_bytes) return std::nullopt;
  const auto ascii_with_zeros_at = [&](std::size_t zero) {
    for (std::size_t i = 0; i < seen_bytes; ++i)
      if ((begin[i] == '\0') != (i % 2 == zero) || static_cast<unsigned char>(begin[i]) >= 0x80) return false;
    return true;
  };
  if (ascii_with_zeros_at(1)) return Utf16Decoder(false);
  if (ascii_with_zeros_at(0)) return Utf16Decoder(true);
  return std::nullopt;
}

void Utf16Decoder::take_unit(unsigned unit, std::string& text) {
  if (std::exchange(at_start_, false) && unit == mark) return;
  const bool is_high = unit >= 0xD800 && unit < 0xDC00, is_low = unit >= 0xDC00 && unit < 0xE000;
  if (const unsigned high = std::exchange(high_, 0); high != 0) {
    if (is_low) {
      append(text, 0x10000 + ((high - 0xD800) << 10U) + (unit - 0xDC00));
      return;
    }
    append(text, replacement);
  }
  if (is_high)
    high_ = unit;
  else
    append(text, is_low ? replacement : unit);
}

std::string Utf16Decoder::decode(std::string_view piece) {
  std::string text;
  text.reserve(piece.size() / 2 + 4);
  for (const char c : piece) {
    const auto byte = static_cast<unsigned char>(c);
    if (!first_byte_) {
      first_byte_ = byte;
      continue;
    }
    const unsigned char first = *std::exchange(first_byte_, std::nullopt);
    take_unit(big_endian_ ? first * 256U + byte : byte * 256U + first, text);
  }
  return text;
}

} // namespace gradflight
