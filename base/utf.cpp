#include "base/utf.hpp"

#include <array>
#include <utility>

namespace gradflight {

namespace {

/// For each range of first bytes: the number of following bytes, and the range of the first following byte.
struct Form {
  unsigned char first, last, following, least, most;
};
constexpr std::array<Form, 9> forms{{{0x00, 0x7F, 0, 0, 0},
                                     {0xC2, 0xDF, 1, 0x80, 0xBF},
                                     {0xE0, 0xE0, 2, 0xA0, 0xBF},
                                     {0xE1, 0xEC, 2, 0x80, 0xBF},
                                     {0xED, 0xED, 2, 0x80, 0x9F},
                                     {0xEE, 0xEF, 2, 0x80, 0xBF},
                                     {0xF0, 0xF0, 3, 0x90, 0xBF},
                                     {0xF1, 0xF3, 3, 0x80, 0xBF},
                                     {0xF4, 0xF4, 3, 0x80, 0x8F}}};

} // namespace

std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  for (const Form& form : forms) {
    if (byte(0) < form.first || byte(0) > form.last) continue;
    if (text.size() <= form.following) return 0;
    for (std::size_t i = 1; i <= form.following; ++i) {
      const unsigned char least = i == 1 ? form.least : 0x80, most = i == 1 ? form.most : 0xBF;
      if (byte(i) < least || byte(i) > most) return 0;
    }
    return 1 + std::size_t{form.following};
  }
  return 0;
}

std::size_t not_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text.substr(at));
    if (length == 0) return at;
    at += length;
  }
  return std::string_view::npos;
}

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
