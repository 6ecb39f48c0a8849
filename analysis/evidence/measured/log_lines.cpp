#include "analysis/evidence/measured/log_lines.hpp"

#include "analysis/evidence/measured/log_reader.hpp"
#include "analysis/evidence/measured/time_stamps.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>

namespace gradflight::measured {

namespace {

std::size_t digits_at(std::string_view text, std::size_t at) {
  std::size_t n = 0;
  while (at + n < text.size() && is_digit(text[at + n])) ++n;
  return n;
}

/// Where a launcher's label ends at the start of a line; 0: there is none that is known.
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
  if (line.substr(end, 1) == "[") // host and process
    end = std::min(line.find(']', end), line.size() - 1) + 1;
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
  for (const char c : {'\x1b', '\\', '\xa0', '\xe2', '\xe3', '\xef', '|', '\0', '\f', '\v'})
    kinds[static_cast<unsigned char>(c)] = wrapping;
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

/// Where the escape sequence ends that begins at `at` (ECMA-48).
std::size_t escape_end(std::string_view line, std::size_t at) {
  const char kind = at + 1 < line.size() ? line[at + 1] : '\0';
  std::size_t end = at + 2;
  if (kind == '[') {
    while (end < line.size() && !(line[end] >= '@' && line[end] <= '~')) ++end;
    return std::min(end + 1, line.size());
  }
  if (kind == ']' || kind == '_' || kind == 'P' || kind == '^' || kind == 'X') { // text until BEL or ESC backslash
    while (end < line.size() && line[end] != '\a' && line[end] != '\x1b') ++end;
    return std::min(end + (line.substr(end, 2) == "\x1b\\" ? 2 : 1), line.size());
  }
  if (kind == '(' || kind == ')' || kind == '#' || kind == '%') ++end; // a set of characters
  return std::min(end, line.size());
}

/// A character that pages and chats put in the place of a blank or of nothing: its bytes, and what it stands for.
struct Stand {
  std::string_view bytes, plain;
};
constexpr std::array<Stand, 12> stands = {{{"\xc2\xa0", " "},
                                           {"\xe2\x80\xaf", " "},
                                           {"\xe2\x81\x9f", " "},
                                           {"\xe3\x80\x80", " "},
                                           {"\xe2\x80\x8b", ""},
                                           {"\xe2\x80\x8c", ""},
                                           {"\xe2\x80\x8d", ""},
                                           {"\xe2\x80\x8e", ""},
                                           {"\xe2\x80\x8f", ""},
                                           {"\xe2\x81\xa0", ""},
                                           {"\xef\xbb\xbf", ""},
                                           {"\xe2\x88\x92", "-"}}};

std::optional<Stand> stand_at(std::string_view text) {
  for (const Stand& stand : stands)
    if (text.starts_with(stand.bytes)) return stand;
  // From an en quad to a hair space.
  if (text.starts_with("\xe2\x80") && text.size() > 2 && static_cast<unsigned char>(text[2]) <= 0x8a)
    return Stand{text.substr(0, 3), " "};
  return std::nullopt;
}

/// Without escape sequences, unusual blanks, zeros, backslashes before punctuation, bars of a table.
void make_plain(std::string_view line, std::string& plain) {
  plain.clear();
  const std::size_t first = line.find_first_not_of(" \t");
  const bool bars = first != std::string_view::npos && line[first] == '|';
  for (std::size_t i = 0; i < line.size();) {
    const char c = line[i];
    if (c == '\x1b') {
      i = escape_end(line, i);
    } else if (c == '\\' && i + 1 < line.size() && std::ispunct(static_cast<unsigned char>(line[i + 1])) != 0) {
      plain += line[i + 1];
      i += 2;
    } else if (const auto stand = static_cast<unsigned char>(c) < 0x80 ? std::nullopt : stand_at(line.substr(i));
               stand) {
      plain += stand->plain;
      i += stand->bytes.size();
    } else if (c == '\xa0' && (plain.empty() || static_cast<unsigned char>(plain.back()) < 0x80)) {
      plain += ' '; // a blank of Latin-1
      ++i;
    } else {
      if (c != '\0') plain += c == '\f' || c == '\v' || (bars && c == '|') ? ' ' : c;
      ++i;
    }
  }
}

/// How many bytes of a count of seconds begin here, "1767225600", "12.250000", with something blank behind it; 0: none.
std::size_t seconds_length(std::string_view text, std::size_t at) {
  const std::size_t whole = digits_at(text, at);
  if (whole == 0) return 0;
  constexpr std::size_t epoch_digits = 10;
  const std::size_t parts = text.substr(at + whole, 1) == "." ? digits_at(text, at + whole + 1) : 0;
  const std::size_t length = whole + (parts > 0 ? 1 + parts : 0);
  const bool ends = at + length >= text.size() || is_blank(text[at + length]);
  return ends && (parts > 0 || whole >= epoch_digits) ? length : 0;
}

/// How many bytes of a time stamp or of a count of seconds begin here; 0: none.
std::size_t stamp_length(std::string_view text, std::size_t at) {
  if (const std::size_t seconds = seconds_length(text, at); seconds > 0) return seconds;
  std::string_view rest = text.substr(at);
  take_stamp(rest);
  return text.size() - at - rest.size();
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

/// Where the label ends if it differs from the first line's in its time stamp alone; 0: it does not.
std::size_t LogLines::timed_label_end(std::string_view line) const {
  if (stamp_length_ == 0 || line.substr(0, stamp_at_) != std::string_view(label_).substr(0, stamp_at_)) return 0;
  const std::size_t length = stamp_length(line, stamp_at_);
  if (length == 0) return 0;
  const std::string_view behind = std::string_view(label_).substr(stamp_at_ + stamp_length_),
                         rest = line.substr(stamp_at_ + length);
  if (rest.starts_with(behind)) return stamp_at_ + length + behind.size();
  return behind.starts_with(rest) ? line.size() : 0; // the line is blank
}

void LogLines::follow(std::string_view label, int number) {
  labelled_ = label.find_first_not_of(" \t") != std::string_view::npos; // blanks alone are an indent
  label_ = labelled_ ? std::string(label) : std::string();
  core_ = labelled_ ? label_.substr(label_.find_first_not_of(" \t")) : std::string();
  label_line_ = number;
  // What stands in the midst of a row has lost its blanks, but for the one that tells "0: " from a time of day.
  if (core_.starts_with('[') && core_.ends_with(' ')) core_.pop_back();
  stamp_length_ = 0;
  for (stamp_at_ = 0; stamp_at_ < label_.size() && stamp_length_ == 0; ++stamp_at_)
    if (!is_blank(label_[stamp_at_]) && (stamp_at_ == 0 || is_blank(label_[stamp_at_ - 1])))
      stamp_length_ = stamp_length(label_, stamp_at_);
  if (stamp_length_ > 0) --stamp_at_;
  free_ = false;
}

std::optional<std::string_view> LogLines::own_part(std::string_view line, bool may_begin, int number) {
  if (const std::size_t mark = may_begin ? mark_in(line) : std::string_view::npos; mark != std::string_view::npos) {
    const std::string_view label = label_before(line, mark);
    const bool has = label.find_first_not_of(" \t") != std::string_view::npos;
    if (free_ || (has == labelled_ && (!has || label == label_))) {
      follow(label, number);
      return line.substr(mark);
    }
  }
  if (!labelled_) return line;
  if (line.starts_with(label_)) return without_labels(line.substr(label_.size()));
  if (const std::size_t end = numbered_label_end(line, number); end > 0) return line.substr(end);
  if (const std::size_t end = timed_label_end(line); end > 0) return line.substr(end);
  if (line.size() < label_.size() && std::string_view(label_).starts_with(line)) return line.substr(line.size());
  if (label_end(line) == 0) return line;
  left_out_.add("writer", number, 1,
                [&] { return fmt::format("a line that \"{}\" did not write is skipped", std::string_view(core_)); });
  return std::nullopt;
}

std::optional<std::string_view> LogLines::clean(std::string_view line, int number) {
  const unsigned kinds = kinds_in(line);
  if ((kinds & wrapping) != 0) {
    make_plain(line, plain_);
    line = plain_;
  }
  if ((kinds & carriage) != 0) {
    while (line.ends_with('\r')) line.remove_suffix(1);
    if (const std::size_t again = line.rfind('\r'); again != std::string_view::npos) line.remove_prefix(again + 1);
  }
  while (line.starts_with("> ")) line.remove_prefix(2); // quoted in a mail or an issue
  take_stamp(line);
  auto own = own_part(line, (kinds & hash) != 0, number);
  if (own && labelled_) take_stamp(*own);
  return own;
}

} // namespace gradflight::measured
