#include "analysis/explore/regression/golden_text.hpp"

#include "analysis/run/text/report_text.hpp"
#include "base/human.hpp"
#include "scenarios/language/decode/edit_expectations.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace gradflight {
namespace {

using Row = std::array<std::string, 5>;

std::string change_of(const ExpectationCheck& q) {
  if (!q.got) return "-";
  const auto change = q.change();
  return change ? human_error(*change) : "from 0";
}

std::vector<Row> rows_of(const GoldenCheck& check) {
  std::vector<Row> rows = {{"quantity", "expected", "got", "change", "tolerance"}};
  for (const ExpectationCheck& q : check.quantities)
    if (!q.holds())
      rows.push_back({q.expected.quantity, number_text(q.expected.value), q.got ? number_text(*q.got) : "nothing",
                      change_of(q), q.expected.tolerance == 0 ? "exact" : number_text(q.expected.tolerance)});
  return rows;
}

std::string table(const std::vector<Row>& rows) {
  std::array<std::size_t, 5> widths{};
  for (const Row& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const Row& row : rows) {
    text += fmt::format("  {:<{}}", row[0], widths[0]);
    for (std::size_t i = 1; i < row.size(); ++i) text += fmt::format("  {:>{}}", row[i], widths[i]);
    text += '\n';
  }
  return text;
}

std::string labelled(const char* label, const std::string& sentence, std::size_t width) {
  constexpr std::size_t margin = 12;
  std::string text;
  for (const std::string& line : wrap(sentence, width - margin)) {
    text += fmt::format("  {:<{}}{}\n", text.empty() ? label : "", margin - 2, line);
  }
  return text;
}

} // namespace

std::string change_text(const GoldenCheck& check, const Outcome& outcome, std::size_t width) {
  std::string text = table(rows_of(check));
  const char* label = "protects";
  for (const ExpectationCheck& q : check.quantities) {
    if (q.holds() || q.expected.why.empty()) continue;
    text += labelled(label, fmt::format("{}: {}", q.expected.quantity, q.expected.why), width);
    label = "";
  }
  label = "because";
  for (const std::string& sentence : explain_change(check, outcome)) {
    text += labelled(label, sentence, width);
    label = "";
  }
  return text;
}

std::string change_line(const GoldenCheck& check) {
  std::string text;
  for (const ExpectationCheck& q : check.quantities) {
    if (q.holds()) continue;
    const std::size_t more = check.moved() - 1;
    text = fmt::format("{} {}", q.expected.quantity, change_of(q));
    return more == 0 ? text : fmt::format("{}, {} more", text, more);
  }
  return text;
}

} // namespace gradflight
