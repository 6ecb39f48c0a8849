#include "analysis/explore/regression/form_check.hpp"

#include "analysis/run/result/verdict.hpp"
#include "scenarios/language/json/diagnostics.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

namespace gradflight {

template <class Visitor, Same<Bottleneck> Links> void visit(Visitor& fields, Links& l) {
  auto& [link, alike, seconds, jobs, traffic, tier] = l;
  fields(link, alike, seconds, jobs, traffic, tier);
}
template <class Visitor, Same<Simulated> Run> void visit(Visitor& fields, Run& r) {
  auto& [time, path, bottlenecks, beyond] = r;
  fields(time, path, bottlenecks, beyond);
}

namespace {

using Json = nlohmann::ordered_json;

/// "no form" -> "no_form".
std::string json_name(std::string verdict) {
  std::replace(verdict.begin(), verdict.end(), ' ', '_');
  return verdict;
}

Json object_of(const FormCheck& c) {
  Json object;
  object["scenario"] = c.prepared.scenario().name;
  object["file"] = c.file.string();
  object["id"] = c.prepared.id();
  object["time_s"] = c.time.finished() ? Json(c.time.value) : Json();
  object["closed_form"] = c.form.form ? Json{{"name", c.form.form->name}, {"time_s", c.form.form->terms.time}} : Json();
  object["relative_error"] = c.comparison.relative_error ? Json(*c.comparison.relative_error) : Json();
  object["verdict"] = json_name(c.verdict());
  object["cause"] = c.remark().empty() ? Json() : Json(c.remark());
  return object;
}

} // namespace

const char* FormCheck::verdict() const { return time.finished() ? verdict_name(comparison.verdict) : "failed"; }

std::string FormCheck::remark() const {
  if (!time.finished()) return time.end.message();
  return form.form ? comparison.cause : form.why_none;
}

std::vector<FormCheck> load_checks(const std::vector<std::filesystem::path>& paths) {
  std::vector<FormCheck> checks;
  std::vector<Diagnostic> errors;
  for (auto& file : scenario_files(paths)) {
    try {
      const auto path = file.path;
      Prepared prepared = prepare(std::move(file));
      ClosedFormAnswer form = closed_form(prepared.scenario(), prepared.platform());
      checks.push_back({path, std::move(prepared), std::move(form)});
    } catch (const InputErrors& found) {
      errors.insert(errors.end(), found.diagnostics().begin(), found.diagnostics().end());
    }
  }
  if (!errors.empty()) throw InputErrors(std::move(errors));
  return checks;
}

void run_checks(std::vector<FormCheck>& checks, double tolerance, int jobs,
                const std::function<void(const FormCheck&)>& report) {
  run_cases(
      checks.size(), {.jobs = jobs},
      [&](std::size_t i, Process process) {
        const RunResult result = simulate(checks[i].prepared, {.process = process});
        const Scenario& scenario = checks[i].prepared.scenario();
        Simulated simulated{result.time, result.path, find_bottlenecks(result), {}};
        if (scenario.one_job())
          simulated.beyond = beyond_text(bound_by(scenario, result), simulated.bottlenecks, scenario);
        return simulated;
      },
      [&](std::size_t i, Answer<Simulated> answer) {
        FormCheck& c = checks[i];
        if (answer.finished()) c.comparison = compare(answer.value, c.form, tolerance);
        c.time = {answer.value.time, std::move(answer.end)};
        report(c);
      });
}

std::vector<std::pair<std::string, std::size_t>> tally(const std::vector<FormCheck>& checks) {
  std::vector<std::pair<std::string, std::size_t>> counts;
  for (const char* verdict : {"ok", "explained", "off", "no form", "failed"})
    counts.emplace_back(verdict, std::count_if(checks.begin(), checks.end(), [&](const FormCheck& c) {
                          return std::string_view(c.verdict()) == verdict;
                        }));
  return counts;
}

Json json_of(const std::vector<FormCheck>& checks, double tolerance) {
  Json object;
  object["tolerance"] = tolerance;
  object["scenarios"] = Json::array();
  for (const FormCheck& c : checks) object["scenarios"].push_back(object_of(c));
  object["summary"] = Json::object();
  for (const auto& [verdict, count] : tally(checks)) object["summary"][json_name(verdict)] = count;
  return object;
}

} // namespace gradflight
