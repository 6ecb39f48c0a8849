#include "base/utf8.hpp"

#include <array>

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

/// Returns the number of bytes of the character at the beginning of `text`; 0 if the bytes are not UTF-8.
std::size_t character(std::string_view text) {
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

} // namespace

std::size_t not_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = character(text.substr(at));
    if (length == 0) return at;
    at += length;
  }
  return std::string_view::npos;
}

} // namespace gradflight
