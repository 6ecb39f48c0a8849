#include "analysis/reproduction/scoreboard_text.hpp"

#include "analysis/reproduction/fits_text.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace gradflight {
namespace {

using Json = nlohmann::ordered_json;

Json optional_json(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

Json published_json(const PublishedValue& value) {
  return std::visit([](const auto& v) { return Json(v); }, value);
}

Json figure_json(const FigureScore& score) {
  const auto& figure = *score.figure;
  Json json;
  json["id"] = figure.published.id;
  json["paper"] = figure.published.paper;
  json["reported"] = published_json(figure.published.value);
  json["simulated"] = score.simulated ? Json(*score.simulated) : score.holds ? Json(*score.holds) : Json();
  json["relative_error"] = optional_json(score.relative_error);
  json["role"] = role_name(figure.role);
  json["reason"] = figure.reason.empty() ? Json() : Json(figure.reason);
  json["unit"] = figure.published.unit;
  json["source"] = figure.published.source;
  if (figure.role == FigureRole::statement) json["holds"] = score.holds.value();
  return json;
}

Json counts_json(const ScoreCounts& counts) {
  const auto errors = counts.errors();
  return {{"predicted", counts.predicted},
          {"predicted_from_text", counts.predicted_in_text},
          {"median_abs_error", optional_json(errors.median)},
          {"p90_abs_error", optional_json(errors.p90)},
          {"fitted_parameters", counts.parameters},
          {"fitted_figures", counts.fitted},
          {"statements", counts.statements},
          {"statements_held", counts.statements_held},
          {"inputs", counts.inputs},
          {"excluded", counts.excluded}};
}

Json parameter_json(const Pack& pack, std::size_t index) {
  const auto& p = pack.parameters[index];
  return {{"paper", pack.paper},
          {"name", p.name},
          {"value", p.value},
          {"uncertainty", optional_json(p.uncertainty)},
          {"unit", p.dimension ? unit_names(*p.dimension).front() : ""},
          {"text", value_text(p)},
          {"bounds", {p.low, p.high}},
          {"file", p.file},
          {"at", p.at},
          {"fitted_to", fitted_to(pack, index)},
          {"why", p.why}};
}

} // namespace

Json scoreboard_json(const Scoreboard& scoreboard) {
  Json figures = Json::array(), papers = Json::array(), parameters = Json::array();
  for (const auto& paper : scoreboard) {
    for (const auto& score : paper.figures) figures.push_back(figure_json(score));
    for (std::size_t i = 0; i < paper.pack->parameters.size(); ++i)
      parameters.push_back(parameter_json(*paper.pack, i));
    Json counts{{"paper", paper.pack->paper}, {"pack", paper.pack->file}};
    counts.update(counts_json(paper.counts()));
    counts["fits"] = paper.fits ? fits_json(*paper.fits, paper.stale) : Json();
    papers.push_back(std::move(counts));
  }
  return {{"figures", std::move(figures)},
          {"papers", std::move(papers)},
          {"parameters", std::move(parameters)},
          {"summary", counts_json(counts_of(scoreboard))}};
}

} // namespace gradflight
