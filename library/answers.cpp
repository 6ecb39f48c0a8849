// compare, scale and advise.
#include "analysis/explore/advice/advice.hpp"
#include "analysis/explore/answers/compare.hpp"
#include "analysis/explore/answers/scale.hpp"
#include "library/inside.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace gradflight_inside {
namespace {

using gradflight::Scaling;
using gradflight::SideBySide;

struct ScaleAxis {
  std::string path;
  std::vector<std::string> values, sets;
  double threshold;
  bool strong;
  int jobs;
  gradflight::BatchProgress progress;
};

/// Returns one sentence that names the failed simulation; empty if all succeeded.
std::string failure_of(const std::vector<gradflight::StepAnswer>& answers, const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < answers.size(); ++i)
    if (!answers[i].failure.empty()) return names[i] + ": " + answers[i].failure;
  return {};
}

std::string compared(const std::vector<const Prepared*>& columns, int jobs, const gradflight::BatchProgress& progress,
                     std::string& failure) {
  std::vector<Prepared> prepared;
  std::vector<std::string> names;
  for (const Prepared* column : columns) {
    if (!column->scenario().one_job())
      throw UsageError(column->scenario().name + ": compare, scale and advise take a scenario with one job");
    prepared.emplace_back(column->scenario(), column->id());
    names.push_back(column->scenario().name);
  }
  names = gradflight::distinct_names(std::move(names));
  const auto answers = gradflight::simulate_steps(prepared, jobs, progress);
  failure = failure_of(answers, names);
  if (!failure.empty()) return {};
  SideBySide table;
  for (std::size_t i = 0; i < prepared.size(); ++i)
    table.columns.push_back(gradflight::compare_column(names[i], prepared[i].scenario(), answers[i].step));
  return gradflight::compare_json(table);
}

std::string scaled(const ScenarioSource& source, const ScaleAxis& axis, std::string& failure) {
  std::vector<Prepared> prepared;
  std::vector<std::string> names;
  std::vector<Diagnostic> mistakes;
  for (const std::string& value : axis.values) {
    names.push_back(axis.path + "=" + value);
    auto sets = axis.sets;
    sets.push_back(names.back());
    try {
      prepared.push_back(gradflight::prepare_one_job(source, sets));
    } catch (const InputErrors& errors) {
      for (const Diagnostic& d : errors.diagnostics())
        if (std::find(mistakes.begin(), mistakes.end(), d) == mistakes.end()) mistakes.push_back(d);
    }
  }
  if (!mistakes.empty()) throw InputErrors(std::move(mistakes));
  if (axis.strong) gradflight::keep_global_batch(prepared, names);
  const auto answers = gradflight::simulate_steps(prepared, axis.jobs, axis.progress);
  failure = failure_of(answers, names);
  if (!failure.empty()) return {};
  Scaling scaling{axis.path, axis.threshold, axis.strong, {}};
  for (std::size_t i = 0; i < prepared.size(); ++i)
    scaling.points.push_back(gradflight::scale_point(axis.values[i], prepared[i].scenario(), answers[i].step));
  return gradflight::scale_json(scaling);
}

std::string advised(const ScenarioSource& source, const std::vector<std::string>& sets,
                    const gradflight::AdviceOptions& options, std::string& failure) {
  const gradflight::Advice advice = gradflight::advise(source, sets, options);
  failure = advice.failure;
  return gradflight::advice_json(advice);
}

} // namespace
} // namespace gradflight_inside

#include "library/errors.hpp"

namespace gradflight {
inline namespace v1 {
namespace {

/// Calls `ask(failure)`, which may start child processes. Throws SimulationError if `ask` sets `failure`.
template <class Ask> std::string answered(int jobs, const Progress& progress, const Ask& ask) {
  if (jobs < 1) gradflight_inside::refuse(fmt::format("jobs is {}: must be at least 1", jobs));
  const gradflight_inside::Children alone(progress);
  std::string failure;
  std::string answer = gradflight_inside::translated([&] { return ask(failure); });
  if (!failure.empty()) throw SimulationError(failure);
  return answer;
}

} // namespace

std::string compare(const std::vector<Scenario>& scenarios, int jobs, const Progress& progress) {
  if (scenarios.empty()) gradflight_inside::refuse("compare needs at least one scenario");
  std::vector<const gradflight_inside::Prepared*> columns;
  for (const Scenario& scenario : scenarios) columns.push_back(&scenario.content().prepared);
  return answered(jobs, progress, [&](std::string& failure) {
    return gradflight_inside::compared(columns, jobs, gradflight_inside::part_of(progress), failure);
  });
}

std::string scale(const Scenario& scenario, const std::string& path, const std::vector<std::string>& values,
                  const ScaleOptions& options) {
  if (values.empty()) gradflight_inside::refuse("scale needs at least one value of " + path);
  if (!(options.threshold >= 0 && options.threshold <= 1))
    gradflight_inside::refuse(fmt::format("threshold is {}: must be from 0 to 1", options.threshold));
  gradflight_inside::sets_of({{path, ""}});
  const gradflight_inside::ScaleAxis axis{path,
                                          values,
                                          scenario.content().sets,
                                          options.threshold,
                                          options.strong,
                                          options.jobs,
                                          gradflight_inside::part_of(options.progress)};
  return answered(options.jobs, options.progress, [&](std::string& failure) {
    return gradflight_inside::scaled(scenario.content().source, axis, failure);
  });
}

std::string advise(const Scenario& scenario, const AdviseOptions& options) {
  if (!(options.budget_s >= 0))
    gradflight_inside::refuse(fmt::format("budget_s is {}: must be at least 0", options.budget_s));
  const auto& from = scenario.content();
  return answered(options.jobs, options.progress, [&](std::string& failure) {
    return gradflight_inside::advised(from.source, from.sets,
                                      {options.budget_s, options.jobs, gradflight_inside::part_of(options.progress)},
                                      failure);
  });
}

} // namespace v1
} // namespace gradflight
