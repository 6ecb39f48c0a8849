// The pieces a report is set from: headings, labelled lines, wrapped sentences, bars. Internal to analysis/.
#pragma once

#include "analysis/run/text/report.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace gradflight {

/// Only colours are control characters in it: those of what it is given are shown, not sent.
class ReportText {
public:
  explicit ReportText(const ReportStyle& style) : style_(style) {}

  void heading(std::string_view title, std::string_view rest = "");
  /// Wrapped, indented by two; nothing for no text.
  void paragraph(std::string_view text);
  /// "  label      text", with text wrapped and hung below itself.
  void line(std::string_view label, std::string_view text);
  void raw(std::string_view text);
  /// Wrapped, from the first column on.
  void sentence(std::string_view text);
  /// "  label      yes claim" or "NO ", in colour.
  void verdict(std::string_view label, bool holds, std::string_view claim);
  void blank() { out_ += '\n'; }

  [[nodiscard]] std::string take() && { return std::move(out_); }

private:
  [[nodiscard]] std::string paint(const char* code, std::string_view text) const;
  ReportStyle style_;
  std::string out_;
};

/// Breaks text at spaces into lines of at most `width` characters (longer words stand alone). A number stays with the
/// word that follows it: its unit.
std::vector<std::string> wrap(std::string_view text, std::size_t width);

/// A bar of `fraction` (0..1) of 20 cells; anything above zero shows at least one.
std::string bar(double fraction);

} // namespace gradflight
