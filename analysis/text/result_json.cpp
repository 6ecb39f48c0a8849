#include "analysis/text/result_json.hpp"

#include "analysis/result/comparison.hpp"
#include "analysis/text/json_text.hpp"

#include <nlohmann/json.hpp>

namespace gradflight {
namespace {

using Json = nlohmann::ordered_json;

Json breakdown(const Path& path) {
  Json object = Json::object();
  for (int i = 0; i < part_count; ++i)
    object[std::string(part_name(static_cast<Part>(i))) + "_s"] = path[static_cast<std::size_t>(i)];
  return object;
}

void put_terms(Json& object, const FormTerms& terms) {
  object["time_s"] = terms.time;
  object["alpha_s"] = terms.alpha;
  object["beta_s"] = terms.beta;
  object["gamma_s"] = terms.gamma;
  object["compute_s"] = terms.compute;
  object["other_s"] = terms.other;
}

Json closed_form_object(const ClosedForm& form, const Comparison& comparison) {
  Json object;
  object["name"] = form.name;
  put_terms(object, form.terms);
  object["formula"] = form.formula;
  object["source"] = form.source;
  object["assumptions"] = Json::array();
  for (const Assumption& a : form.assumptions)
    object["assumptions"].push_back({{"id", name(a.id)}, {"text", a.text}, {"holds", a.holds}, {"detail", a.detail}});
  object["relative_error"] = comparison.relative_error ? Json(*comparison.relative_error) : Json();
  object["cause"] = comparison.cause.empty() ? Json() : Json(comparison.cause);
  if (form.paper) {
    Json paper;
    paper["name"] = form.paper->name;
    put_terms(paper, form.paper->terms);
    paper["source"] = form.paper->source;
    paper["why_not_gated"] = form.paper->why;
    object["paper_form"] = paper;
  }
  return object;
}

void put_iterations(Json& object, const Outcome& outcome) {
  const auto& all = outcome.result.iterations;
  const std::size_t omitted = all.size() > iterations_kept ? all.size() - iterations_kept : 0;
  object["iteration_count"] = all.size();
  object["iterations_omitted"] = omitted;
  object["iterations"] = Json::array();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (omitted > 0 && i == iterations_kept / 2) i += omitted;
    Json entry = {{"iteration", i}, {"end_s", all[i].end}, {"time_s", all[i].end - (i > 0 ? all[i - 1].end : 0)}};
    if (outcome.scenario.phases.size() > 1)
      entry["phase"] = phase_of_iteration(outcome.scenario, static_cast<std::int64_t>(i));
    object["iterations"].push_back(std::move(entry));
  }
}

Json ratio(double payload, double wire) { return wire > 0 ? Json(payload / wire) : Json(nullptr); }

Json leg(double payload, double wire) {
  return {{"payload_bytes", json_count(payload)}, {"wire_bytes", json_count(wire)}, {"ratio", ratio(payload, wire)}};
}

Json selection(const SelectionResult& result) {
  Json object = {{"selected_mass_share", result.selected_mass_share}};
  if (result.shared_index_share) object["shared_index_share"] = *result.shared_index_share;
  if (result.lost_mass_share) object["lost_mass_share"] = *result.lost_mass_share;
  return object;
}

/// What real tensors went through, in all and exchange by exchange.
Json data(const DataResult& result) {
  LegBytes all;
  Json steps = Json::array();
  for (const LegBytes& step : result.steps) {
    all.push_payload += step.push_payload;
    all.push_wire += step.push_wire;
    all.pull_payload += step.pull_payload;
    all.pull_wire += step.pull_wire;
    steps.push_back({{"iteration", step.iteration},
                     {"push", leg(step.push_payload, step.push_wire)},
                     {"pull", leg(step.pull_payload, step.pull_wire)}});
  }
  Json object = {{"push", leg(all.push_payload, all.push_wire)},
                 {"pull", leg(all.pull_payload, all.pull_wire)},
                 {"aggregate_max_error", result.max_error},
                 {"aggregate_relative_l2_error", result.relative_l2_error},
                 {"aggregate_bias", result.bias},
                 {"exchanges", steps}};
  if (result.selection) object["selection"] = selection(*result.selection);
  return object;
}

Json links(const RunResult& result) {
  Json list = Json::array();
  for (const LinkResult& link : result.links)
    list.push_back({{"name", link.name},
                    {"bandwidth_bytes_per_s", json_count(link.bandwidth)},
                    {"bytes", json_count(link.bytes)},
                    {"busy_s", link.busy},
                    {"utilisation", utilisation(link, result.time)}});
  return list;
}

} // namespace

Json result_object(const Outcome& outcome) {
  const RunResult& result = outcome.result;
  Json object;
  object["scenario"] = outcome.scenario.name;
  object["id"] = outcome.id;
  object["engine"] = engine_name(outcome.scenario.engine.kind);
  object["time_s"] = result.time;
  object["iteration_time_s"] = result.iteration_time;
  object["compute_time_s"] = result.compute_time;
  object["communication_time_s"] = result.communication_time;
  object["exposed_communication_time_s"] = result.exposed_communication_time;
  object["messages"] = result.messages;
  object["payload_bytes"] = json_count(result.payload_bytes);
  object["wire_bytes"] = json_count(result.wire_bytes);
  object["dropped_gradients"] = result.dropped_gradients;
  if (result.data) object["data"] = data(*result.data);
  if (outcome.form.form) {
    object["closed_form"] = closed_form_object(*outcome.form.form, compare(result.time, outcome.form));
  } else {
    object["closed_form"] = nullptr;
    object["closed_form_missing"] = outcome.form.why_none;
  }
  object["breakdown"] = breakdown(result.path);
  object["iteration_breakdown"] = breakdown(result.iteration_path);
  put_iterations(object, outcome);
  object["links"] = links(result);
  return object;
}

std::string result_json(const Outcome& outcome) { return json_text(result_object(outcome)); }

} // namespace gradflight
