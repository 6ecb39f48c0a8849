#include "analysis/measured/read_measured.hpp"

#include "analysis/measured/log_reader.hpp"
#include "models/csv.hpp"
#include "models/input_file.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace gradflight {

namespace {

/// Place of the first byte that is in no character of UTF-8 (RFC 3629), or of a NUL; none: npos.
std::size_t bad_byte(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = [&](std::size_t offset) {
      return at + offset < text.size() ? static_cast<unsigned char>(text[at + offset]) : 0U;
    };
    const unsigned lead = byte(0);
    const std::size_t length = lead < 0x80   ? 1
                               : lead < 0xC2 ? 0
                               : lead < 0xE0 ? 2
                               : lead < 0xF0 ? 3
                               : lead < 0xF5 ? 4
                                             : 0;
    bool good = length > 0 && lead != 0;
    for (std::size_t i = 1; i < length; ++i) good = good && (byte(i) & 0xC0U) == 0x80U;
    if ((lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xED && byte(1) > 0x9F) || (lead == 0xF0 && byte(1) < 0x90) ||
        (lead == 0xF4 && byte(1) > 0x8F))
      good = false;
    if (!good) return at;
    at += length;
  }
  return std::string_view::npos;
}

enum class Kind : std::uint8_t { nccl_tests, osu, csv, unknown };

Kind kind_of(std::string_view text) {
  const std::vector<std::string_view> lines = text_lines(text);
  // A table as CSV: its first two lines have as many fields.
  if (!lines.empty() && lines.front().find(',') != std::string_view::npos &&
      (lines.front().find("size_bytes") != std::string_view::npos || lines.size() == 1 ||
       csv_fields(lines[0]).size() == csv_fields(lines[1]).size()))
    return Kind::csv;
  for (const std::string_view line : lines) {
    const auto words = measured::words_of(line);
    if (words.empty() || !words.front().text.starts_with('#')) continue;
    if (line.find("OSU") != std::string_view::npos && line.find("Test") != std::string_view::npos) return Kind::osu;
    if (line.find("nThread") != std::string_view::npos || line.find("algbw") != std::string_view::npos ||
        line.find("Collective test starting") != std::string_view::npos ||
        (line.find("Using devices") != std::string_view::npos))
      return Kind::nccl_tests;
    if (words.size() > 1 && words[1].text == "Size" && line.find("atency") != std::string_view::npos) return Kind::osu;
  }
  return Kind::unknown;
}

} // namespace

std::vector<MeasuredTable> parse_measured(const std::string& text, const std::string& path, const AboutLog& about) {
  const auto refuse = [&](int line, std::string why) {
    throw InputErrors({{path, line, line > 0 ? 1 : 0, "", std::move(why)}});
  };
  if (text.empty()) refuse(0, "the file is empty");
  if (const std::size_t bad = bad_byte(text); bad != std::string_view::npos)
    refuse(1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(bad), '\n')),
           fmt::format("byte {:#04x} is no text in UTF-8", static_cast<unsigned char>(text[bad])));
  switch (kind_of(text)) {
  case Kind::nccl_tests: return measured::read_nccl_tests(text, path, about);
  case Kind::osu: return measured::read_osu(text, path, about);
  case Kind::csv: return measured::read_csv(text, path, about);
  case Kind::unknown: break;
  }
  refuse(0, "no log that is known: output of nccl-tests (\"# nThread ...\"), of the OSU micro-benchmarks (\"# OSU ... "
            "Test\"), or CSV with a column size_bytes is expected");
  return {};
}

std::vector<MeasuredTable> read_measured(const std::string& path, const AboutLog& about) {
  const FileText content = read_file(path, std::numeric_limits<std::size_t>::max());
  if (!content.error.empty()) throw InputErrors({{path, 0, 0, "", content.error}});
  return parse_measured(content.text, path, about);
}

} // namespace gradflight
