#include "analysis/reproduction/scoreboard_page.hpp"

#include "analysis/pages/charts.hpp"
#include "analysis/pages/page.hpp"
#include "analysis/reproduction/fits_text.hpp"
#include "analysis/reproduction/scoreboard_text.hpp"
#include "analysis/text/human.hpp"
#include "scenarios/language/fields/shape.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace gradflight {
namespace {

using Json = ChartJson;

constexpr int side = 400; ///< of the square plots, in pixels
constexpr double band = 0.1;
constexpr std::array<std::pair<const char*, const char*>, 4> role_colors = {
    {{"predicted", "#0969da"}, {"fitted", "#d1495b"}, {"excluded", "#b6bfc7"}, {"input", "#8250df"}}};

/// Both sides of a figure can be drawn on a logarithmic axis.
bool drawable(const FigureScore& score) {
  const auto* reported = score.figure->published.number();
  return reported != nullptr && *reported > 0 && score.simulated && *score.simulated > 0;
}

Json rows_of(const PaperScore& paper) {
  Json rows = Json::array();
  for (const auto& score : paper.figures) {
    if (!drawable(score)) continue;
    const auto& published = score.figure->published;
    rows.push_back({{"id", published.id},
                    {"quantity", published.quantity},
                    {"reported", *published.number()},
                    {"simulated", *score.simulated},
                    {"error", *score.relative_error},
                    {"role", role_name(score.role())},
                    {"unit", published.unit}});
  }
  return rows;
}

Json figure_axis(const std::string& field, const std::string& title) {
  return log_encoding(field, title, {{"format", "~g"}, {"labelOverlap", true}, {"tickCount", 8}});
}

Json error_axis(const std::string& field) {
  return {{"field", field}, {"type", "quantitative"}, {"title", "relative error"}, {"axis", {{"format", "+.0%"}}}};
}

/// From the least to the greatest value of either side: the line where both are equal, and what is within the band.
Json diagonal_rows(const Json& rows) {
  double least = 0, most = 0;
  for (const auto& row : rows) {
    for (const auto* key : {"reported", "simulated"}) {
      const auto value = row[key].get<double>();
      least = least == 0 ? value : std::min(least, value);
      most = std::max(most, value);
    }
  }
  Json ends = Json::array();
  for (const double at : {least, most})
    ends.push_back(
        {{"at", at}, {"low", at * (1 - band)}, {"high", at * (1 + band)}, {"below", -band}, {"above", band}});
  return ends;
}

Json tooltip() {
  Json list = Json::array();
  for (const auto* field : {"id", "quantity", "unit", "role"}) list.push_back({{"field", field}, {"type", "nominal"}});
  for (const auto* field : {"reported", "simulated"})
    list.push_back({{"field", field}, {"type", "quantitative"}, {"format", ".5~g"}});
  list.push_back({{"field", "error"}, {"type", "quantitative"}, {"format", "+.1%"}});
  return list;
}

Json role_color(const Json& rows) {
  Json domain = Json::array(), range = Json::array();
  for (const auto& entry : role_colors) {
    if (std::ranges::none_of(rows, [&](const Json& row) { return row["role"] == entry.first; })) continue;
    domain.push_back(entry.first);
    range.push_back(entry.second);
  }
  return {{"field", "role"}, {"type", "nominal"}, {"title", "role"}, {"scale", {{"domain", domain}, {"range", range}}}};
}

/// A point for each figure over a band with a line in its middle; `ends` span both.
Json figure_plot(const Json& rows, const std::string& data, const Json& ends, const Json& y, const Json& lower,
                 const Json& upper, const Json& middle) {
  const auto x = figure_axis("at", "reported");
  Json area = {{"data", {{"values", ends}}},
               {"mark", {{"type", "area"}, {"color", "#9aa4ad"}, {"opacity", 0.25}}},
               {"encoding", {{"x", x}, {"y", upper}, {"y2", lower}}}};
  Json line = {{"data", {{"values", ends}}},
               {"mark", {{"type", "line"}, {"color", "#6e7781"}, {"strokeDash", {4, 4}}}},
               {"encoding", {{"x", x}, {"y", middle}}}};
  Json points = {{"data", {{"name", data}}},
                 {"mark", {{"type", "point"}, {"filled", true}, {"size", 55}, {"opacity", 0.8}}},
                 {"encoding",
                  {{"x", figure_axis("reported", "reported")},
                   {"y", y},
                   {"color", role_color(rows)},
                   {"shape", {{"field", "unit"}, {"type", "nominal"}, {"title", "unit"}}},
                   {"tooltip", tooltip()}}}};
  return {{"width", side}, {"height", side}, {"layer", Json::array({area, line, points})}};
}

/// Both sides against each other, and the error alone, which several decades hide.
Json plots(const Json& rows, const std::string& data) {
  const auto ends = diagonal_rows(rows);
  auto flat = ends;
  for (auto& end : flat) end["zero"] = 0;
  const auto values = figure_plot(rows, data, ends, figure_axis("simulated", "simulated"), {{"field", "low"}},
                                  figure_axis("high", "simulated"), figure_axis("at", "simulated"));
  const auto errors =
      figure_plot(rows, data, flat, error_axis("error"), {{"field", "below"}}, error_axis("above"), error_axis("zero"));
  return {{"hconcat", Json::array({values, errors})}};
}

std::string unbroken(std::string text) {
  if (const auto blank = text.find(' '); blank != std::string::npos)
    text.replace(blank, 1, "\u00A0"); // no line ends here
  return text;
}

PageTable figure_table(const PaperScore& paper) {
  PageTable table{{"figure", "what", "where", "reported", "simulated", "unit", "error", "role", ""}, {}};
  for (const auto& score : paper.figures) {
    if (!score.figure->value) continue;
    const auto& published = score.figure->published;
    table.rows.push_back({published.id, published.quantity, published.place, value_text(published.value),
                          simulated_text(score, ""), published.unit, unbroken(error_text(score, "")),
                          role_name(score.role()), score.figure->reason});
  }
  return table;
}

PageTable exclusion_table(const PaperScore& paper) {
  PageTable table{{"figure", "what", "reported", "unit", "role", "why"}, {}};
  for (const auto& score : paper.figures) {
    if (score.role() != FigureRole::excluded && score.role() != FigureRole::input) continue;
    const auto& published = score.figure->published;
    table.rows.push_back({published.id, published.quantity, value_text(published.value), published.unit,
                          role_name(score.role()), score.figure->reason});
  }
  return table;
}

PageTable parameter_table(const Pack& pack) {
  PageTable table{{"parameter", "value", "bounds", "what it is", "where it stands", "fitted to"}, {}};
  for (std::size_t i = 0; i < pack.parameters.size(); ++i) {
    const auto& p = pack.parameters[i];
    table.rows.push_back({p.name, value_text(p), fmt::format("{} .. {}", p.text(p.low), p.text(p.high)), p.why,
                          p.file + " " + joined(p.at), joined(fitted_to(pack, i))});
  }
  return table;
}

PageTable summary_table(const Scoreboard& scoreboard) {
  PageTable table{{"paper", "predicted", "from the text", "median |error|", "90th percentile", "parameters",
                   "fitted to", "statements that hold", "inputs", "excluded"},
                  {}};
  const auto add = [&](const std::string& name, const ScoreCounts& counts) {
    const auto errors = counts.errors();
    table.rows.push_back({name, std::to_string(counts.predicted), std::to_string(counts.predicted_in_text),
                          errors.median ? human_percent(*errors.median) : "-",
                          errors.p90 ? human_percent(*errors.p90) : "-", std::to_string(counts.parameters),
                          std::to_string(counts.fitted),
                          fmt::format("{} of {}", counts.statements_held, counts.statements),
                          std::to_string(counts.inputs), std::to_string(counts.excluded)});
  };
  for (const auto& paper : scoreboard) add(paper.pack->paper, paper.counts());
  if (scoreboard.size() > 1) add("all", counts_of(scoreboard));
  return table;
}

void add_paper(Page& page, const PaperScore& paper, std::size_t index) {
  const auto& pack = *paper.pack;
  page.heading(pack.paper);
  if (!pack.description.empty()) page.paragraph(pack.description);
  page.paragraph(counts_text(paper.counts()) + ".");
  if (const auto rows = rows_of(paper); !rows.empty()) {
    const auto data = fmt::format("paper{}", index);
    page.data(data, rows);
    page.chart("Simulated against reported, and the relative error. On the dashed line they agree; the band is 10 % to "
               "either side.",
               plots(rows, data));
  }
  if (!pack.parameters.empty()) page.table(parameter_table(pack));
  if (paper.fits) {
    if (paper.stale) page.paragraph(stale_text(pack));
    for (const auto& result : paper.fits->transfers) page.paragraph(transfer_text(result));
    if (paper.fits->cross_validation) page.paragraph(cross_validation_text(*paper.fits->cross_validation));
  }
  page.table(figure_table(paper));
  page.paragraph("Not predicted, and why:");
  page.table(exclusion_table(paper));
}

} // namespace

std::string scoreboard_page(const Scoreboard& scoreboard) {
  Page page("Published figures against simulated ones");
  page.paragraph(
      "Errors are relative to what the paper prints. A figure that was fitted to or went in as an input is never "
      "counted as predicted, and of figures that print one measurement one counts.");
  page.table(summary_table(scoreboard));
  for (std::size_t i = 0; i < scoreboard.size(); ++i) add_paper(page, scoreboard[i], i);
  return page.html();
}

} // namespace gradflight
