// The elements of a report: headings, labelled lines, wrapped sentences, lines of tables, bars.
#pragma once

#include "analysis/run/text/report.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace gradflight {

/// Its own colours are the only control characters in it; those in its input are escaped.
class ReportText {
public:
  explicit ReportText(const ReportStyle& style) : style_(style) {}

  void heading(std::string_view title, std::string_view rest = "");
  /// Wrapped, indented by two; adds nothing for an empty text.
  void paragraph(std::string_view text);
  /// "  label      text"; the text is wrapped with a hanging indent.
  void line(std::string_view label, std::string_view text);
  void raw(std::string_view text);
  /// Wrapped, from the first column.
  void sentence(std::string_view text);
  /// "  label      yes claim" or "NO ", with colour.
  void verdict(std::string_view label, bool holds, std::string_view claim);
  void blank() { out_ += '\n'; }

  [[nodiscard]] std::string take() && { return std::move(out_); }

private:
  [[nodiscard]] std::string paint(const char* code, std::string_view text) const;
  ReportStyle style_;
  std::string out_;
};

/// Breaks text at spaces into lines of at most `width` characters; longer words have a separate line. A number stays
/// with the next word, because that is its unit.
std::vector<std::string> wrap(std::string_view text, std::size_t width);

/// Wraps text to lines of 100 characters that begin with `indent`; each paragraph begins a line.
std::string wrapped_text(const std::string& text, const std::string& indent);
std::string wrapped_text(const std::vector<std::string>& paragraphs, const std::string& indent);

/// Returns a line of a table: without spaces at its end, with a newline.
std::string table_line(std::string text);

/// Returns a bar of 20 cells for `fraction` (0..1); a value above zero shows at least one cell.
std::string bar(double fraction);

} // namespace gradflight
