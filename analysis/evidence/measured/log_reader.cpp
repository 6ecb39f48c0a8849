#include "analysis/evidence/measured/log_reader.hpp"

#include "base/parse_number.hpp"
#include "base/utf.hpp"
#include "models/collectives/element_type.hpp"

#include <algorithm>
#include <cctype>
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
  const auto value = parse_number<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

namespace {

/// The commas and dots of a number as people write it.
struct Separators {
  std::string_view word;
  std::ptrdiff_t commas = 0, dots = 0;

  explicit Separators(std::string_view number)
      : word(number), commas(std::ranges::count(number, ',')), dots(std::ranges::count(number, '.')) {}

  [[nodiscard]] bool in_number() const {
    return !word.empty() && is_digit(word.back()) &&
           word.find_first_not_of("0123456789.,'_-+") == std::string_view::npos;
  }
  /// Whether groups of three digits follow each `c`, up to the other mark or the end, and none comes later.
  [[nodiscard]] bool groups(char c) const {
    const std::size_t end = std::min(word.find(c == ',' ? '.' : ','), word.size());
    for (std::size_t at = word.find(c); at < end; at = word.find(c, at + 1)) {
      const std::size_t next = std::min({word.find(c, at + 1), end, word.size()});
      if (next - at != 4) return false;
    }
    return word.rfind(c) == std::string_view::npos || word.rfind(c) < end;
  }
  /// "1,234", "12.500": one mark that may separate thousands or come before decimals.
  [[nodiscard]] bool open(char c) const {
    constexpr std::size_t most_before = 3;
    const std::size_t at = word.find(c);
    if (commas + dots != 1 || at == std::string_view::npos || !groups(c)) return false;
    const std::size_t before = at - std::min(word.find_first_of("0123456789"), at);
    return before >= 1 && before <= most_before && word[at - before] != '0';
  }
};

/// Returns where the exponent of "1,23E+02" begins; npos if the word has none.
std::size_t exponent_at(std::string_view word) {
  const std::size_t at = word.find_first_of("eE");
  if (at == std::string_view::npos || !Separators(word.substr(0, at)).in_number()) return std::string_view::npos;
  std::string_view exponent = word.substr(at + 1);
  if (exponent.starts_with('+') || exponent.starts_with('-')) exponent.remove_prefix(1);
  return !exponent.empty() && std::ranges::all_of(exponent, [](char c) { return is_digit(c); })
             ? at
             : std::string_view::npos;
}

/// Returns the mark that a number shows; nothing if it shows none.
std::optional<DecimalMark> decimal_mark(std::string_view word) {
  if (const std::size_t at = exponent_at(word); at != std::string_view::npos) { // its only mark is before decimals
    const Separators in(word.substr(0, at));
    if (in.commas + in.dots != 1) return std::nullopt;
    return in.commas > 0 ? DecimalMark::comma : DecimalMark::dot;
  }
  const Separators in(word);
  if (in.commas + in.dots == 0 || !in.in_number()) return std::nullopt;
  if (in.commas > 0 && in.dots > 0) return word.rfind(',') > word.rfind('.') ? DecimalMark::comma : DecimalMark::dot;
  const char mark = in.commas > 0 ? ',' : '.';
  if (in.commas + in.dots > 1) { // it separates thousands
    if (!in.groups(mark)) return std::nullopt;
    return mark == ',' ? DecimalMark::dot : DecimalMark::comma;
  }
  if (in.open(mark)) return std::nullopt;
  return mark == ',' ? DecimalMark::comma : DecimalMark::dot;
}

} // namespace

bool has_open_mark(std::string_view word) {
  const Separators in(word);
  return in.in_number() && (in.open(',') || in.open('.'));
}

void DecimalMarks::add(std::string_view word) {
  const auto mark = decimal_mark(word);
  clear_.dot = clear_.dot || mark == DecimalMark::dot;
  clear_.comma = clear_.comma || mark == DecimalMark::comma;
}

void DecimalMarks::add_whole(std::string_view word) {
  if (!has_open_mark(word)) {
    add(word);
    return;
  }
  const bool comma = word.find(',') != std::string_view::npos; // it separates thousands
  (comma ? likely_.dot : likely_.comma) = true;
}

std::optional<DecimalMark> DecimalMarks::found() const {
  const Seen& seen = clear_.dot || clear_.comma ? clear_ : likely_;
  if (seen.dot == seen.comma) return std::nullopt;
  return seen.dot ? DecimalMark::dot : DecimalMark::comma;
}

std::string plain_number(std::string_view word, DecimalMark mark) {
  if (const std::size_t at = exponent_at(word); at != std::string_view::npos) {
    std::string plain(word);
    const Separators in(word.substr(0, at));
    if (in.commas == 1 && in.dots == 0) plain[plain.find(',')] = '.';
    return plain;
  }
  const Separators in(word);
  const auto quotes = std::ranges::count(word, '\'') + std::ranges::count(word, '_');
  const bool dot_groups = mark == DecimalMark::comma && in.dots == 1 && in.commas == 0 && in.open('.');
  if ((in.commas == 0 && in.dots < 2 && quotes == 0 && !dot_groups) || !in.in_number()) return std::string(word);
  bool comma_is_decimal = false;
  if (in.commas > 0 && in.dots > 0)
    comma_is_decimal = word.rfind(',') > word.rfind('.');
  else if (in.open(','))
    comma_is_decimal = mark == DecimalMark::comma || mark == DecimalMark::either;
  else
    comma_is_decimal = in.commas == 1;
  const bool dot_is_decimal = !comma_is_decimal && in.dots == 1 && !dot_groups;
  if (in.open(',') && mark == DecimalMark::unclear) return std::string(word);
  if ((!comma_is_decimal && in.commas > 0 && !in.groups(',')) || (!dot_is_decimal && in.dots > 0 && !in.groups('.')) ||
      (comma_is_decimal && in.commas > 1))
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

std::string unclear_mark_text(std::string_view word) {
  return fmt::format(
      " \"{}\" may be {} or {}: the row is left out; write it without a separator of thousands, and with "
      "a dot before decimals",
      word, plain_number(word, DecimalMark::dot), plain_number(word, DecimalMark::comma));
}

std::string count_mistake(std::string_view count, std::string_view type, double size_bytes) {
  const auto number = number_of(count);
  const auto element = element_type_named(type);
  const bool is_count = number && *number > 0 && std::floor(*number) == *number; // 262.144 may be 262144 elements
  if (!is_count || !element || std::fmod(size_bytes, *number * element->bytes) == 0) return {};
  return fmt::format("{} elements of {} ({} B each) do not make {:.0f} B: the row is left out", printable(count),
                     printable(type), element->bytes, size_bytes);
}

std::string short_row_text(std::size_t entries, std::size_t columns) {
  return fmt::format("a row of {} {}, where the header has {} columns, is left out", entries,
                     entries == 1 ? "entry" : "entries", columns);
}

void LastDecimals::add(std::string_view plain) {
  const std::size_t point = plain.find('.');
  if (values_ > 0) least_before_ = values_ == 1 ? last_ : std::min(least_before_, last_);
  last_ = point == std::string_view::npos ? 0 : plain.size() - point - 1;
  ++values_;
}

bool LastDecimals::may_be_cut() const { return values_ > 2 && last_ < least_before_; }

std::string cut_value_text(std::string_view value) {
  return fmt::format(
      "the file ends at \"{}\" without a line end, and this value has fewer decimals than the others of its "
      "column: it may be cut off, and the row is left out",
      value);
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
