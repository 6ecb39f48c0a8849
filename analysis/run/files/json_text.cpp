#include "analysis/run/files/json_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

namespace gradflight {
namespace {

using Json = nlohmann::ordered_json;

/// Replaces invalid UTF-8, which a file name may contain.
std::string literal(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

void write_scalar(const Json& value, std::string& out) {
  if (!value.is_number_float()) {
    out += literal(value);
    return;
  }
  // Does not use nlohmann/json's writer, because the digits of its Grisu2 algorithm are not always the shortest.
  const double number = value.get<double>();
  if (!std::isfinite(number)) {
    out += "null";
    return;
  }
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, number).ptr;
  out.append(text, end);
}

bool on_one_line(const Json& value) {
  return std::none_of(value.begin(), value.end(),
                      [](const Json& item) { return item.is_structured() && !item.empty(); });
}

void write(const Json& value, std::size_t indent, std::string& out) {
  if (!value.is_structured()) return write_scalar(value, out);
  const bool object = value.is_object();
  const bool flat = indent > 0 && on_one_line(value);
  const std::string separator = flat ? " " : "\n" + std::string(indent + 2, ' ');
  out += object ? '{' : '[';
  bool first = true;
  for (auto item = value.begin(); item != value.end(); ++item) {
    if (!first) out += ',';
    if (!first || !flat || object) out += separator;
    first = false;
    if (object) out += literal(item.key()) + ": ";
    write(*item, indent + 2, out);
  }
  if (!value.empty()) out += flat ? (object ? " " : "") : "\n" + std::string(indent, ' ');
  out += object ? '}' : ']';
}

} // namespace

std::string json_text(const Json& value) {
  std::string out;
  write(value, 0, out);
  return out + '\n';
}

Json json_count(double value) {
  if (std::nearbyint(value) == value && std::abs(value) < 9.2e18) return static_cast<std::int64_t>(value);
  return value;
}

Json optional_json(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

} // namespace gradflight
