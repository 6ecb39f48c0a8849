#include "base/visible.hpp"

#include <fmt/format.h>

namespace gradflight {

std::string visible(std::string_view text, std::string_view kept) {
  std::string shown;
  shown.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : '\0');
    if (byte == 0xC2U && next >= 0x80U && next <= 0x9FU) {
      shown += fmt::format("\\u{:04x}", next);
      ++i;
    } else if ((byte < 0x20U || byte == 0x7FU) && kept.find(text[i]) == std::string_view::npos) {
      shown += fmt::format("\\u{:04x}", byte);
    } else {
      shown += text[i];
    }
  }
  return shown;
}

std::string shell_line(const std::vector<std::string>& words) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char c : word) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
}

} // namespace gradflight
