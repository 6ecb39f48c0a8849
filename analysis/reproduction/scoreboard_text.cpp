#include "analysis/reproduction/scoreboard_text.hpp"

#include "analysis/reproduction/fits_text.hpp"
#include "analysis/text/human.hpp"
#include "analysis/text/report_text.hpp"
#include "scenarios/language/fields/shape.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace gradflight {
namespace {

constexpr std::size_t text_width = 100;

std::string row(std::size_t width, const std::string& id, const std::string& reported, const std::string& simulated,
                const std::string& unit, const std::string& error, const std::string& role, const std::string& reason) {
  auto text = fmt::format("  {:<{}}  {:>12}  {:>12}  {:<12}  {:>9}  {:<9}  {}", id, width, reported, simulated, unit,
                          error, role, reason);
  text.erase(text.find_last_not_of(' ') + 1);
  return text + '\n';
}

std::string rows(const PaperScore& paper) {
  std::size_t width = 6;
  for (const auto& score : paper.figures) width = std::max(width, score.figure->published.id.size());
  auto text = row(width, "figure", "reported", "simulated", "unit", "error", "role", "");
  for (const auto& score : paper.figures) {
    const auto& published = score.figure->published;
    text += row(width, published.id, value_text(published.value), simulated_text(score, "-"), published.unit,
                error_text(score, "-"), role_name(score.role()), score.figure->reason);
  }
  return text;
}

std::string parameters(const Pack& pack) {
  std::string text;
  for (std::size_t i = 0; i < pack.parameters.size(); ++i) {
    const auto& p = pack.parameters[i];
    text += fmt::format("  {} = {}  within {} .. {}  {} {}\n", p.name, value_text(p), p.text(p.low), p.text(p.high),
                        p.file, joined(p.at));
    text += hung_text(p.why, "      ") + hung_text("fitted to " + joined(fitted_to(pack, i)), "      ");
  }
  return text;
}

std::string fits(const PaperScore& paper) {
  if (!paper.fits) return {};
  std::string text;
  if (paper.stale) text += hung_text(stale_text(*paper.pack), "  ");
  for (const auto& result : paper.fits->transfers) text += hung_text(transfer_text(result), "  ");
  if (paper.fits->cross_validation) text += hung_text(cross_validation_text(*paper.fits->cross_validation), "  ");
  return text;
}

} // namespace

std::string hung_text(const std::string& text, const std::string& indent) {
  std::string out;
  for (const auto& line : wrap(text, text_width - indent.size())) out += indent + line + '\n';
  return out;
}

std::string simulated_text(const FigureScore& score, const std::string& none) {
  if (score.simulated) return fmt::format("{:.6g}", *score.simulated);
  if (score.holds) return *score.holds ? "true" : "false";
  return none;
}

std::string error_text(const FigureScore& score, const std::string& none) {
  if (score.relative_error) return human_error(*score.relative_error);
  if (score.holds) return *score.holds ? "holds" : "fails";
  return none;
}

std::string counts_text(const ScoreCounts& counts) {
  const auto errors = counts.errors();
  std::string text =
      fmt::format("{} predicted ({} from the text)", counted(static_cast<std::int64_t>(counts.predicted), "figure"),
                  counts.predicted_in_text);
  if (errors.median)
    text += fmt::format(": median |error| {}, 90th percentile {}", human_percent(*errors.median),
                        human_percent(*errors.p90));
  text += fmt::format("; {} fitted to {}", counted(static_cast<std::int64_t>(counts.parameters), "parameter"),
                      counted(static_cast<std::int64_t>(counts.fitted), "figure"));
  if (counts.statements > 0)
    text += fmt::format("; {} of {} statements hold", counts.statements_held, counts.statements);
  return text +
         fmt::format("; {}, {} excluded", counted(static_cast<std::int64_t>(counts.inputs), "input"), counts.excluded);
}

std::string value_text(const PackParameter& p) {
  return p.uncertainty ? fmt::format("{} +- {}", p.text(p.value), p.text(*p.uncertainty)) : p.text(p.value);
}

std::vector<std::string> fitted_to(const Pack& pack, std::size_t index) {
  std::vector<std::string> ids;
  for (const auto& fit : pack.fits)
    if (std::ranges::find(fit.parameters, index) != fit.parameters.end())
      for (const auto figure : fit.figures) ids.push_back(pack.figures[figure].published.id);
  return ids;
}

std::string scoreboard_text(const Scoreboard& scoreboard) {
  std::string text;
  for (const auto& paper : scoreboard) {
    text += fmt::format("{}  {}\n{}\n{}{}{}\n", paper.pack->paper, paper.pack->file, rows(paper),
                        hung_text(counts_text(paper.counts()), "  "), parameters(*paper.pack), fits(paper));
  }
  if (scoreboard.size() > 1) text += fmt::format("all papers\n{}", hung_text(counts_text(counts_of(scoreboard)), "  "));
  return text;
}

} // namespace gradflight
