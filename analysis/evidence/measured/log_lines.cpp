#include "analysis/evidence/measured/log_lines.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>

namespace gradflight::measured {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::size_t digits_at(std::string_view text, std::size_t at) {
  std::size_t n = 0;
  while (at + n < text.size() && is_digit(text[at + n])) ++n;
  return n;
}

/// Returns the length in bytes of a syslog date such as "Apr  9" at this position; 0 if there is none.
std::size_t short_date_at(std::string_view text, std::size_t at) {
  constexpr std::string_view months = "JanFebMarAprMayJunJulAugSepOctNovDec";
  const std::string_view month = text.substr(std::min(at, text.size()), 3);
  const std::size_t found = months.find(month);
  if (month.size() < 3 || found == std::string_view::npos || found % 3 != 0 || text.substr(at + 3, 1) != " ") return 0;
  const std::size_t day = at + 4 + (text.substr(at + 4, 1) == " " ? 1 : 0), digits = digits_at(text, day);
  return digits == 1 || digits == 2 ? day + digits - at : 0;
}

/// Returns the length in bytes of a date such as "2026-04-19" or "2026/04/19"; 0 if there is none.
std::size_t date_at(std::string_view text, std::size_t at) {
  const auto apart = [&](std::size_t i) {
    return at + i < text.size() && (text[at + i] == '-' || text[at + i] == '/');
  };
  return digits_at(text, at) == 4 && apart(4) && digits_at(text, at + 5) == 2 && apart(7) &&
                 digits_at(text, at + 8) == 2
             ? 10
             : 0;
}

/// The same for a time of day: "03:04:31", "03:04:31.123Z", "03:04:31,123+00:00", "03:04:31+0000".
std::size_t clock_at(std::string_view text, std::size_t at) {
  if (digits_at(text, at) != 2 || text.substr(at + 2, 1) != ":" || digits_at(text, at + 3) != 2 ||
      text.substr(at + 5, 1) != ":" || digits_at(text, at + 6) != 2)
    return 0;
  std::size_t end = at + 8;
  if (end < text.size() && (text[end] == '.' || text[end] == ',')) end += 1 + digits_at(text, end + 1);
  if (end < text.size() && text[end] == 'Z') ++end;
  if (end + 4 < text.size() && (text[end] == '+' || text[end] == '-')) {
    if (digits_at(text, end + 1) == 4)
      end += 5;
    else if (digits_at(text, end + 1) == 2 && text[end + 3] == ':' && digits_at(text, end + 4) == 2)
      end += 6;
  }
  return end - at;
}

/// The same for seconds since a start, in brackets: "  12.345678]".
std::size_t seconds_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_blank(text[end])) ++end;
  const std::size_t whole = digits_at(text, end);
  if (whole == 0 || text.substr(end + whole, 1) != ".") return 0;
  const std::size_t parts = digits_at(text, end + whole + 1);
  end += whole + 1 + parts;
  return parts > 0 && text.substr(end, 1) == "]" ? end + 1 - at : 0;
}

/// Removes a time stamp and its brackets from the start.
void take_stamp(std::string_view& line) {
  std::size_t at = 0;
  while (at < line.size() && is_blank(line[at])) ++at;
  const bool bracket = at < line.size() && line[at] == '[';
  if (bracket) ++at;
  if (const std::size_t seconds = bracket ? seconds_at(line, at) : 0; seconds > 0) {
    line.remove_prefix(at + seconds);
    return;
  }
  const std::size_t date = std::max(date_at(line, at), short_date_at(line, at));
  std::size_t end = at + date;
  if (date > 0 && end < line.size() && (line[end] == 'T' || line[end] == ' ')) ++end;
  const std::size_t clock = clock_at(line, end);
  if (clock == 0) return;
  end += clock;
  if (bracket && line.substr(end, 1) != "]") return;
  if (bracket) ++end;
  if (end < line.size() && !is_blank(line[end])) return;
  line.remove_prefix(end);
}

/// Returns the end of a known launcher's label at the start of a line; 0 if there is none.
std::size_t label_end(std::string_view line) {
  std::size_t at = 0;
  while (at < line.size() && is_blank(line[at])) ++at;
  if (at == line.size()) return 0;
  const auto blank_or_end = [&](std::size_t i) { return i >= line.size() || is_blank(line[i]); };
  if (const std::size_t n = digits_at(line, at); n > 0) // srun, Flux
    return line.substr(at + n, 1) == ":" && blank_or_end(at + n + 1) ? std::min(at + n + 2, line.size()) : 0;
  if (line[at] != '[') return 0;
  const std::size_t close = line.find(']', at);
  if (close == std::string_view::npos) return 0;
  const std::string_view inside = line.substr(at + 1, close - at - 1);
  std::size_t end = close + 1;
  if (line.substr(end, 4) == "<std") { // Open MPI, PRRTE
    const std::size_t colon = line.find(':', end);
    if (colon == std::string_view::npos) return 0;
    end = colon + 1;
    return end < line.size() && line[end] == ' ' && !(end + 1 < line.size() && line[end + 1] == ' ') ? end + 1 : end;
  }
  const bool number = !inside.empty() && digits_at(inside, 0) == inside.size();
  const bool torchrun = inside.starts_with("default") && line.substr(end, 1) == ":";
  if (torchrun) return end + 1;
  if (number || inside.find('/') != std::string_view::npos) // MPICH; kubectl logs --prefix
    return blank_or_end(end) ? std::min(end + 1, line.size()) : 0;
  return 0;
}

/// The first lines of a benchmark and of its tables.
constexpr std::array marks = {std::string_view("# nThread "),      std::string_view("# nccl-tests version"),
                              std::string_view("# rccl-tests"),    std::string_view("# Collective test starting"),
                              std::string_view("# Using devices"), std::string_view("# OSU ")};

/// Kinds of special bytes in a line.
constexpr unsigned wrapping = 1, hash = 2, carriage = 4;
constexpr std::array<std::uint8_t, 256> byte_kinds = [] {
  std::array<std::uint8_t, 256> kinds{};
  for (const char c : {'\x1b', '\\', '\xc2', '|'}) kinds[static_cast<unsigned char>(c)] = wrapping;
  kinds['#'] = hash;
  kinds['\r'] = carriage;
  return kinds;
}();

unsigned kinds_in(std::string_view line) {
  unsigned kinds = 0;
  for (const char c : line) kinds |= byte_kinds[static_cast<unsigned char>(c)];
  return kinds;
}

/// Returns the label before a mark, without a time stamp at its end.
std::string_view label_before(std::string_view line, std::size_t mark) {
  const auto ends_with_stamp = [&](std::size_t at) {
    const std::string_view all = line.substr(at, mark - at);
    std::string_view rest = all;
    take_stamp(rest);
    return rest.size() < all.size() && rest.find_first_not_of(" \t") == std::string_view::npos;
  };
  const std::size_t known = label_end(line);
  if (known > 0 && known < mark && ends_with_stamp(known)) return line.substr(0, known);
  for (std::size_t at = 1; at < mark; ++at)
    if (is_blank(line[at - 1]) && !is_blank(line[at]) && ends_with_stamp(at)) return line.substr(0, at);
  return line.substr(0, mark);
}

/// Returns the line number that an editor or a search put before a line: "   12\t", "  12  ", "train.log:12:". Returns
/// the text before it, and the number; nothing if there is none.
std::optional<std::pair<std::string_view, int>> line_number_at_end(std::string_view label) {
  std::size_t after = label.size();
  if (label.ends_with(':')) --after;
  while (after > 0 && is_blank(label[after - 1])) --after;
  if (after == label.size()) return std::nullopt;
  std::size_t begin = after;
  while (begin > 0 && is_digit(label[begin - 1])) --begin;
  int number = 0;
  if (std::from_chars(label.data() + begin, label.data() + after, number).ec != std::errc()) return std::nullopt;
  while (begin > 0 && is_blank(label[begin - 1])) --begin;
  return std::pair(label.substr(0, begin), number);
}

/// Returns the offset of a benchmark's line within this one; npos if there is none.
std::size_t mark_in(std::string_view line) {
  const std::size_t first = line.find('#');
  for (const std::string_view mark : marks)
    if (const std::size_t at = line.find(mark, first); at != std::string_view::npos) return at;
  // The header of a table, if all text before it was lost.
  const std::string_view rest = line.substr(first + 1);
  const std::size_t word = rest.find_first_not_of(' ');
  if (word == std::string_view::npos) return word;
  const std::string_view name = rest.substr(word);
  const bool header = name.starts_with("size ") || name.starts_with("Size ") || name.starts_with("bytes ");
  const auto has = [&](const char* column) { return name.find(column) != std::string_view::npos; };
  return header && (has("algbw") || has("atency") || has("MB/s")) ? first : std::string_view::npos;
}

/// Removes escape sequences (ECMA-48), non-breaking blanks, backslashes before punctuation, and the bars of a table.
void make_plain(std::string_view line, std::string& plain) {
  plain.clear();
  const std::size_t first = line.find_first_not_of(" \t");
  const bool bars = first != std::string_view::npos && line[first] == '|';
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '\x1b') {
      if (line.substr(i + 1, 1) == "[") {
        i += 2;
        while (i < line.size() && !(line[i] >= '@' && line[i] <= '~')) ++i;
      } else if (line.substr(i + 1, 1) == "]") {
        while (i < line.size() && line[i] != '\a') ++i;
      } else {
        ++i;
      }
    } else if (c == '\\' && i + 1 < line.size() && std::ispunct(static_cast<unsigned char>(line[i + 1])) != 0) {
      plain += line[++i];
    } else if (line.substr(i, 2) == "\xc2\xa0") {
      plain += ' ';
      ++i;
    } else {
      plain += bars && c == '|' ? ' ' : c;
    }
  }
}

} // namespace

std::string_view LogLines::without_labels(std::string_view line) {
  if (core_.empty() || line.find(core_) == std::string_view::npos) return line;
  joined_.clear();
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t next = line.find(core_, at);
    joined_ += line.substr(at, next - at);
    if (next == std::string_view::npos) break;
    joined_ += ' ';
    at = next + core_.size();
  }
  return joined_;
}

std::size_t LogLines::numbered_label_end(std::string_view line, int number) const {
  const auto first = line_number_at_end(label_);
  if (!first || !line.starts_with(first->first)) return 0;
  std::size_t at = first->first.size();
  while (at < line.size() && is_blank(line[at])) ++at;
  const std::size_t end = at + digits_at(line, at);
  if (end == at || line.substr(end, 1) != label_.substr(label_.size() - 1)) return 0;
  const auto here = line_number_at_end(line.substr(0, end + 1));
  if (!here) return 0;
  const int ahead = here->second - first->second - (number - label_line_);
  // A search omits lines. Without the name of a file before it, the number may be a rank.
  return ahead == 0 || (ahead > 0 && first->first.ends_with(':')) ? end + 1 : 0;
}

std::optional<std::string_view> LogLines::own_part(std::string_view line, bool may_begin, int number) {
  if (const std::size_t mark = may_begin ? mark_in(line) : std::string_view::npos; mark != std::string_view::npos) {
    const std::string_view label = label_before(line, mark);
    // Blanks alone are indentation.
    const bool has = label.find_first_not_of(" \t") != std::string_view::npos;
    if (free_ || (has == labelled_ && (!has || label == label_))) {
      labelled_ = has;
      label_ = has ? std::string(label) : std::string();
      const std::size_t first = label_.find_first_not_of(" \t");
      core_ = has ? label_.substr(first) : std::string();
      label_line_ = number;
      // Labels within a row lose their blanks, except the one that distinguishes "0: " from a time of day.
      if (core_.starts_with('[') && core_.ends_with(' ')) core_.pop_back();
      free_ = false;
      return line.substr(mark);
    }
  }
  if (!labelled_) return line;
  if (line.starts_with(label_)) return without_labels(line.substr(label_.size()));
  if (const std::size_t end = numbered_label_end(line, number); end > 0) return line.substr(end);
  if (line.size() < label_.size() && std::string_view(label_).starts_with(line)) return line.substr(line.size());
  if (label_end(line) == 0) return line;
  left_out_.add("writer", number, 1,
                [&] { return fmt::format("a line that \"{}\" did not write is skipped", std::string_view(core_)); });
  return std::nullopt;
}

std::optional<std::string_view> LogLines::clean(std::string_view line, int number) {
  const unsigned kinds = kinds_in(line);
  if ((kinds & carriage) != 0) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (const std::size_t again = line.rfind('\r'); again != std::string_view::npos) line.remove_prefix(again + 1);
  }
  if ((kinds & wrapping) != 0) {
    make_plain(line, plain_);
    line = plain_;
  }
  while (line.starts_with("> ")) line.remove_prefix(2); // quoted in an email or an issue
  take_stamp(line);
  auto own = own_part(line, (kinds & hash) != 0, number);
  if (own && labelled_) take_stamp(*own);
  return own;
}

} // namespace gradflight::measured
