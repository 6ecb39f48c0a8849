#include "analysis/run/pages/markup.hpp"

#include "base/utf.hpp"
#include "models/units/unit_table.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace gradflight {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

/// Returns the bytes of the UTF-8 character at the beginning of `text`. Returns 0 for invalid UTF-8, and for characters
/// that XML 1.0 forbids: controls, U+FFFE and U+FFFF.
std::size_t character(std::string_view text) {
  const char first = text.front();
  const bool control = static_cast<unsigned char>(first) < 0x20 && first != '\n' && first != '\t' && first != '\r';
  const bool noncharacter = text.starts_with("\xEF\xBF\xBE") || text.starts_with("\xEF\xBF\xBF");
  return control || noncharacter ? 0 : utf8_length(text);
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
