#include "analysis/run/pages/markup.hpp"

#include "models/units/unit_table.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace gradflight {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

/// Returns the bytes of the UTF-8 character at the beginning of `text`. Returns 0 for invalid UTF-8 (RFC 3629: no
/// overlong forms, surrogates or values above U+10FFFF), and for characters that XML 1.0 forbids.
std::size_t character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto follows = [&](std::size_t i, unsigned low = 0x80, unsigned high = 0xBF) {
    return byte(i) >= low && byte(i) <= high;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return first >= 0x20 || first == '\n' || first == '\t' || first == '\r' ? 1 : 0;
  if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool good = follows(1, first == 0xE0 ? 0xA0 : 0x80, first == 0xED ? 0x9F : 0xBF) && follows(2);
    const bool noncharacter = first == 0xEF && byte(1) == 0xBF && byte(2) >= 0xBE;
    return good && !noncharacter ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4)
    return follows(1, first == 0xF0 ? 0x90 : 0x80, first == 0xF4 ? 0x8F : 0xBF) && follows(2) && follows(3) ? 4 : 0;
  return 0;
}

/// Escapes text, also for attributes in double quotes.
std::string escaped(std::string_view text, bool attribute) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = character(text);
    const char c = text.front();
    if (length == 0)
      out += replacement;
    else if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (c == '\r' || (attribute && (c == '\n' || c == '\t'))) // otherwise a parser changes them to a space
      out += fmt::format("&#{};", static_cast<int>(c));
    else
      out += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(1, length));
  }
  return out;
}

/// Whether the word is a unit behind a number: one of scenarios, or one that only results have.
bool is_unit(std::string_view word) {
  constexpr auto others = std::to_array<std::string_view>({"%", "days", "PB", "EB", "MHz", "GHz", "k", "M", "G", "T"});
  return std::ranges::find(others, word) != others.end() || std::ranges::any_of(dimensions, [&](Dimension dimension) {
           return std::ranges::any_of(units_of(dimension), [&](const Unit& unit) { return unit.name == word; });
         });
}

} // namespace

std::string markup_prose(std::string_view text) {
  std::string out;
  const std::string plain = markup_text(text);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const bool after_digit = i > 0 && plain[i - 1] >= '0' && plain[i - 1] <= '9';
    if (plain[i] != ' ' || !after_digit) {
      out += plain[i];
      continue;
    }
    std::string_view word = std::string_view(plain).substr(i + 1);
    word = word.substr(0, word.find_first_of(" \n"));
    while (!word.empty() && std::string_view(".,;:)!?").find(word.back()) != std::string_view::npos)
      word.remove_suffix(1);
    out += is_unit(word) ? "&nbsp;" : " ";
  }
  return out;
}

std::string markup_text(std::string_view text) { return escaped(text, false); }

std::string markup_attribute(const char* name, std::string_view value) {
  return fmt::format(" {}=\"{}\"", name, escaped(value, true));
}

} // namespace gradflight
