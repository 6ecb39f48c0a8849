// load, parse and run.
#include "analysis/run/evaluate.hpp"
#include "analysis/run/files/result_json.hpp"
#include "analysis/run/last_digits.hpp"
#include "analysis/run/text/report.hpp"
#include "library/inside.hpp"

#include <cstdint>
#include <functional>

namespace gradflight_inside {
namespace {

using gradflight::Outcome;
using gradflight::RunResult;

/// `tell` is called regularly during the simulation; null: no progress reports.
RunResult simulated(const Prepared& prepared, gradflight::Process process, const std::function<void()>& tell = {}) {
  gradflight::EvaluateOptions options{.process = process};
  if (tell) options.progress = [&](double, std::int64_t) { tell(); };
  return gradflight::simulate_with_race(prepared, options);
}

Prepared prepared_of(const ScenarioSource& source, const std::vector<std::string>& sets) {
  return gradflight::prepare_changed(source, {sets, {}, {}});
}

struct RunAnswer {
  double time, iteration_time;
  std::string json, summary;
};

RunAnswer answer_of(const Prepared& prepared, RunResult result) {
  const Outcome outcome = gradflight::outcome_of(prepared, std::move(result));
  return {outcome.result.time, outcome.result.iteration_time, gradflight::result_json(outcome),
          gradflight::report(outcome, {}, gradflight::moved_by_last_digits(prepared, outcome.result))};
}

using NeedsChild = gradflight::NeedsOwnProcess;

} // namespace
} // namespace gradflight_inside

#include "library/errors.hpp"

namespace gradflight {
inline namespace v1 {
namespace {

Scenario loaded(const gradflight_inside::ScenarioSource& source, const Settings& settings) {
  const auto sets = gradflight_inside::sets_of(settings);
  return gradflight_inside::translated([&] {
    gradflight_inside::Prepared prepared = gradflight_inside::prepared_of(source, sets);
    std::string name = prepared.scenario().name, json = prepared.canonical();
    return Scenario(std::make_shared<const Scenario::Content>(
        Scenario::Content{std::move(prepared), std::move(name), std::move(json), source, sets}));
  });
}

} // namespace

Scenario::Scenario(std::shared_ptr<const Content> content) : content_(std::move(content)) {}
const std::string& Scenario::name() const { return content_->name; }
const std::string& Scenario::json() const { return content_->json; }

Scenario load(const std::filesystem::path& file, const Settings& settings) { return loaded({file, {}}, settings); }

Scenario parse(const std::string& text, const Settings& settings, const std::filesystem::path& directory) {
  return loaded({directory / "scenario", text}, settings);
}

Result::Result(double time_s, double iteration_time_s, std::string json, std::string summary)
    : time_s_(time_s), iteration_time_s_(iteration_time_s), json_(std::make_shared<const std::string>(std::move(json))),
      summary_(std::make_shared<const std::string>(std::move(summary))) {}

Result run(const Scenario& scenario, const Progress& progress) {
  const gradflight_inside::Prepared& prepared = scenario.content().prepared;
  std::function<void()> tell;
  if (progress) tell = [&] { progress(0); };
  return gradflight_inside::translated([&] {
    gradflight_inside::RunResult result;
    try {
      result = gradflight_inside::simulated(prepared, gradflight::Process::shared, tell);
    } catch (const gradflight_inside::NeedsChild&) {
      const gradflight_inside::Children alone(progress);
      result = gradflight_inside::in_child(
          progress, [&](gradflight::Process process) { return gradflight_inside::simulated(prepared, process); });
    }
    auto answer = gradflight_inside::answer_of(prepared, std::move(result));
    return Result(answer.time, answer.iteration_time, std::move(answer.json), std::move(answer.summary));
  });
}

Result run(const std::filesystem::path& file, const Settings& settings, const Progress& progress) {
  return run(load(file, settings), progress);
}

} // namespace v1
} // namespace gradflight
