#include "scenarios/language/json/json_mistake.hpp"

#include <array>
#include <fmt/format.h>
#include <string_view>
#include <utility>

namespace gradflight {
namespace {

/// Returns the part of `text` between `begin` and `end`, or up to its end; empty if it lacks `begin`.
std::string_view between(std::string_view text, std::string_view begin, std::string_view end) {
  const auto at = text.find(begin);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + begin.size());
  return text.substr(0, text.find(end));
}

/// Returns the name of a token that nlohmann/json did not expect.
std::string token_noun(std::string_view token) {
  if (token == "end of input") return "the end of the file";
  if (token == "string literal") return "a text";
  if (token == "number literal") return "a number";
  if (token.ends_with(" literal")) return std::string(token.substr(0, token.find(' ')));
  if (token.size() == 3) return fmt::format("\"{}\"", token[1]); // '}'
  return std::string(token);
}

std::string_view expected_noun(std::string_view context, bool at_end) {
  if (at_end) return "the end of the file";
  if (context == "object key") return "a key in double quotes";
  if (context == "object separator") return "\":\" after the key";
  if (context == "array") return "\",\" or \"]\"";
  if (context == "object") return "\",\" or \"}\"";
  return "a value";
}

/// Returns what is wrong inside a token. `expected` is what could have begun at its place.
std::string token_mistake(std::string_view detail, std::string_view expected) {
  if (detail == "invalid literal")
    return fmt::format("expected {}{}", expected, expected == "a value" ? "; put text in double quotes" : "");
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> texts{{
      {"missing closing quote", "this text has no closing quote"},
      {"forbidden character", "this character must not follow a backslash; write \\\\ for a backslash"},
      {"4 hex digits", "four hexadecimal digits must follow \\u"},
      {"surrogate", "this \\u escape is half of a pair: write both halves, \\uD800 to \\uDBFF and \\uDC00 to \\uDFFF"},
      {"after '-'", "a digit must follow the minus sign"},
      {"after '.'", "a digit must follow the decimal point"},
      {"after exponent", "a digit must follow the exponent's sign"},
      {"BOM", "the byte order mark is damaged; save the file as UTF-8"},
  }};
  for (const auto& [part, text] : texts)
    if (detail.find(part) != std::string_view::npos) return std::string(text);
  if (const auto escape = between(detail, "must be escaped to ", "\n"); !escape.empty())
    return fmt::format("a text must not contain {}; write {}", between(detail, "invalid string: ", " must"), escape);
  if (detail.starts_with("invalid number")) return "a digit must follow the exponent";
  return std::string(detail);
}

} // namespace

std::string json_mistake(const std::string& what, bool after_comma) {
  // "[json.exception.parse_error.101] parse error at line 1, column 9: syntax error while parsing value - unexpected
  // ']'; expected '[', '{', or a literal", or "... - invalid literal; last read: 'x'"
  const std::string_view context = between(what, "while parsing ", " - ");
  const std::string_view message = between(what, " - ", "; last read: '");
  const std::string_view expected = expected_noun(context, what.ends_with("; expected end of input"));
  const std::string_view token = between(message, "unexpected ", "; expected ");
  if (!message.starts_with("unexpected ")) return token_mistake(message, expected);
  const bool closes = token == "']'" || token == "'}'";
  return fmt::format("expected {}, got {}{}", expected, token_noun(token),
                     after_comma && closes ? "; remove the comma before it" : "");
}

} // namespace gradflight
