#include "scenarios/language/import/recorded_json.hpp"

#include <nlohmann/json.hpp>

namespace gradflight {
namespace {

using Json = nlohmann::ordered_json;

Json collective_json(const TraceCollective& collective, double begin) {
  Json json;
  json["operation"] = collective.operation;
  json["gradient"] = collective.gradient;
  if (collective.elements >= 0) json["elements"] = collective.elements;
  if (!collective.dtype.empty()) json["dtype"] = collective.dtype;
  if (collective.bytes >= 0) json["bytes"] = collective.bytes;
  if (collective.group > 0) json["group_size"] = collective.group;
  if (!collective.group_name.empty()) json["group"] = collective.group_name;
  json["issued_s"] = collective.issued - begin;
  if (collective.ready >= 0) json["ready_s"] = collective.ready - begin;
  if (collective.kernel) {
    json["stream"] = collective.stream;
    json["begin_s"] = collective.kernel->begin - begin;
    json["end_s"] = collective.kernel->end - begin;
  }
  return json;
}

Json layer_json(const TraceLayer& layer, double begin) {
  Json json;
  json["op"] = layer.op;
  json["forward_s"] = layer.forward.span;
  json["forward_busy_s"] = layer.forward.busy;
  json["backward_s"] = layer.backward.span;
  json["backward_busy_s"] = layer.backward.busy;
  json["gradients"] = layer.gradients;
  if (layer.ready >= 0) json["ready_s"] = layer.ready - begin;
  return json;
}

Json step_json(const StepTimes& step) {
  Json json;
  json["name"] = step.name;
  json["duration_s"] = step.end - step.begin;
  json["before_s"] = step.before.span;
  json["forward_s"] = step.forward();
  json["backward_s"] = step.backward();
  json["update_s"] = step.update.span;
  json["update_busy_s"] = step.update.busy;
  json["backward_end_s"] = step.backward_end - step.begin;
  json["communication_end_s"] = step.communication_end - step.begin;
  for (const TraceLayer& layer : step.layers) json["layers"].push_back(layer_json(layer, step.begin));
  for (const TraceCollective& collective : step.collectives)
    json["collectives"].push_back(collective_json(collective, step.begin));
  return json;
}

} // namespace

std::string recorded_json(const Trace& trace, const std::vector<StepTimes>& steps) {
  Json json;
  if (!trace.device.empty()) json["device"] = trace.device;
  if (trace.rank >= 0) json["rank"] = trace.rank;
  if (trace.world_size > 0) json["world_size"] = trace.world_size;
  for (const StepTimes& step : steps) json["steps"].push_back(step_json(step));
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

bool is_recorded_json(std::string_view begin) {
  return begin.starts_with("{\n \"") && begin.find("\n \"steps\": [\n  {\n   \"name\": ") != std::string_view::npos;
}

} // namespace gradflight
