#include "analysis/explore/answers/named_change.hpp"

#include "base/usage_error.hpp"

#include <fmt/format.h>

namespace gradflight {
namespace {

/// Splits at commas outside of brackets, braces and quotes.
std::vector<std::string> cut_at_commas(std::string_view text) {
  std::vector<std::string> pieces{""};
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ',' && depth == 0 && !quoted) {
      pieces.emplace_back();
      continue;
    }
    pieces.back() += c;
    if (quoted && c == '\\' && i + 1 < text.size()) pieces.back() += text[++i];
    if (c == '"') quoted = !quoted;
    if (!quoted && (c == '[' || c == '{')) ++depth;
    if (!quoted && (c == ']' || c == '}')) --depth;
  }
  return pieces;
}

} // namespace

NamedChange parse_named_change(std::string_view text) {
  const auto wrong = [&](const char* what) {
    return UsageError(fmt::format("--variant {}: {}: NAME:PATH=VALUE[,PATH=VALUE]... such as "
                                  "fast:platform.network.link.bandwidth=100Gbps",
                                  text, what));
  };
  const auto colon = text.find(':');
  if (colon == std::string_view::npos || colon > text.find('=')) throw wrong("expected a name before a colon");
  NamedChange variant{std::string(text.substr(0, colon)), {}};
  if (variant.name.empty()) throw wrong("the name is empty");
  for (std::string& set : cut_at_commas(text.substr(colon + 1))) {
    const auto equals = set.find('=');
    if (equals == std::string::npos || equals == 0) throw wrong("expected changes of the form PATH=VALUE");
    variant.sets.push_back(std::move(set));
  }
  return variant;
}

ValueList parse_value_list(std::string_view text) {
  const auto equals = text.find('=');
  const auto wrong = [&](const char* what) {
    return UsageError(fmt::format("--over {}: {}: PATH=V1,V2,... such as platform.nodes=1,2,4,8", text, what));
  };
  if (equals == std::string_view::npos || equals == 0) throw wrong("expected a path before an equals sign");
  ValueList axis{std::string(text.substr(0, equals)), cut_at_commas(text.substr(equals + 1))};
  for (const std::string& value : axis.values)
    if (value.empty()) throw wrong("a value is empty");
  return axis;
}

} // namespace gradflight
