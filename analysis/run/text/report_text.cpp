#include "analysis/run/text/report_text.hpp"

#include "base/visible.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace gradflight {

namespace {
constexpr std::size_t label_width = 16; // two columns of indentation, the label, and a gap of two

/// Whether the word is a number, perhaps behind an opening parenthesis.
bool is_number(std::string_view word) {
  if (word.starts_with('(')) word.remove_prefix(1);
  return !word.empty() && word.find_first_not_of("0123456789.+-e<") == std::string_view::npos;
}
} // namespace

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines{""};
  while (!text.empty()) {
    std::size_t end = text.find(' ');
    if (is_number(text.substr(0, end)) && end != std::string_view::npos) end = text.find(' ', end + 1);
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > width) lines.emplace_back();
    if (!lines.back().empty()) lines.back() += ' ';
    lines.back() += word;
  }
  return lines;
}

std::string wrapped_text(const std::string& text, const std::string& indent) {
  constexpr std::size_t text_width = 100;
  std::string out;
  for (const auto& line : wrap(text, text_width - indent.size())) out += indent + line + '\n';
  return out;
}

std::string wrapped_text(const std::vector<std::string>& paragraphs, const std::string& indent) {
  std::string text;
  for (const auto& paragraph : paragraphs) text += wrapped_text(paragraph, indent);
  return text;
}

std::string table_line(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  return text + '\n';
}

std::string bar(double fraction) {
  if (!(fraction > 0)) return "";
  const long cells = std::clamp(std::lround(fraction * 20), 1L, 20L);
  return std::string(static_cast<std::size_t>(cells), '#');
}

std::string ReportText::paint(const char* code, std::string_view text) const {
  return style_.colour ? fmt::format("\033[{}m{}\033[0m", code, text) : std::string(text);
}

void ReportText::heading(std::string_view title, std::string_view rest) {
  out_ += paint("1", visible(title));
  out_ += rest.empty() ? "\n" : fmt::format("  {}\n", visible(rest));
}

void ReportText::raw(std::string_view text) { out_ += visible(text) + '\n'; }

void ReportText::verdict(std::string_view label, bool holds, std::string_view claim) {
  out_ += fmt::format("  {:<{}}{} {}\n", label, label_width - 2, holds ? paint("32", "yes") : paint("1;31", "NO "),
                      visible(claim));
}

void ReportText::paragraph(std::string_view text) {
  if (text.empty()) return;
  const auto room = static_cast<std::size_t>(std::max(style_.width, 60)) - 2;
  for (const std::string& piece : wrap(visible(text, "\n\t"), room)) out_ += "  " + piece + '\n';
}

void ReportText::sentence(std::string_view text) {
  const auto room = static_cast<std::size_t>(std::max(style_.width, 60));
  for (const std::string& piece : wrap(visible(text), room)) out_ += piece + '\n';
}

void ReportText::line(std::string_view label, std::string_view text) {
  const auto room = static_cast<std::size_t>(std::max(style_.width, 60)) - label_width;
  std::string name = visible(label);
  if (name.size() + 2 >= label_width) { // a line of its own, such as the name of a job
    out_ += fmt::format("  {}\n", name);
    name.clear();
  }
  for (const std::string& piece : wrap(visible(text), room)) {
    out_ += fmt::format("  {:<{}}{}\n", name, label_width - 2, piece);
    name.clear();
  }
}

} // namespace gradflight
