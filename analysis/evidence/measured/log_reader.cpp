#include "analysis/evidence/measured/log_reader.hpp"

#include "base/utf8.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace gradflight::measured {

void words_of(std::string_view line, std::vector<Word>& words) {
  words.clear();
  const auto blank = [&](std::size_t i) { return line[i] == ' ' || line[i] == '\t' || line[i] == '\r'; };
  for (std::size_t at = 0; at < line.size();) {
    while (at < line.size() && blank(at)) ++at;
    const std::size_t begin = at;
    while (at < line.size() && !blank(at)) ++at;
    if (at > begin) words.push_back({line.substr(begin, at - begin), static_cast<int>(begin) + 1});
  }
}

std::vector<Word> words_of(std::string_view line) {
  std::vector<Word> words;
  words_of(line, words);
  return words;
}

std::optional<double> number_of(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::string plain_number(std::string_view word, LoneComma lone) {
  const auto count = [&](char c) { return std::ranges::count(word, c); };
  const auto commas = count(','), dots = count('.'), quotes = count('\'') + count('_');
  if ((commas == 0 && dots < 2 && quotes == 0) || word.empty() || !is_digit(word.back()) ||
      word.find_first_not_of("0123456789.,'_-+") != std::string_view::npos)
    return std::string(word);
  // Groups of thousands have three digits each, but for the first and for decimals.
  const auto separates_thousands = [&](char c) {
    const std::size_t end = std::min(word.find(c == ',' ? '.' : ','), word.size());
    for (std::size_t at = word.find(c); at < end; at = word.find(c, at + 1)) {
      const std::size_t next = std::min({word.find(c, at + 1), end, word.size()});
      if (next - at != 4) return false;
    }
    return word.rfind(c) == std::string_view::npos || word.rfind(c) < end;
  };
  bool comma_is_decimal = false;
  if (commas > 0 && dots > 0)
    comma_is_decimal = word.rfind(',') > word.rfind('.');
  else if (commas == 1 && separates_thousands(','))
    comma_is_decimal = lone == LoneComma::decimals;
  else
    comma_is_decimal = commas == 1;
  const bool dot_is_decimal = !comma_is_decimal && dots == 1;
  if (commas == 1 && dots == 0 && separates_thousands(',') && lone == LoneComma::unclear) return std::string(word);
  if ((!comma_is_decimal && commas > 0 && !separates_thousands(',')) ||
      (!dot_is_decimal && dots > 0 && !separates_thousands('.')) || (comma_is_decimal && commas > 1))
    return std::string(word);
  std::string plain;
  for (const char c : word) {
    if (c == ',' && comma_is_decimal)
      plain += '.';
    else if (is_digit(c) || c == '-' || c == '+' || (c == '.' && dot_is_decimal))
      plain += c;
  }
  return plain;
}

std::string short_row_text(std::size_t entries, std::size_t columns) {
  return fmt::format("a row of {} {}, where the header has {} columns, is left out", entries,
                     entries == 1 ? "entry" : "entries", columns);
}

bool begins_with_digit(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  return first != std::string_view::npos && std::isdigit(static_cast<unsigned char>(line[first])) != 0;
}

std::string setting_in(std::string_view text, std::string_view name) {
  std::string start = std::string(name) + "=";
  if (text.find(start) == std::string_view::npos) start = std::string(name) + " set by environment to ";
  const std::size_t at = text.find(start);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = text.substr(at + start.size());
  return std::string(rest.substr(0, std::min(rest.find_first_of(" ,;\"'\t\r\n"), rest.size())));
}

std::string printable(std::string_view text) {
  std::string good;
  while (!text.empty()) {
    const std::size_t bad = not_utf8(text);
    good += text.substr(0, bad);
    if (bad >= text.size()) break;
    good += '?';
    text.remove_prefix(bad + 1);
  }
  std::ranges::replace_if(
      good, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, '?');
  return good;
}

} // namespace gradflight::measured
