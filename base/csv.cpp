#include "base/csv.hpp"

#include <algorithm>

namespace gradflight {
namespace {

/// Moves a quoted text from the beginning of `rest` to `field`; `rest` begins with a quote.
void unquote(std::string_view& rest, CsvField& field) {
  std::size_t at = 1;
  for (; at < rest.size(); ++at) {
    if (rest[at] == '"') {
      if (at + 1 == rest.size() || rest[at + 1] != '"') break;
      ++at;
    }
    field.text += rest[at];
  }
  field.closed = at < rest.size();
  rest.remove_prefix(std::min(at + 1, rest.size()));
}

} // namespace

std::string_view trimmed(std::string_view text) {
  constexpr const char* blanks = " \t";
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

int csv_column(std::string_view line, std::size_t at) {
  const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
  return static_cast<int>(std::ranges::count_if(line.substr(0, at), begins)) + 1;
}

std::vector<CsvField> csv_fields(std::string_view line) {
  std::vector<CsvField> fields;
  for (auto rest = line;;) {
    if (const auto begin = rest.find_first_not_of(" \t"); begin != std::string_view::npos && rest[begin] == '"')
      rest.remove_prefix(begin);
    CsvField field{{}, csv_column(line, line.size() - rest.size()), rest.starts_with('"')};
    if (field.quoted) unquote(rest, field);
    const auto comma = rest.find(',');
    if (field.quoted)
      field.more = rest.substr(0, comma).find_first_not_of(" \t") != std::string_view::npos;
    else
      field.text = rest.substr(0, comma);
    fields.push_back(std::move(field));
    if (comma == std::string_view::npos) return fields;
    rest.remove_prefix(comma + 1);
  }
}

std::string csv_line(const std::vector<std::string>& fields) {
  std::string line;
  for (const auto& field : fields) {
    if (field.find_first_of(",\"\r\n") == std::string::npos) {
      line += field + ',';
      continue;
    }
    line += '"';
    for (const char c : field) line += c == '"' ? std::string("\"\"") : std::string(1, c);
    line += "\",";
  }
  if (!line.empty()) line.pop_back();
  return line + '\n';
}

std::vector<std::string_view> text_lines(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    auto line = text.substr(0, end);
    while (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

} // namespace gradflight
