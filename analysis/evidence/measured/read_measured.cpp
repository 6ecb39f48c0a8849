#include "analysis/evidence/measured/read_measured.hpp"

#include "analysis/evidence/measured/csv_headers.hpp"
#include "analysis/evidence/measured/csv_tables.hpp"
#include "analysis/evidence/measured/log_reader.hpp"
#include "analysis/evidence/measured/log_tables.hpp"
#include "base/csv.hpp"
#include "base/input_file.hpp"
#include "base/other_file.hpp"
#include "base/utf.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <unistd.h>
#include <utility>

namespace gradflight {

namespace {

using measured::LogTables;
using measured::TableCollector;

constexpr std::size_t piece_bytes = 1U << 18U;
/// A longer line is not a row; its beginning identifies it.
constexpr std::size_t most_line_bytes = 1U << 20U;

enum class Kind : std::uint8_t { log, csv, json };

/// Returns the first line with content, except lines that may be above a table's header.
std::string_view first_line(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (!measured::is_outside_csv(line)) return line;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}

/// Whether JSON with this beginning may be a benchmark's. Other JSON above a log is not kept in memory with it.
bool may_be_json_log(std::string_view begin) {
  for (const std::string_view key : {"\"busbw\"", "\"busBw\"", "\"bus_bw\"", "\"results\"", "\"nccl_version\"",
                                     "\"devices\"", "\"config\"", "\"args\""})
    if (begin.find(key) != std::string_view::npos) return true;
  return false;
}

/// Whether the text contains JSON of a benchmark that is not at the beginning, for example after a prompt or a
/// launcher's labels.
bool holds_json_rows(std::string_view begin) {
  const auto has = [&](std::string_view part) { return begin.find(part) != std::string_view::npos; };
  return (has("\"busbw\":") || has("\"busBw\":") || has("\"bus_bw\":")) && !has("algbw   busbw") &&
         !has("algbw  busbw");
}

/// Whether most lines are rows of numbers alone, so that nothing says what they are.
bool has_rows_alone(std::string_view begin) {
  int rows = 0, lines = 0;
  for (const std::string_view line : text_lines(begin)) {
    std::string apart(line);
    std::ranges::replace_if(
        apart, [](char c) { return c == ',' || c == ';'; }, ' ');
    const auto words = measured::words_of(apart);
    if (words.empty()) continue;
    ++lines;
    rows += words.size() > 1 &&
            std::ranges::all_of(words, [](const auto& word) { return measured::number_of(word.text).has_value(); });
  }
  return rows > 1 && 2 * rows > lines;
}

Kind kind_of(std::string_view begin, const std::string& path) {
  std::string_view line = first_line(begin);
  while (line.ends_with('\r')) line.remove_suffix(1);
  const bool json = line.starts_with('{') || line.starts_with("[{") || line == "[";
  if (begin.find_first_not_of(" \t\r\n\xEF\xBB\xBF") != std::string_view::npos &&
      ((json && may_be_json_log(begin)) || holds_json_rows(begin)))
    return Kind::json;
  if (json && !other_file(begin).empty()) return Kind::log; // it is refused with its name
  const bool named = path.ends_with(".csv") || path.ends_with(".tsv") || path.ends_with(".CSV");
  if (measured::csv_header_line(begin) > 0) return Kind::csv;
  // For a user's own table that lacks a column, report the column instead of reading it as a log.
  return named && line.find_first_of(",;\t") != std::string_view::npos &&
                 begin.find("algbw") == std::string_view::npos && begin.find("# OSU") == std::string_view::npos &&
                 !has_rows_alone(begin)
             ? Kind::csv
             : Kind::log;
}

[[noreturn]] void refuse_file(const std::string& path, int line, std::string why) {
  throw InputErrors({{path, line, line > 0 ? 1 : 0, "", std::move(why)}});
}

void refuse_unknown(const std::string& path, std::string_view begin) {
  if (const std::string other = other_file(begin); !other.empty()) refuse_file(path, 0, other);
  if (const std::string own = own_file(begin); !own.empty()) refuse_file(path, 0, own);
  if (has_rows_alone(begin))
    refuse_file(
        path, 1,
        "these rows of numbers have no known header; write CSV with the names of the columns in its first line, such "
        "as size_bytes,time_us");
  refuse_file(path, 0,
              "unknown kind of log; expected the output of nccl-tests (\"# nThread ...\") or of the OSU "
              "micro-benchmarks (\"# OSU ... Test\"), their JSON, or CSV with a column size_bytes");
}

/// Returns whether the text was CSV or JSON; other text may still be a log.
bool read_whole(std::string_view text, Kind kind, const std::string& path, const AboutLog& about,
                TableCollector& tables) {
  if (const std::size_t bad = not_utf8(text); bad != std::string_view::npos)
    refuse_file(
        path, 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(bad), '\n')),
        fmt::format("byte {:#04x} is not valid UTF-8: save the file as UTF-8", static_cast<unsigned char>(text[bad])));
  if (kind == Kind::json) return measured::read_json_log(text, tables);
  measured::read_csv(text, path, about, tables);
  return true;
}

/// Passes each line to `lines`; text after the last newline is kept for the next piece.
class LineFeed {
public:
  explicit LineFeed(LogTables& lines) : lines_(lines) {}

  void piece(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      if (end == std::string_view::npos) {
        if (rest_.size() < most_line_bytes) rest_ += text;
        return;
      }
      if (rest_.empty()) {
        lines_.line(text.substr(0, end));
      } else {
        rest_ += text.substr(0, end);
        lines_.line(rest_);
        rest_.clear();
      }
      text.remove_prefix(end + 1);
    }
  }
  /// Returns whether the last line has no end, so that the file may be cut off there.
  bool end() {
    if (rest_.empty()) return false;
    lines_.line(rest_);
    return true;
  }

private:
  LogTables& lines_;
  std::string rest_;
};

/// `next_bytes` returns the next piece of the file; empty at its end.
template <class NextBytes>
std::vector<MeasuredTable> read_pieces(const std::string& path, const AboutLog& about, std::vector<Diagnostic>* notes,
                                       NextBytes next_bytes) {
  std::string begin(next_bytes());
  if (begin.empty()) refuse_file(path, 0, "the file is empty");
  std::optional<Utf16Decoder> utf16 = Utf16Decoder::of_file(begin);
  if (utf16) begin = utf16->decode(begin);
  // Lines of old Macs end with "\r" alone. In other files it moves the cursor to the start of a line.
  const bool old_mac = begin.find('\n') == std::string::npos && begin.find('\r') != std::string::npos;
  if (old_mac) std::ranges::replace(begin, '\r', '\n');
  std::string decoded;
  const auto next = [&]() -> std::string_view {
    const std::string_view bytes = next_bytes();
    if (!utf16 && !old_mac) return bytes;
    decoded = utf16 ? utf16->decode(bytes) : std::string(bytes);
    if (old_mac) std::ranges::replace(decoded, '\r', '\n');
    return decoded;
  };
  TableCollector tables(path, about);
  const Kind kind = kind_of(begin, path);
  if (kind != Kind::log) {
    for (std::string_view piece = next(); !piece.empty(); piece = next()) begin += piece;
    if (read_whole(begin, kind, path, about, tables)) return tables.finish(1, notes);
  }
  LogTables lines(tables);
  LineFeed feed(lines);
  feed.piece(begin);
  for (std::string_view piece = next(); !piece.empty(); piece = next()) feed.piece(piece);
  const bool unfinished = feed.end();
  const int last = lines.end(unfinished);
  if (!lines.recognised() || (tables.empty() && is_page(begin)))
    refuse_unknown(path, std::string_view(begin).substr(0, piece_bytes));
  return tables.finish(last, notes);
}

/// A file that is open for reading.
class Descriptor {
public:
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
  ~Descriptor() { close(descriptor_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor(Descriptor&&) = delete;
  Descriptor& operator=(Descriptor&&) = delete;
  /// Fills `into` from byte `from` on.
  [[nodiscard]] ssize_t read(std::string& into, std::size_t from) const {
    for (;;) {
      const ssize_t got = ::read(descriptor_, into.data() + from, into.size() - from);
      if (got >= 0 || errno != EINTR) return got;
    }
  }

private:
  int descriptor_;
};

} // namespace

std::vector<MeasuredTable> parse_measured(const std::string& text, const std::string& path, const AboutLog& about,
                                          std::vector<Diagnostic>* notes) {
  bool given = false;
  return read_pieces(path, about, notes, [&]() -> std::string_view {
    return std::exchange(given, true) ? std::string_view() : std::string_view(text);
  });
}

std::vector<MeasuredTable> read_measured(const std::string& path, const AboutLog& about,
                                         std::vector<Diagnostic>* notes) {
  const std::string name = path == "-" ? "standard input" : path;
  const OpenedFile opened = open_to_read(path == "-" ? "/dev/stdin" : path);
  if (opened.descriptor < 0) refuse_file(name, 0, opened.error);
  const Descriptor file(opened.descriptor);
  std::string buffer(piece_bytes, '\0');
  // Full pieces, because the first one identifies the file, and the writer of a pipe may be slow.
  return read_pieces(name, about, notes, [&]() -> std::string_view {
    std::size_t filled = 0;
    while (filled < buffer.size()) {
      const ssize_t got = file.read(buffer, filled);
      if (got < 0) refuse_file(name, 0, fmt::format("cannot be read: {}", std::strerror(errno)));
      if (got == 0) break;
      filled += static_cast<std::size_t>(got);
    }
    return std::string_view(buffer).substr(0, filled);
  });
}

} // namespace gradflight
