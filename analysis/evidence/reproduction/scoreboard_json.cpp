#include "analysis/evidence/reproduction/scoreboard_output.hpp"

#include "analysis/evidence/reproduction/pack_sensitivity.hpp"
#include "analysis/run/files/json_text.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace gradflight {
namespace {

using Json = nlohmann::ordered_json;

const char* class_name(FigureRole role) {
  return role == FigureRole::predicted ? "informative" : role == FigureRole::dependent ? "dependent" : nullptr;
}

/// Returns sensitivities by the numbers' names; leaves out zeros.
Json sensitivities_json(const Pack& pack, const FigureScore& score) {
  if (score.sensitivities.empty()) return {};
  auto json = Json::object();
  for (std::size_t i = 0; i < score.sensitivities.size(); ++i)
    if (score.sensitivities[i] != 0) json[number_name(pack, i)] = score.sensitivities[i];
  return json;
}

Json published_json(const PublishedValue& value) {
  return std::visit([](const auto& v) { return Json(v); }, value);
}

Json figure_json(const Pack& pack, const FigureScore& score) {
  const auto& figure = *score.figure;
  Json json;
  json["id"] = figure.published.id;
  json["paper"] = figure.published.paper;
  json["reported"] = published_json(figure.published.value);
  json["simulated"] = score.simulated ? Json(*score.simulated) : score.holds ? Json(*score.holds) : Json();
  json["relative_error"] = optional_json(score.relative_error);
  json["closed_form"] = optional_json(score.closed_form);
  json["form_relative_error"] = optional_json(score.form_error());
  json["role"] = role_name(score.role());
  const auto* figure_class = class_name(score.role());
  json["class"] = figure_class == nullptr ? Json() : Json(figure_class);
  json["reason"] = score.reason().empty() ? Json() : Json(score.reason());
  json["unit"] = figure.published.unit;
  json["source"] = figure.published.source;
  json["input_share"] = optional_json(score.input_share);
  json["non_input_error"] = optional_json(score.non_input_error());
  json["sensitivities"] = sensitivities_json(pack, score);
  if (figure.role == FigureRole::statement) json["holds"] = score.holds.value();
  return json;
}

Json errors_json(const ErrorStatistics& errors) {
  return {{"count", errors.count},
          {"median_abs_error", optional_json(errors.median)},
          {"p90_abs_error", optional_json(errors.p90)}};
}

Json against_json(const AgainstForm& against) {
  return {{"count", against.form.size()},
          {"closer", against.closer()},
          {"median_abs_error", optional_json(statistics_of(against.simulation).median)},
          {"form_median_abs_error", optional_json(statistics_of(against.form).median)}};
}

Json choice_json(const Pack& pack, const PackChoice& choice, const ChoiceScore& score) {
  Json json{{"paper", pack.paper},
            {"what", choice.what},
            {"alternatives", choice.alternatives},
            {"tried_on", choice.tried_on},
            {"why", choice.why.empty() ? Json() : Json(choice.why)}};
  json["with"] = choice.without.empty() ? Json() : errors_json(score.with);
  json["without"] = choice.without.empty() ? Json() : errors_json(score.without);
  return json;
}

Json counts_json(const ScoreCounts& counts) {
  const auto errors = counts.errors();
  return {{"predicted", counts.predicted},
          {"predicted_from_text", counts.predicted_in_text},
          {"median_abs_error", optional_json(errors.median)},
          {"p90_abs_error", optional_json(errors.p90)},
          {"informative", errors_json(errors)},
          {"with_failed", errors_json(counts.errors_with_failed())},
          {"non_input", errors_json(statistics_of(counts.non_input_errors))},
          {"against_form", against_json(counts.against_form)},
          {"dependent", counts.dependent},
          {"failed", counts.failed_errors.size()},
          {"structural_choices", counts.choices},
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
  Json figures = Json::array(), papers = Json::array(), parameters = Json::array(), choices = Json::array();
  for (const auto& paper : scoreboard) {
    for (const auto& score : paper.figures) figures.push_back(figure_json(*paper.pack, score));
    for (std::size_t i = 0; i < paper.pack->parameters.size(); ++i)
      parameters.push_back(parameter_json(*paper.pack, i));
    for (std::size_t i = 0; i < paper.choices.size(); ++i)
      choices.push_back(choice_json(*paper.pack, paper.pack->choices[i], paper.choices[i]));
    Json counts{{"paper", paper.pack->paper}, {"pack", paper.pack->file}};
    counts.update(counts_json(paper.counts()));
    counts["fits"] = paper.fits ? fits_json(*paper.fits, paper.stale, comparable_errors(paper)) : Json();
    papers.push_back(std::move(counts));
  }
  return {{"figures", std::move(figures)},
          {"papers", std::move(papers)},
          {"parameters", std::move(parameters)},
          {"choices", std::move(choices)},
          {"summary", counts_json(counts_of(scoreboard))}};
}

} // namespace gradflight
